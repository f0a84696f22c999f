package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/internal/disk"
)

// ReportFolder is the folder of a report in DIR, MadeName the file in it that says how the report was
// made.
const (
	ReportFolder = "report"
	MadeName     = "made.json"
)

// Made says of what and how a report was made. A report is fresh while these are the same.
type Made struct {
	Agepath     string            `json:"agepath,omitempty"` // version
	Inputs      string            `json:"inputs"`            // see [InputsOf]
	Formats     []string          `json:"formats"`
	Figures     int               `json:"figures"`
	Choose      choice.Rule       `json:"choose,omitempty"`
	Paper       bool              `json:"paper,omitempty"`
	Compression Compression       `json:"compression,omitempty"`
	Files       map[string]string `json:"files"` // digests by name, in the folder of the report
}

// Same reports whether two reports have the same inputs and options, apart from formats.
func (m *Made) Same(other *Made) bool {
	return m.Agepath == other.Agepath && m.Inputs == other.Inputs && m.Figures == other.Figures && m.Choose == other.Choose &&
		m.Paper == other.Paper && m.Compression == other.Compression
}

// ReadMade returns an empty Made if dir has none.
func ReadMade(dir string) (*Made, error) {
	path := filepath.Join(dir, ReportFolder, MadeName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Made{}, nil
	}
	m := new(Made)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w; remove it, and `coordinator report` makes all files again", path, err)
	}
	for name := range m.Files {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("reading %s: %.200q is not a file of the report", path, name)
		}
	}
	return m, nil
}

// WriteMade records the digests of the files of a report, and removes those that only the report
// before had.
func WriteMade(dir string, m *Made, files []string) error {
	folder := filepath.Join(dir, ReportFolder)
	before, err := ReadMade(dir)
	if err != nil {
		return err
	}
	for name := range before.Files {
		if !slices.Contains(files, name) {
			if err := disk.RemoveIfThere(disk.OS{}, filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	m.Files = map[string]string{}
	for _, name := range files {
		digest, err := disk.Digest(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) { // it would be empty
			continue
		}
		if err != nil {
			return err
		}
		m.Files[name] = digest
	}
	return writeJSON(disk.OS{}, filepath.Join(folder, MadeName), m)
}

// InputsOf returns a digest of the tables of dir, wherever dir is: of the manifest without places, of
// the cells, which any change of another table changes, and of the names and sizes of the streams of a
// run that has not ended.
func InputsOf(dir string) (string, error) {
	m, err := ReadManifest(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if m != nil {
		m.Places, m.File = ManifestPlaces{}, ""
	}
	manifest, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	cells, err := disk.Digest(filepath.Join(dir, CellsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	parts := []string{string(manifest), cells}
	streams, err := filepath.Glob(filepath.Join(dir, "*.arrows"))
	if err != nil {
		return "", err
	}
	for _, path := range streams {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("%s %d", filepath.Base(path), info.Size()))
	}
	return disk.DigestOf(parts...), nil
}

// checkReport compares the report with the tables and with what was written.
func (v *Verification) checkReport(ctx context.Context) error {
	made, err := ReadMade(v.dir)
	if err != nil {
		v.Problem("report", "%v", err)
		return nil
	}
	again := fmt.Sprintf("`coordinator report %s` makes it again", v.dir)
	if made.Inputs != "" {
		if inputs, err := InputsOf(v.dir); err != nil || inputs != made.Inputs {
			v.Problem("report", "the report was made of other tables than those of the folder; %s", again)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(made.Files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(v.dir, ReportFolder, name)
		switch digest, err := disk.Digest(path); {
		case errors.Is(err, fs.ErrNotExist):
			v.Problem("report", "%s is missing; %s", path, again)
		case err != nil:
			v.Problem("report", "%v", err)
		case digest != made.Files[name]:
			v.Problem("report", "%s has changed since it was written; %s", path, again)
		}
	}
	return v.checkCrate(ctx)
}

// checkCrate compares the files that an RO-Crate lists with their digests there.
func (v *Verification) checkCrate(ctx context.Context) error {
	path := filepath.Join(v.dir, CrateName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var crate struct {
		Graph []struct {
			Name   string `json:"name"`
			SHA256 string `json:"sha256"`
		} `json:"@graph"`
	}
	if err == nil {
		err = json.Unmarshal(text, &crate)
	}
	if err != nil {
		v.Problem("crate", "%s: %v", path, err)
		return nil
	}
	for _, file := range crate.Graph {
		if err := ctx.Err(); err != nil {
			return err
		}
		if file.SHA256 == "" || !filepath.IsLocal(filepath.FromSlash(file.Name)) {
			continue
		}
		if digest, err := disk.Digest(filepath.Join(v.dir, filepath.FromSlash(file.Name))); err != nil || digest != file.SHA256 {
			v.Problem("crate", "%s is not the file that %s lists; `coordinator crate %s` lists the files again", file.Name, CrateName, v.dir)
		}
	}
	return nil
}

// RenewCrate writes the crate of dir again if there is one.
func RenewCrate(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, CrateName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return WriteCrate(ctx, dir)
}
