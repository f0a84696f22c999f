package tolerance

// Checks of the audit, wider than the engine's: an alarm is an error of the engine and not
// rounding. A change alters no result.
const (
	AuditRounding  = 1e3 * Unit // of a predictor, relative to its terms
	AuditDirection = 1e-6       // rate of an event function that turns back: rates are less exact than points
	AuditUnknowns  = 60         // unknowns for which eigenvalues are computed
	AuditSteepest  = 1e6        // bound of a kernel's diagonal: other eigenvalues keep their digits
)
