package tolerance

// The branch.
const (
	// StepShortest is the shortest step, relative to the age, that still counts as
	// progress along a segment: shorter ones drown in the rounding of θ.
	StepShortest = Loose
	// StepLongest is the longest step relative to the age: event functions depend on the
	// age also where θ stands still, and their interpolants must be good.
	StepLongest = 0.5
	// StepBefore is the part of the way to a predicted crossing that a step goes where it
	// could not be located: the branch may well end before.
	StepBefore = 0.5
	// StepCut is the part of a step that is kept at least where the event functions are
	// too curved for their interpolants.
	StepCut = 0.25
	// StepSlow is by how many iterations a correction may exceed an easy one before the
	// next step is halved.
	StepSlow = 2
	// Locations is the number of earlier and earlier crossings that a step may find.
	Locations = 100
	// SameCrossing is the part of a step beyond which a crossing is the one at its end.
	SameCrossing = 1 - KKT
	// Standstill is the relative growth of the age below which it counts as standing still.
	Standstill = KKT
	// StepPatience is the number of steps without progress, beyond two for each sample and
	// eight for each coordinate: more than a tie of all these accounts for.
	StepPatience = 128

	// Near is how far, relative to the way along the tangent, a correction may lead from
	// the prediction: farther, it may have left the branch.
	Near = 0.3
	// NearObjective and NearSize are how far it may lead in any case, relative to the size
	// of the objective and of θ: where the branch stands still there is only rounding.
	NearObjective = 1e-7
	NearSize      = 1e-8
	// SamePoint is how far, relative to the size of the objective, a correction behind a
	// change of the partition may lead.
	SamePoint = 1e-10

	// RateNoise is the rate, relative to the terms over the age, up to which the rate of an
	// event function at zero is rounding: tied coordinates, say, keep their gradients at the
	// L1 weight while one of them moves.
	RateNoise = 0.1 * Roundoff
	// Instant is how soon, relative to the age, an event function within roundoff of zero
	// reaches it where it counts as there.
	Instant = 1e-13
	// ScreenGuard is how many times the roundoff of an event function a sample must be away
	// from the ends of its zone not to be looked at.
	ScreenGuard = 10
	// CollinearSchur is the Schur complement of a coordinate, relative to its terms, up to
	// which it may be a combination of the active ones.
	CollinearSchur = 0.1 * KKT
)
