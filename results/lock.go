package results

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/agepath/agepath/internal/disk"
)

// lockDir takes the lock of a folder.
func lockDir(d disk.FS, dir string) (io.Closer, error) {
	lock, err := d.Lock(filepath.Join(dir, lockName))
	if held, ok := errors.AsType[*disk.HeldError](err); ok {
		return nil, &LockedError{Dir: dir, Holder: held.Holder}
	}
	return lock, err
}

// lockName is the file that a writer of DIR holds locked. It stays behind,
// empty: removing it would race with the next writer.
const lockName = ".lock"

// LockedError says that another store writes the folder.
type LockedError struct {
	Dir    string
	Holder string // who; "" when it could not be read
}

func (e *LockedError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another process"
	}
	return fmt.Sprintf("%s is being written by %s; wait for it to end, or choose another folder", e.Dir, holder)
}
