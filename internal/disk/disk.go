// Package disk is a file system with explicit durability; tests can substitute a disk that loses
// unsynced data at a crash.
//
// Guarantees are those of POSIX. Bytes survive once [File.Sync] returned after they were written.
// The name of a file or folder, and that an old name is gone, survives once [FS.SyncDir] returned
// for its folder. Before that any part may survive, in any order. After Sync failed the bytes
// written before it may be lost, even if a later Sync succeeds.
package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// FS is a file system. Its errors are [*fs.PathError]s, or [*os.LinkError]s of Rename.
type FS interface {
	// Create creates a file that must not exist, for writing.
	Create(name string) (File, error)
	Open(name string) (Source, error)
	// Rename renames a file within its folder, replacing any other.
	Rename(from, to string) error
	Remove(name string) error
	// Mkdir requires that the parent exists.
	Mkdir(name string) error
	// ReadDir lists the names in a folder, sorted.
	ReadDir(name string) ([]string, error)
	// SyncDir makes a folder's names durable.
	SyncDir(name string) error
	// Lock locks a file, created if necessary, until Close or the end of the process. The error is
	// a [*HeldError] while another holds the lock.
	Lock(name string) (io.Closer, error)
}

// File is a file that is appended to.
type File interface {
	io.WriteCloser
	Sync() error
}

// Source is a file that is read.
type Source interface {
	io.ReaderAt
	io.Closer
	Size() (int64, error)
	// Sync makes durable what is read: a killed process may have left it unsynced.
	Sync() error
}

// HeldError says that another holds a lock.
type HeldError struct {
	Path   string
	Holder string // "" if unreadable
}

func (e *HeldError) Error() string {
	if e.Holder == "" {
		return e.Path + " is locked by another process"
	}
	return e.Path + " is locked by " + e.Holder
}

// MkdirAll creates a folder and its missing parents, durably. It syncs an existing folder: the
// process that created it may have been killed before.
func MkdirAll(d FS, name string) error {
	parent := filepath.Dir(name)
	err := d.Mkdir(name)
	if errors.Is(err, fs.ErrNotExist) && parent != name {
		if err := MkdirAll(d, parent); err != nil {
			return err
		}
		err = d.Mkdir(name)
	}
	if errors.Is(err, fs.ErrExist) {
		_, err = d.ReadDir(name) // a file in its place is an error
	}
	if err != nil {
		return err
	}
	// Names can be added to folders that one may not read. Only the administrator can sync those.
	if err := d.SyncDir(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

const temporaryEnding = ".tmp"

// Temporary returns the path under which [Replace] writes a file first.
func Temporary(path string) string {
	folder, name := filepath.Split(path)
	return filepath.Join(folder, "."+name+temporaryEnding)
}

// TemporaryOf returns the final name of a temporary file.
func TemporaryOf(name string) (string, bool) {
	rest, hidden := strings.CutPrefix(name, ".")
	final, ok := strings.CutSuffix(rest, temporaryEnding)
	return final, hidden && ok && final != ""
}

// Write creates or overwrites a file by fill and syncs it; its name is durable after [FS.SyncDir].
// After an error it removes the file.
func Write(d FS, path string, fill func(File) error) (err error) {
	if err := RemoveIfThere(d, path); err != nil {
		return err
	}
	file, err := d.Create(path)
	if err != nil {
		return err
	}
	err = fill(file)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err != nil {
		err = fmt.Errorf("writing %s: %w", path, errors.Join(WithoutPath(err, path), RemoveIfThere(d, path)))
	}
	return err
}

// Replace gives a file the content that fill writes, atomically and durably.
func Replace(d FS, path string, fill func(File) error) error {
	temporary := Temporary(path)
	if err := Write(d, temporary, fill); err != nil {
		return err
	}
	if err := d.Rename(temporary, path); err != nil {
		return errors.Join(err, RemoveIfThere(d, temporary))
	}
	return d.SyncDir(filepath.Dir(path))
}

// WriteFile is [Replace], unless the file already has the content.
func WriteFile(d FS, path string, data []byte) error {
	if have, err := ReadFile(d, path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	return Replace(d, path, func(file File) error {
		_, err := file.Write(data)
		return err
	})
}

// ReadFile returns the bytes of a file.
func ReadFile(d FS, path string) ([]byte, error) {
	file, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	_, err = io.ReadFull(io.NewSectionReader(file, 0, size), data)
	return data, err
}

// Digest returns the SHA-256 of a file, in hex digits.
func Digest(path string) (string, error) {
	file, err := OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// DigestOf returns the SHA-256 of texts, in hex.
func DigestOf(texts ...string) string {
	hash := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(hash, "%d %s", len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// RemoveIfThere deletes a file that may not exist.
func RemoveIfThere(d FS, path string) error {
	if err := d.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WithoutPath strips operation and path from an error.
func WithoutPath(err error, path string) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) && pathError.Path == path {
		return pathError.Err
	}
	return err
}

// fullErrors say that a disk, a quota or a limit of files' sizes takes no more.
var fullErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// Full reports whether an error says that nothing more can be written.
func Full(err error) bool {
	return slices.ContainsFunc(fullErrors, func(full syscall.Errno) bool { return errors.Is(err, full) })
}

// FullIn returns the error of [Full] that a text ends with, nil for none.
func FullIn(text string) error {
	for _, full := range fullErrors {
		if strings.HasSuffix(text, full.Error()) {
			return full
		}
	}
	return nil
}

// Advise adds a remedy, if known, to an error of a file.
func Advise(err error) error {
	switch {
	case Full(err):
		return fmt.Errorf("%w: make room on the disk, for files too (df -h and df -i), within your quota (quota -s) and under the limit of files' sizes (ulimit -f), "+
			"and run the same command again; what was durable is kept", err)
	case errors.Is(err, syscall.EIO):
		return fmt.Errorf("%w: check the disk (its messages are in the system's log), then run the same command again; what was durable is kept", err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: mount the disk for writing, or choose another folder", err)
	}
	return err
}

// Unknown is the free space of a disk that reports none.
const Unknown = math.MaxInt64

// InHome expands a leading ~, which shells do not in --out=~/results, and nobody in configuration
// files.
func InHome(path string) (string, error) {
	rest, found := strings.CutPrefix(path, "~")
	if !found {
		return path, nil
	}
	if rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", fmt.Errorf("%q is not allowed: of home folders only your own has a short form, ~/; give the path in full, or ./%s for a file of that name", path, path)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%q cannot be expanded: %w; give the path in full", path, err)
	}
	return filepath.Join(home, rest), nil
}

// FromHome is the inverse of [InHome]: published manifests do not say whose home it is.
func FromHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(path) || len(home) < 2 {
		return path
	}
	if rest, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rest) {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}
