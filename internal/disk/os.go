package disk

import (
	"fmt"
	"io"
	"os"

	"github.com/agepath/agepath/internal/lists"
)

// OS is the file system of the operating system.
type OS struct{}

func (OS) Create(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (OS) Open(name string) (Source, error) {
	file, err := OpenRegular(name)
	if err != nil {
		return nil, err
	}
	return osSource{file}, nil
}

// OpenRegular opens a file for reading. Opening a named pipe would wait for its writer.
func OpenRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is not a regular file (%v); put a file in its place", info.Mode().Type())}
	}
	return os.Open(name)
}

type osSource struct{ *os.File }

func (f osSource) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (OS) Rename(from, to string) error { return os.Rename(from, to) }

func (OS) Remove(name string) error { return os.Remove(name) }

func (OS) Mkdir(name string) error { return os.Mkdir(name, 0o777) }

func (OS) ReadDir(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	return lists.Map(entries, os.DirEntry.Name), err
}

func (OS) SyncDir(name string) error { return syncDir(name) }

// Lock implements [FS]. A locked file's text names the holder; the file stays, empty, since
// removing it would race with the next holder.
func (OS) Lock(name string) (io.Closer, error) {
	file, err := lockFile(name)
	if err != nil {
		return nil, err
	}
	return fileLock{file}, nil
}

type fileLock struct{ *os.File }
