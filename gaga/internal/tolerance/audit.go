package tolerance

// Of the audit's checks. They are wider than the engine's, so that an alarm is an error of the
// engine and not rounding. A change alters no result.
const (
	AuditRounding  = 1e3 * Unit // rounding of a predictor, relative to its terms
	AuditDirection = 1e-6       // rate of an event function that turns back: rates are less exact than points
	AuditUnknowns  = 60         // largest number of unknowns for which eigenvalues are computed
	AuditSteepest  = 1e6        // bound of a kernel's diagonal: other eigenvalues keep their digits
)
