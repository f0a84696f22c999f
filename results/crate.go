package results

import (
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

// WriteCrate writes an RO-Crate 1.1 of the profile Process Run Crate 0.5 for dir, whose run has
// ended. The run is an action from the start of the first cell to the end of the last; the grid and
// the data sets, with digests, are its inputs, the tables its outputs. Paths and names of machines
// are left out. Equal folders give equal bytes.
//
// Source: researchobject.org/ro-crate/specification/1.1, researchobject.org/workflow-run-crate.
func WriteCrate(ctx context.Context, dir string) error {
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
	tool := c.add(crateTool, "SoftwareApplication", "agepath", crateEntity{"url": crateTool, "softwareVersion": m.Versions["agepath"]})
	parts, tables, err := c.addFiles(ctx, dir, contents)
	if err != nil {
		return err
	}
	ended, text := m.ended()
	run := crateEntity{
		"instrument": tool, "object": c.addInputs(m), "result": tables,
		"startTime": start.Format(time.RFC3339Nano), "endTime": end.Format(time.RFC3339Nano), "actionStatus": "http://schema.org/CompletedActionStatus",
	}
	if ended < m.Cells {
		run["actionStatus"], run["error"] = "http://schema.org/FailedActionStatus", text
	}
	action := c.add("#run", "CreateAction", "Run "+m.Run, run)
	c.add("./", "Dataset", "Results of the grid "+m.Name, crateEntity{
		"description":   fmt.Sprintf("Tables of the experiment %s of the kind %s, computed by agepath: %s.", m.Run, m.Kind, text),
		"datePublished": end.Format(time.DateOnly), "conformsTo": profile, "hasPart": parts, "mentions": action,
	})
	return writeJSON(disk.OS{}, filepath.Join(dir, CrateName), crateEntity{"@context": []string{crateVersion + "/context", crateTerms}, "@graph": c.graph})
}

func (m *Manifest) ended() (cells int64, text string) {
	var parts []string
	for _, status := range experiment.Statuses {
		if n := m.Counts[status]; n > 0 {
			cells += int64(n)
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return cells, fmt.Sprintf("%d of %d cells have ended (%s)", cells, m.Cells, strings.Join(parts, ", "))
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
	err = fs.WalkDir(os.DirFS(dir), ReportFolder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && !strings.HasPrefix(path.Base(name), ".") {
			_, err = add(name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no report
		}
		return err
	})
	return parts, tables, err
}
