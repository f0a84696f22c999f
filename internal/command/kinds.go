package command

import (
	"fmt"

	"github.com/agepath/agepath/experiment"
)

// Kinds lists the kinds of experiments that the programs compute.
func Kinds() []experiment.Kind { return []experiment.Kind{experiment.SelfPacedKind{}} }

// KindNamed returns the kind of experiment of a grid or of a folder of results.
func KindNamed(name string) (experiment.Kind, error) {
	for _, kind := range Kinds() {
		if kind.Name() == name {
			return kind, nil
		}
	}
	return nil, fmt.Errorf("this program does not know the kind of experiment %q", name)
}
