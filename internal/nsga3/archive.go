package nsga3

import "slices"

// Archive keeps the best points that it was ever shown: all of those that none
// of the others dominates. The volume that its points dominate below any
// reference point therefore never decreases. It has no bound.
type Archive struct {
	members []Member
}

// Member is a point of an archive.
type Member struct {
	F   []float64 // objectives
	Tag int       // what the caller knows it by
}

// Add shows a point to the archive, which copies the objectives, and reports
// whether it is now a member. One that a member dominates or equals is not;
// members that it dominates leave.
func (a *Archive) Add(f []float64, tag int) bool {
	for _, member := range a.members {
		if slices.Equal(member.F, f) || dominates(member.F, f) {
			return false
		}
	}
	a.members = slices.DeleteFunc(a.members, func(member Member) bool { return dominates(f, member.F) })
	a.members = append(a.members, Member{slices.Clone(f), tag})
	return true
}

// Members returns the members in the order in which they came; the slice is the
// archive's own and changes with the next Add.
func (a *Archive) Members() []Member { return a.members }
