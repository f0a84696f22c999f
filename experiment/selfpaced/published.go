package selfpaced

import (
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/results/layout"
)

// BesidePublished describes in sentences how the cells differ from the published ones, and lists
// the dimensions in which published rows may differ.
func (s *Section) BesidePublished() (words []string, otherwise []layout.Dimension) {
	if slices.ContainsFunc(s.Sweeps, func(s Sweep) bool { return s.Settings.Protocol == dataset.HeldOut }) {
		words = append(words, "This run does not follow the paper's protocol (protocol: paper in the grid), so that differences are to be expected.")
	}
	if some, _ := s.scripted(); some { // the scripts' machines have their own kernel, whatever the paper states
		otherwise = []layout.Dimension{DimKernel, DimKernelGamma}
		words = append(words, "This run follows the published scripts (protocol: scripts in the grid): published rows are shown next to it whatever they state of "+
			"kernel and kernel_gamma, and errors of regression are mean absolute ones.")
	}
	return words, otherwise
}
