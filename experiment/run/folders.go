package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/disk"
)

// Folders records the folders of results made on this machine, one line of JSON each. Several
// processes may use the file. Without it cells are computed again.
type Folders struct {
	Path string
	// Build identifies the program if its version is not [Committed].
	Build string
}

// Folder is a folder of results made on this machine.
type Folder struct {
	Dir string `json:"dir"` // absolute
	// Build identifies the program whose version is not [Committed]; "" for none or several.
	Build string `json:"build,omitempty"`
}

const mostFolders = 1000

// Committed reports whether a version of agepath identifies its sources. In other programs an
// algorithm may change before its version does.
func Committed(version string) bool {
	return strings.HasPrefix(version, "v") && !strings.Contains(version, "dirty")
}

// Takes reports whether this program's algorithm computed a row of this version, given equal
// versions of the methods.
func (f *Folders) Takes(folder Folder, version string) bool {
	if f.Build == "" {
		return Committed(version)
	}
	return !Committed(version) && folder.Build == f.Build
}

// Remember adds a folder; others means that other programs also compute its rows.
func (f *Folders) Remember(dir string, others bool) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	own := Folder{Dir: dir, Build: f.Build}
	if others {
		own.Build = ""
	}
	list, err := f.read()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(list, func(l Folder) bool { return l.Dir == dir }); i >= 0 {
		if list[i].Build == own.Build || list[i].Build == "" {
			return nil
		}
		own.Build = ""
	}
	line, err := json.Marshal(own)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	file, err := f.open(os.O_WRONLY | os.O_APPEND | os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = file.Write(slices.Concat([]byte("\n"), line, []byte("\n"))) // after a partial line of a killed process
	return errors.Join(err, file.Close())
}

// List returns the folders, the newest first. Some may no longer exist.
func (f *Folders) List() ([]Folder, error) {
	list, err := f.read()
	return list[:min(len(list), mostFolders)], err
}

func (f *Folders) read() (list []Folder, err error) {
	file, err := f.open(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	at := map[string]bool{}
	for _, line := range slices.Backward(slices.Collect(bytes.Lines(text))) {
		var folder Folder
		if json.Unmarshal(line, &folder) != nil || !filepath.IsAbs(folder.Dir) || at[folder.Dir] { // torn, or replaced by a later line
			continue
		}
		at[folder.Dir] = true
		list = append(list, folder)
	}
	return list, nil
}

func (f *Folders) open(flags int) (*os.File, error) {
	dir, name := filepath.Split(f.Path)
	if err := disk.CheckOwn(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; remove it", f.Path)
	}
	return root.OpenFile(name, flags, 0o600)
}
