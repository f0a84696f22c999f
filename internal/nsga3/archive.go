package nsga3

import "slices"

// Archive keeps the nondominated points of all points added. The volume that its points dominate
// below any reference point therefore never decreases. Its size is unbounded.
type Archive struct {
	members []Member
}

// Member is a point of an archive.
type Member struct {
	F   []float64 // objectives
	Tag int       // the caller's identifier
}

// Add adds a point, whose objectives it copies, and reports whether it is now a member. Points that
// a member dominates or equals are refused; members that the point dominates leave.
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

// Members returns the members in order of addition. The archive owns the slice and changes it in
// the next Add.
func (a *Archive) Members() []Member { return a.members }
