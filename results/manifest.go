package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/lists"
)

const ManifestName = "manifest.json"

// Manifest describes the files in DIR. Two runs of the same cells have equal manifests: it contains
// no times.
type Manifest struct {
	SchemaVersion int                       `json:"schema_version"`
	Name          string                    `json:"name"`
	Run           string                    `json:"run"`
	Kind          string                    `json:"kind"`
	Versions      map[string]string         `json:"versions"`         // by subject
	Data          map[string]string         `json:"data"`             // digests by name
	Absent        []ManifestData            `json:"absent,omitempty"` // missing data sets that the run leaves out
	Cells         int64                     `json:"cells"`            // of the grid
	Counts        map[experiment.Status]int `json:"counts"`           // cells in the files by status
	Tables        []ManifestTable           `json:"tables"`
	Compression   Compression               `json:"compression,omitempty"`
	Grid          string                    `json:"grid,omitempty"`  // as run, YAML
	File          string                    `json:"file,omitempty"`  // as named; relative paths of data begin at its folder
	Set           []string                  `json:"set,omitempty"`   // overrides
	Files         map[string]string         `json:"files,omitempty"` // digests of the files of commands

	Places ManifestPlaces `json:"places"`

	Readings []ManifestReading `json:"readings,omitempty"`

	// Select is the score by which reports choose parameters.
	Select experiment.Select `json:"select,omitempty"`
	SHA256 string            `json:"sha256,omitempty"` // of the file without this field and the comma before it
}

// ManifestPlaces locates the files of a run.
type ManifestPlaces struct {
	Grid ManifestPlace       `json:"grid"`
	Data []ManifestDataPlace `json:"data,omitempty"` // without embedded ones
}

// ManifestPlace is the place of a file.
type ManifestPlace struct {
	Path     string `json:"path"`               // absolute
	Relative string `json:"relative,omitempty"` // from DIR
}

// ManifestDataPlace is the place of a data set's file.
type ManifestDataPlace struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	ManifestPlace
}

// ManifestReading describes how a data set was read.
type ManifestReading struct {
	Name     string   `json:"name"`
	How      string   `json:"how"`
	Warnings []string `json:"warnings,omitempty"`
	LeftOut  int      `json:"left_out,omitempty"` // rows with missing values
	Lines    []int    `json:"lines,omitempty"`    // the first of them, at most [dataset.MaxLines]
	Features []string `json:"features"`           // the first, see [dataset.Names]
	SHA256   string   `json:"features_sha256,omitempty"`
}

// ManifestData is the catalog's description of a data set.
type ManifestData struct {
	Name     string `json:"name"`
	Task     string `json:"task"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
}

// ManifestTable is the schema of one file.
type ManifestTable struct {
	Name    string           `json:"name"`
	Columns []ManifestColumn `json:"columns"`
}

// ManifestColumn describes a column of a file.
type ManifestColumn struct {
	Name string `json:"name"`
	Type string `json:"type"` // Arrow's name
	Doc  string `json:"doc"`
}

// ManifestTables returns the schemas of a kind of experiment.
func ManifestTables(tables experiment.Tables) []ManifestTable {
	var list []ManifestTable
	for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
		list = append(list, ManifestTable{table.Name, lists.Map(table.Columns, func(c experiment.Column) ManifestColumn {
			return ManifestColumn{c.Name, columnTypes[c.Type].String(), c.Doc}
		})})
	}
	return list
}

// ReadManifest reads the manifest of dir. Its error is [fs.ErrNotExist] if there is none, and a
// [*VersionError] for another schema version.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	text, err := disk.ReadFile(disk.OS{}, path)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("reading the manifest %s: %w; restore it from a copy, or run its grid into the folder again", path, err)
	}
	if _, err := parseVersion(strconv.Itoa(m.SchemaVersion)); err != nil {
		return nil, fmt.Errorf("reading the manifest %s: %w", path, err)
	}
	return &m, nil
}

// WriteManifest sets the schema version and writes the manifest of dir atomically, unless the
// content is unchanged.
func WriteManifest(dir string, m *Manifest) error { return writeManifest(disk.OS{}, dir, m) }

func writeManifest(d disk.FS, dir string, m *Manifest) error {
	versioned := *m
	versioned.SchemaVersion, versioned.SHA256 = experiment.SchemaVersion, ""
	text, _ := encodeJSON(&versioned) // writeJSON returns its error
	versioned.SHA256 = outside.Digest(text)
	return disk.Advise(writeJSON(d, filepath.Join(dir, ManifestName), &versioned))
}

func encodeJSON(object any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(object)
	return text.Bytes(), err
}

// writeJSON writes a file atomically, unless the content is unchanged.
func writeJSON(d disk.FS, path string, object any) error {
	text, err := encodeJSON(object)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return disk.WriteFile(d, path, text)
}
