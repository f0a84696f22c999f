package selfpaced

import (
	"context"

	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

// infos returns the declarations of a sweep's methods. Files of commands are read. A
// method whose files cannot be is nil, after a problem.
func (p *planner) infos(ctx context.Context, s *Sweep) []*methodInfo {
	list := make([]*methodInfo, len(s.Methods))
	for i := range s.Methods {
		m := &s.Methods[i]
		if m.program == nil {
			list[i] = gridfile.Lookup(methodTable, m.Name)
			continue
		}
		program := *m.program
		program.Files = make([]outside.File, len(m.program.Files))
		var err error
		for k, file := range m.program.Files {
			program.Files[k].Name = file.Name
			if program.Files[k].Digest, err = p.File(ctx, file.Name, nil); err != nil {
				p.Problem(m.Place, "the file %s of the command %s: %v", file.Name, m.Name, err)
				break
			}
		}
		if err == nil {
			if list[i], err = commandInfo(m.Name, &program); err != nil {
				p.Problem(m.Place, "%v", err)
			}
		}
	}
	return list
}
