package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
)

// Host returns eight hexadecimal digits that stand for this machine: a hash
// over its id, where the system gives one, and its name.
func Host() string {
	name, _ := os.Hostname()
	sum := sha256.Sum256([]byte(machineID() + "\x00" + name))
	return hex.EncodeToString(sum[:4])
}
