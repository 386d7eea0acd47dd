package edit

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// addBinary makes a file of a binary patch.
func (r *run) addBinary() Errors {
	data, err := r.op.Binary.apply(nil, r.opt.FileLimit)
	if err != nil {
		return Errors{err}
	}
	r.create(data)
	return nil
}

// patched returns the content of a node after the binary patch. Content that
// is not the one the patch was made from stays as it is: a delta means nothing
// on it, and a literal would bury it.
func (r *run) patched(n *node) ([]byte, Errors) {
	if errs := r.preImage(n, r.op.Binary.Delta); len(errs) > 0 {
		return nil, errs
	}
	old, err := r.content(n)
	if err != nil {
		return nil, Errors{err}
	}
	data, err := r.op.Binary.apply(old, r.opt.FileLimit)
	if err != nil {
		return nil, Errors{err}
	}
	return data, nil
}

// apply returns what the patch makes of the old content.
func (b *BinaryPatch) apply(old []byte, limit int64) ([]byte, *Error) {
	f := gitdiff.BinaryFragment{Method: gitdiff.BinaryPatchLiteral, Size: b.Size, RawData: b.Data}
	if b.Delta {
		f.Method = gitdiff.BinaryPatchDelta
	}
	var out bytes.Buffer
	a := gitdiff.NewBinaryApplier(&out, bytes.NewReader(old), gitdiff.WithMaxBinaryFragmentBytes(limit))
	if err := a.ApplyFragment(&f); err != nil {
		return nil, &Error{Code: BadInput, Msg: "the binary patch is damaged", Err: err}
	}
	return out.Bytes(), nil
}

// idLeast is how many digits of an object id tell contents apart, where nothing
// else does.
const idLeast = 7

// preImage checks that a node has the content which the operation says it was
// made from; needed: it must say so.
func (r *run) preImage(n *node, needed bool) Errors {
	id := strings.ToLower(r.op.PreImage)
	if id == "" || needed && len(id) < idLeast {
		if needed {
			return fail(NoMatch, "the diff does not say which content it was made from (index line)")
		}
		return nil
	}
	data, err := r.content(n)
	if err != nil {
		return Errors{err}
	}
	for _, h := range []hash.Hash{sha1.New(), sha256.New()} { // of either kind of repository
		fmt.Fprintf(h, "blob %d\x00", len(data))
		h.Write(data)
		if strings.HasPrefix(hex.EncodeToString(h.Sum(nil)), id) {
			return nil
		}
	}
	return fail(NoMatch, "the diff was made from another content of the file (%s)", Quote(r.op.PreImage))
}
