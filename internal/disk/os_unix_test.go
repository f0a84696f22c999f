//go:build darwin || freebsd || linux

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPlanted has what another user can put into the folder for temporary files: none of it
// is opened where it leads, or removed.
func TestPlanted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	victim := filepath.Join(t.TempDir(), "victim")
	const text = "nobody's business\n"
	if err := os.WriteFile(victim, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	plant := func(name string, mode os.FileMode, owner int) string {
		dir := filepath.Join(os.TempDir(), name)
		err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(victim, filepath.Join(dir, ".in-use")), os.Chmod(dir, mode),
			os.Chown(dir, owner, -1), os.Chtimes(dir, past, past))
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	left := []string{plant("x-open", 0o777, os.Getuid()), plant("x-own", 0o700, os.Getuid()), plant("elsewhere", 0o700, os.Getuid())}
	link := filepath.Join(os.TempDir(), "x-link")
	if err := os.Symlink(left[2], link); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		left = append(left, plant("x-other", 0o700, 65534))
	}
	_, remove, err := TemporaryFolder("x-")
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(victim); err != nil || string(have) != text {
		t.Errorf("the file behind the links has %q, %v", have, err)
	}
	for _, path := range append(left, link) {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
}

// TestCloseReleasesTheLock has another descriptor of the lock's open file, as a
// child process has between fork and exec.
func TestCloseReleasesTheLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	lock, err := OS{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	child, err := syscall.Dup(int(lock.(fileLock).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := OS{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestOnlyRegularFilesAreOpened has what opening or reading would wait at.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir, os.DevNull} {
		_, opened := OS{}.Open(path)
		_, read := ReadFile(OS{}, path)
		_, digested := Digest(path)
		for _, err := range []error{opened, read, digested} {
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if _, err := OpenRegular(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		err := &os.PathError{Op: "write", Path: "out/1.blk", Err: full}
		if text := "critical write error: " + err.Error(); !Full(err) || !errors.Is(FullIn(text), full) {
			t.Errorf("%s: full %v, %v", text, Full(err), FullIn(text))
		}
		if advice := Advise(err).Error(); !strings.Contains(advice, "make room on the disk") {
			t.Error(advice)
		}
	}
	if err := syscall.EIO; Full(err) || FullIn("write: "+err.Error()) != nil {
		t.Errorf("%v is a full disk", err)
	}
}

// TestRemediesOfOwn makes a folder its user's alone, and removes it, as the refusal says.
func TestRemediesOfOwn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "folder")
	for name, spoil := range map[string]func() error{
		"of all":       func() error { return os.Chmod(dir, 0o777) },
		"of a group":   func() error { return os.Chmod(dir, 0o775) },
		"given away":   func() error { return os.Chown(dir, 65534, -1) },
		"given to all": func() error { return errors.Join(os.Chmod(dir, 0o777), os.Chown(dir, 65534, -1)) },
	} {
		if strings.HasPrefix(name, "given") && os.Getuid() != 0 {
			continue // only the administrator can
		}
		for _, remedy := range []func() error{
			func() error { return os.Remove(dir) },
			func() error {
				info, err := os.Stat(dir)
				if err != nil {
					return err
				}
				return errors.Join(os.Chown(dir, os.Getuid(), -1), os.Chmod(dir, info.Mode().Perm()&^0o022))
			},
		} {
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755), spoil()); err != nil {
				t.Fatal(err)
			}
			if err := CheckOwn(dir); err == nil || !strings.Contains(err.Error(), "remove it, or make it yours alone by `chown` and `chmod go-w`") {
				t.Errorf("%s: %v", name, err)
			}
			if err := errors.Join(remedy(), CheckOwn(dir)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
