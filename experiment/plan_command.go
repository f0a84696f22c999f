package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agepath/agepath/experiment/outside"
)

// FileLoader is a [Loader] that has the files of a grid's commands. Those of others
// are in the grid's folder.
type FileLoader interface {
	Loader
	// File opens a file by its name in the grid.
	File(ctx context.Context, name string) (io.ReadCloser, error)
}

// infos returns the declarations of a sweep's methods. Files of commands are read. A
// method whose files cannot be is nil, after a problem.
func (p *planner) infos(ctx context.Context, s *Sweep) []*methodInfo {
	list := make([]*methodInfo, len(s.Methods))
	for i := range s.Methods {
		m := &s.Methods[i]
		if m.program == nil {
			list[i] = lookup(methodTable, m.Name)
			continue
		}
		program := *m.program
		program.Files = make([]outside.File, len(m.program.Files))
		var err error
		for k, file := range m.program.Files {
			if program.Files[k], err = p.file(ctx, file.Name); err != nil {
				p.problems.add(m.place.problem("the file %s of the command %s: %v", file.Name, m.Name, err))
				break
			}
		}
		if err == nil {
			if list[i], err = commandInfo(m.Name, &program); err != nil {
				p.problems.add(m.place.problem("%v", err))
			}
		}
	}
	return list
}

// file reads a file of a command once and returns its digest.
func (p *planner) file(ctx context.Context, name string) (outside.File, error) {
	if digest := p.plan.Files[name]; digest != "" {
		return outside.File{Name: name, Digest: digest}, nil
	}
	content, err := p.plan.readFile(ctx, name)
	if err != nil {
		return outside.File{}, err
	}
	digest := outside.Digest(content)
	if p.plan.Files == nil {
		p.plan.Files = map[string]string{}
	}
	p.plan.Files[name] = digest
	return outside.File{Name: name, Digest: digest}, nil
}

// readFile reads a file of a command.
func (p *Plan) readFile(ctx context.Context, name string) ([]byte, error) {
	var body io.ReadCloser
	var err error
	if files, ok := p.library.(FileLoader); ok {
		body, err = files.File(ctx, name)
	} else {
		body, err = os.Open(filepath.Join(p.folder, filepath.FromSlash(name)))
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

// File reads a file of a command by its digest.
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

// Commands lists the methods of the plan that are commands.
func (p *Plan) Commands() []string {
	var names []string
	seen := map[string]bool{}
	for _, g := range p.groups {
		if g.method.command != "" && !seen[g.method.name] {
			seen[g.method.name] = true
			names = append(names, g.method.name)
		}
	}
	return names
}
