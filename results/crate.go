package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// CrateName is the file of [WriteCrate].
const CrateName = "ro-crate-metadata.json"

const (
	crateVersion = "https://w3id.org/ro/crate/1.1"
	crateProfile = "https://w3id.org/ro/wfrun/process/0.5"
	crateTerms   = "https://w3id.org/ro/terms/workflow-run/context" // has sha256
	crateTool    = "https://github.com/agepath/agepath"
)

var encodings = map[string]string{
	".arrow": "application/vnd.apache.arrow.file", ".parquet": "application/vnd.apache.parquet", ".json": "application/json",
	".csv": "text/csv", ".md": "text/markdown", ".html": "text/html", ".tex": "application/x-tex", ".svg": "image/svg+xml", ".png": "image/png",
}

type crateEntity map[string]any

func reference(id string) crateEntity { return crateEntity{"@id": id} }

type crate struct{ graph []crateEntity }

func (c *crate) add(id, kind, name string, properties crateEntity) crateEntity {
	entity := crateEntity{"@id": id, "@type": kind, "name": name}
	maps.Copy(entity, properties)
	c.graph = append(c.graph, entity)
	return reference(id)
}

// CrateOptions are what a folder does not know of itself.
type CrateOptions struct {
	License string // an identifier of SPDX or a URL; "" for none
	Authors []string
}

// WriteCrate writes an RO-Crate 1.1 of the profile Process Run Crate 0.5 for dir, whose run has
// ended. The run is an action from the start of the first cell to the end of the last; the grid and
// the data sets, with digests, are its inputs, the tables its outputs. Paths and names of machines
// are left out. Equal folders give equal bytes.
//
// Source: researchobject.org/ro-crate/specification/1.1, researchobject.org/workflow-run-crate.
func WriteCrate(ctx context.Context, dir string, options CrateOptions) error {
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	contents, err := Look(dir)
	if err != nil {
		return err
	}
	if !contents.Ended {
		return fmt.Errorf("the run of %s has not ended; wait for its end, or collect it into a folder first", dir)
	}
	start, end, err := crateTimes(ctx, dir)
	if err != nil {
		return err
	}
	c := &crate{graph: []crateEntity{{
		"@id": CrateName, "@type": "CreativeWork", "conformsTo": reference(crateVersion), "about": reference("./"),
	}}}
	profile := c.add(crateProfile, "CreativeWork", "Process Run Crate", crateEntity{"version": path.Base(crateProfile)})
	requirements, err := c.addSoftware(ctx, dir)
	if err != nil {
		return err
	}
	about := crateEntity{"url": crateTool, "softwareVersion": m.Versions["agepath"]}
	if requirements != nil {
		about["softwareRequirements"] = requirements
	}
	tool := c.add(crateTool, "SoftwareApplication", "agepath", about)
	parts, tables, err := c.addFiles(ctx, dir, contents)
	if err != nil {
		return err
	}
	text := EndedText(m.Counts, m.Cells)
	run := crateEntity{
		"instrument": tool, "object": c.addInputs(m), "result": tables,
		"startTime": start.Format(time.RFC3339Nano), "endTime": end.Format(time.RFC3339Nano), "actionStatus": "http://schema.org/CompletedActionStatus",
	}
	if int64(experiment.CountAll(m.Counts)) < m.Cells {
		run["actionStatus"], run["error"] = "http://schema.org/FailedActionStatus", text
	}
	action := c.add("#run", "CreateAction", "Run "+m.Run, run)
	root := crateEntity{
		"description":   fmt.Sprintf("Tables of the experiment %s of the kind %s, computed by agepath: %s.", m.Run, m.Kind, text),
		"datePublished": end.Format(time.DateOnly), "conformsTo": profile, "hasPart": parts, "mentions": action,
	}
	if id := options.License; id != "" {
		if !strings.Contains(id, "://") {
			id = "https://spdx.org/licenses/" + id
		}
		root["license"] = c.add(id, "CreativeWork", path.Base(id), nil)
	}
	var authors []crateEntity
	for _, name := range options.Authors {
		authors = append(authors, c.add("#author-"+url.PathEscape(name), "Person", name, nil))
	}
	if authors != nil {
		root["author"] = authors
	}
	c.add("./", "Dataset", "Results of the grid "+m.Name, root)
	return writeJSON(disk.OS{}, filepath.Join(dir, CrateName), crateEntity{"@context": []string{crateVersion + "/context", crateTerms}, "@graph": c.graph})
}

// EndedText says how many of the cells have ended, and how.
func EndedText(counts map[experiment.Status]int, cells int64) string {
	var parts []string
	for _, status := range experiment.Statuses {
		if n := counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	text := fmt.Sprintf("%d of %d cells have ended", experiment.CountAll(counts), cells)
	if parts != nil {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

var times = []experiment.Column{{Name: "started_at", Type: experiment.Time}, {Name: "finished_at", Type: experiment.Time}}

func crateTimes(ctx context.Context, dir string) (start, end time.Time, err error) {
	err = EachFrame(ctx, filepath.Join(dir, CellsFile), times, func(f *Frame) error {
		for row := range f.Rows() {
			from, _ := f.At(0, row).(time.Time)
			to, _ := f.At(1, row).(time.Time)
			if !from.IsZero() && (start.IsZero() || from.Before(start)) {
				start = from.UTC()
			}
			if to.After(end) {
				end = to.UTC()
			}
		}
		return nil
	})
	if err == nil && end.IsZero() {
		err = fmt.Errorf("%s has no cell that has ended", dir)
	}
	return start, end, err
}

// addSoftware adds what the commands reported that the run called.
func (c *crate) addSoftware(ctx context.Context, dir string) (list []crateEntity, err error) {
	all, err := Software(ctx, dir)
	for _, of := range all {
		description := "Software of the method " + of.Method + ", as the method reports it: " + of.Text
		list = append(list, c.add("#software-"+url.PathEscape(of.Method+"-"+of.Text), "SoftwareApplication", of.Method, crateEntity{"description": description, "softwareVersion": of.Text}))
	}
	return list, err
}

// MethodSoftware is what a command reported of its interpreter and libraries.
type MethodSoftware struct{ Method, Text string }

// Software lists what the commands of a folder reported, by method.
func Software(ctx context.Context, dir string) (list []MethodSoftware, err error) {
	columns := []experiment.Column{{Name: "cell", Type: experiment.Text}, {Name: "method", Type: experiment.Text}, {Name: "software", Type: experiment.Text, Since: 13}}
	_, err = EachNewest(ctx, dir, "cells", columns, func(f *Frame) error {
		for row := range f.Rows() {
			method, _ := f.At(1, row).(string)
			text, _ := f.At(2, row).(string)
			if of := (MethodSoftware{method, text}); text != "" && !slices.Contains(list, of) {
				list = append(list, of)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b MethodSoftware) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Text, b.Text))
	})
	return list, err
}

func (c *crate) addInputs(m *Manifest) (list []crateEntity) {
	list = append(list, c.add("#grid", "PropertyValue", "grid", crateEntity{"value": m.Grid, "description": "The grid file, YAML"}))
	if len(m.Set) > 0 {
		list = append(list, c.add("#set", "PropertyValue", "set", crateEntity{"value": m.Set, "description": "Values that replace those of the grid file"}))
	}
	for _, of := range []struct {
		what    string
		digests map[string]string
	}{{"data set", m.Data}, {"file of a method", m.Files}} {
		for _, name := range slices.Sorted(maps.Keys(of.digests)) {
			id := "#" + strings.ReplaceAll(of.what, " ", "-") + "-" + url.PathEscape(name)
			list = append(list, c.add(id, "CreativeWork", name, crateEntity{"description": "The " + of.what + " " + name, "identifier": "sha256:" + of.digests[name]}))
		}
	}
	return list
}

func (c *crate) addFiles(ctx context.Context, dir string, contents *Contents) (parts, tables []crateEntity, err error) {
	add := func(name string) (crateEntity, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		digest, err := disk.Digest(file)
		if err != nil {
			return nil, err
		}
		properties := crateEntity{"contentSize": strconv.FormatInt(info.Size(), 10), "sha256": digest}
		if encoding := encodings[path.Ext(name)]; encoding != "" {
			properties["encodingFormat"] = encoding
		}
		part := c.add((&url.URL{Path: name}).EscapedPath(), "File", name, properties)
		parts = append(parts, part)
		return part, nil
	}
	for _, table := range contents.Tables {
		part, err := add(finalName(table))
		if err != nil {
			return nil, nil, err
		}
		tables = append(tables, part)
	}
	if _, err := add(ManifestName); err != nil {
		return nil, nil, err
	}
	for _, folder := range []string{ReportFolder, FilesFolder} {
		err = errors.Join(err, fs.WalkDir(os.DirFS(dir), folder, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && !strings.HasPrefix(path.Base(name), ".") {
				_, err = add(name)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // no such folder
			}
			return err
		}))
	}
	return parts, tables, err
}
