package tolerance

// Checks of the audit, wider than the engine's, to raise no false alarm.
const (
	AuditRounding  = 1e3 * Unit // of a predictor, relative to its terms
	AuditDirection = 1e-6       // of an event function's rate: rates are less exact than points
	AuditUnknowns  = 60         // for which eigenvalues are computed
	AuditSteepest  = 1e6        // of a kernel's diagonal: other eigenvalues keep their digits
)
