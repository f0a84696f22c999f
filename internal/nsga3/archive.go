package nsga3

import "slices"

// Archive keeps the nondominated points of all points added, in unbounded number: the volume that
// they dominate never decreases.
type Archive struct {
	members []Member
}

// Member is a point of an archive.
type Member struct {
	F   []float64
	Tag int // the caller's identifier
}

// Add copies the objectives and reports whether the point is now a member: no member dominates or
// equals it. Members that it dominates leave.
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

// Members are in order of addition, valid until the next Add.
func (a *Archive) Members() []Member { return a.members }
