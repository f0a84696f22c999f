package selfpaced

import (
	"context"

	"github.com/agepath/agepath/experiment/gridfile"
)

// infos reads the files of command methods. It returns nil for a method after a problem.
func (p *planner) infos(ctx context.Context, s *Sweep) []*methodInfo {
	list := make([]*methodInfo, len(s.Methods))
	for i := range s.Methods {
		m := &s.Methods[i]
		if m.program == nil {
			list[i] = gridfile.Lookup(methodTable, m.Name)
			continue
		}
		program, ok := p.Program(ctx, m.Place, m.Name, m.program, nil)
		if !ok {
			continue
		}
		var err error
		if list[i], err = commandInfo(m.Name, program); err != nil {
			p.Problem(m.Place, "%v", err)
		}
	}
	return list
}
