package tolerance

// Of the audit's checks. They are wider than what the engine works to, so that an alarm
// is a mistake of the engine and not rounding. A change alters no result.
const (
	AuditRounding  = 1e3 * Unit // rounding of a predictor, relative to its terms
	AuditDirection = 1e-6       // rate of an event function that turns back: rates have lost more than points
	AuditUnknowns  = 60         // unknowns up to which eigenvalues are computed
	AuditSteepest  = 1e6        // bound of a kernel's diagonal: other eigenvalues keep their digits
)
