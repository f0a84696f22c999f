package results

import (
	"cmp"
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
	"github.com/agepath/agepath/results/prose"
)

// ReportFolder is the folder of a report in DIR, MadeName the file in it that says how the report was
// made.
const (
	ReportFolder = "report"
	MadeName     = "made.json"
)

// Made says of what and how a report was made.
type Made struct {
	MadeOf
	Formats []string          `json:"formats"`
	Files   map[string]string `json:"files"` // digests by name, in the folder of the report
}

// MadeOf has what every file of a report depends on. A report is fresh while this is the same.
type MadeOf struct {
	Agepath     string      `json:"agepath,omitempty"` // version
	Inputs      string      `json:"inputs"`            // see [InputsOf]
	Figures     int         `json:"figures"`
	Choose      choice.Rule `json:"choose,omitempty"`
	Paper       bool        `json:"paper,omitempty"`
	Compression Compression `json:"compression,omitempty"`
	Tests
}

// Tests are the settings of every test of a report.
type Tests struct {
	// Significance is the level of tests and the false discovery rate of many; intervals have the
	// confidence 1 - Significance.
	Significance float64 `json:"significance,omitempty"`
	// Rope is the largest difference that counts as none: a share of the constant's mean loss or, of
	// scores of which more is better, of 1.
	Rope float64 `json:"rope,omitempty"`
}

// Level returns the significance as a text such as "5 %".
func (t Tests) Level() string { return percent(t.Significance) }

// Confidence returns that of intervals as a text such as "95 %".
func (t Tests) Confidence() string { return percent(1 - t.Significance) }

func percent(share float64) string { return prose.Short(100*share) + " %" }

// ReadMade returns an empty Made if dir has none.
func ReadMade(dir string) (*Made, error) {
	path := filepath.Join(dir, ReportFolder, MadeName)
	text, err := disk.ReadFile(disk.OS{}, path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Made{}, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(Made)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("reading %s: %w; remove it, and `coordinator report %s` makes all files again", path, err, dir)
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
		m.Places, m.File, m.SHA256 = ManifestPlaces{}, "", ""
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
	again, listed := fmt.Sprintf("; `coordinator report %s` makes it again", v.dir), fmt.Sprintf("; `coordinator crate %s` lists the files again", v.dir)
	if v.Damaged = len(v.Problems) > 0; v.Damaged { // neither mends tables
		again, listed = "", ""
	}
	if made.Inputs != "" {
		if inputs, err := InputsOf(v.dir); err != nil || inputs != made.Inputs {
			v.Problem("report", "the report was made of other tables than those of the folder%s", again)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(made.Files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(v.dir, ReportFolder, name)
		switch digest, err := disk.Digest(path); {
		case errors.Is(err, fs.ErrNotExist):
			v.Problem("report", "%s is missing%s", path, again)
		case err != nil:
			v.Problem("report", "%v", err)
		case digest != made.Files[name]:
			v.Problem("report", "%s has changed since it was written%s", path, again)
		}
	}
	v.checkFiles()
	return v.checkCrate(ctx, listed)
}

// crateFile is what is read of a crate.
type crateFile struct {
	Graph []struct {
		Type    string `json:"@type"`
		Name    string `json:"name"`
		SHA256  string `json:"sha256"`
		License struct {
			ID string `json:"@id"`
		} `json:"license"`
	} `json:"@graph"`
}

func readCrate(dir string) (crate crateFile, err error) {
	text, err := disk.ReadFile(disk.OS{}, filepath.Join(dir, CrateName))
	if err == nil {
		err = json.Unmarshal(text, &crate)
	}
	return crate, err
}

// checkCrate compares the files that an RO-Crate lists with their digests there. Remedy ends a problem.
func (v *Verification) checkCrate(ctx context.Context, remedy string) error {
	crate, err := readCrate(v.dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			v.Problem("crate", "%s: %v%s", filepath.Join(v.dir, CrateName), err, remedy)
		}
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
			v.Problem("crate", "%s is not the file that %s lists%s", file.Name, CrateName, remedy)
		}
	}
	return nil
}

// RenewCrate writes the crate of dir again if there is one, with its license and authors.
func RenewCrate(ctx context.Context, dir string) error {
	crate, err := readCrate(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var options CrateOptions
	for _, entity := range crate.Graph {
		options.License = cmp.Or(options.License, entity.License.ID)
		if entity.Type == "Person" {
			options.Authors = append(options.Authors, entity.Name)
		}
	}
	return WriteCrate(ctx, dir, options)
}
