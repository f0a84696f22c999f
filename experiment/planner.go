package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

// Loader loads data sets; [dataset.Library] is one.
type Loader interface {
	Load(ctx context.Context, source dataset.Source) (*dataset.Dataset, error)
}

// Placer is a [Loader] that knows the absolute paths of files, "" if there is none.
type Placer interface {
	Place(source dataset.Source) (string, error)
}

// FolderLoader is a [Loader] that searches folders for data sets.
type FolderLoader interface {
	Loader
	Folders() []string
}

// FileLoader is a [Loader] that provides the files of a grid's cells. Those for which File returns
// nil, and those of other loaders, are read from the grid's folder.
type FileLoader interface {
	Loader
	File(ctx context.Context, name string) (io.ReadCloser, error)
}

// Planner collects a section's data sets, files and problems.
type Planner struct {
	Grid    *Grid
	Library Loader

	plan     *Plan
	problems gridfile.Problems
}

func (p *Planner) Problem(at gridfile.Place, format string, args ...any) {
	p.problems.Add(at.Problem(format, args...))
}

// Data adds a data set; source is nil if the library does not load it. A grid's names and data sets
// must correspond one to one.
func (p *Planner) Data(at gridfile.Place, data *PlannedData, source *dataset.Source) {
	for _, other := range p.plan.Data {
		switch sameName, same := other.Name == data.Name, other.Digest == data.Digest; {
		case sameName && same:
			return
		case sameName:
			p.Problem(at, "another data set of the grid has the name %s too; give one of them another name", data.Name)
		case same:
			p.Problem(at, "%s holds the same numbers as %s; use one name for both", data.Name, other.Name)
		}
	}
	p.plan.Data = append(p.plan.Data, data)
	if source != nil {
		p.plan.sources[data.Digest] = *source
	}
}

// Absent adds a data set of the catalog that is not on this machine.
func (p *Planner) Absent(source dataset.Source) {
	name := source.DatasetName()
	if slices.ContainsFunc(p.plan.Absent, func(other *PlannedData) bool { return other.Name == name }) {
		return
	}
	entry, _ := dataset.Lookup(source.Name)
	p.plan.Absent = append(p.plan.Absent, &PlannedData{Name: name, Task: entry.Task, N: entry.Rows, D: entry.Features})
}

func (p *Planner) Command(method string) {
	if !slices.Contains(p.plan.commands, method) {
		p.plan.commands = append(p.plan.commands, method)
	}
}

// File adds a file of the cells and returns its digest. The content comes from a [FileLoader], else
// from read, or from the grid's folder if read is nil.
func (p *Planner) File(ctx context.Context, name string, read func(ctx context.Context) ([]byte, error)) (digest string, err error) {
	if digest := p.plan.Files[name]; digest != "" {
		return digest, nil
	}
	if read != nil {
		p.plan.reads[name] = read
	}
	content, err := p.plan.readFile(ctx, name)
	if err != nil {
		return "", err
	}
	digest = outside.Digest(content)
	if p.plan.Files == nil {
		p.plan.Files = map[string]string{}
	}
	p.plan.Files[name] = digest
	return digest, nil
}

func (p *Planner) Content(ctx context.Context, digest string) ([]byte, error) {
	return p.plan.File(ctx, digest)
}

// Folders lists where to search first for data sets that are not tables of numbers.
func (p *Planner) Folders() []string {
	if l, ok := p.Library.(FolderLoader); ok {
		return l.Folders()
	}
	return nil
}

func (p *Plan) readFile(ctx context.Context, name string) ([]byte, error) {
	var body io.ReadCloser
	var err error
	if files, ok := p.Library.(FileLoader); ok {
		body, err = files.File(ctx, name)
	}
	if read := p.reads[name]; body == nil && err == nil && read != nil {
		return read(ctx)
	}
	if body == nil && err == nil {
		body, err = openBelow(p.folder, filepath.FromSlash(name))
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	content, err := io.ReadAll(io.LimitReader(body, outside.MaxFileSize+1))
	if err == nil && len(content) > outside.MaxFileSize {
		err = fmt.Errorf("more than %d MiB, which is the most allowed", outside.MaxFileSize>>20)
	}
	return content, err
}

// openBelow opens a regular file below a folder. Its content is sent to workers: a link in a
// stranger's grid could lead to a secret of this user. Folders on the way may be links that stay
// below.
func openBelow(folder, name string) (io.ReadCloser, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file (%v); replace a link with a copy of its target", name, info.Mode().Type())
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(fmt.Errorf("%s was replaced while it was opened", name), err, file.Close())
	}
	return file, nil
}

func (p *Plan) File(ctx context.Context, digest string) ([]byte, error) {
	for name, has := range p.Files {
		if has != digest {
			continue
		}
		content, err := p.readFile(ctx, name)
		if err == nil && outside.Digest(content) != digest {
			err = fmt.Errorf("the file %s is no longer the one that was planned with", name)
		}
		return content, err
	}
	return nil, fmt.Errorf("the grid %s has no file with the digest %s", p.Grid, digest)
}
