package gitops

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
)

// CloneID is the name under which this clone's turns are kept elsewhere: eight
// hexadecimal digits, made when turns are sent for the first time. Empty: none
// were.
func (h *History) CloneID() string {
	data, err := os.ReadFile(filepath.Join(h.layout.CommonDir, "chordgit", "id"))
	id := strings.TrimSpace(string(data))
	if err != nil || !isCloneID(id) {
		return ""
	}
	return id
}

func isCloneID(id string) bool { return len(id) == 8 && strings.Trim(id, "0123456789abcdef") == "" }

// makeCloneID is CloneID, and makes one if there is none.
func (r *Repo) makeCloneID(ctx context.Context) (string, error) {
	unlock, err := r.lockNumbers(ctx) // two that send at once must not take two names
	if err != nil {
		return "", err
	}
	defer unlock()
	if id := r.History().CloneID(); id != "" {
		return id, nil
	}
	raw := make([]byte, 4)
	rand.Read(raw)
	id := hex.EncodeToString(raw)
	place := func() error {
		perm := r.layout.Perm()
		if err := perm.MkdirAll(r.sharedDir(), r.opt.NoSync); err != nil {
			return err
		}
		f, err := durable.CreateTemp(r.sharedDir(), "tmp_id_", 0o666, perm)
		if err != nil {
			return err
		}
		if _, err = bytes.NewBufferString(id + "\n").WriteTo(f); err == nil && !r.opt.NoSync {
			err = f.Sync()
		}
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			return err
		}
		if err := durable.Place(f, filepath.Join(r.sharedDir(), "id"), 0o666, perm, r.opt.NoSync); err != nil || r.opt.NoSync {
			return err
		}
		return durable.SyncDir(r.sharedDir())
	}
	if err := place(); err != nil {
		return "", &edit.Error{Code: edit.CommitFailed, Msg: "the clone's id cannot be written", Err: err}
	}
	return id, nil
}
