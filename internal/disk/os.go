package disk

import (
	"io"
	"os"
)

// OS is the file system of the operating system.
type OS struct{}

// Create implements [FS].
func (OS) Create(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// Open implements [FS].
func (OS) Open(name string) (Source, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return osSource{file}, nil
}

type osSource struct{ *os.File }

// Size implements [Source].
func (f osSource) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Rename implements [FS].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (OS) Remove(name string) error { return os.Remove(name) }

// Mkdir implements [FS].
func (OS) Mkdir(name string) error { return os.Mkdir(name, 0o777) }

// ReadDir implements [FS].
func (OS) ReadDir(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

// SyncDir implements [FS].
func (OS) SyncDir(name string) error { return syncDir(name) }

// Lock implements [FS]. The text of a locked file names the process that holds
// it; the file stays, empty, since removing it would race with the next holder.
func (OS) Lock(name string) (io.Closer, error) {
	file, err := lockFile(name)
	if err != nil {
		return nil, err
	}
	return fileLock{file}, nil
}

type fileLock struct{ *os.File }

// Close releases the lock.
func (l fileLock) Close() error { return unlockFile(l.File) }
