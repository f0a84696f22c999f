package tolerance

// Of the audit's checks. They are wider than what the engine works to, so that an alarm
// is a mistake of the engine and not rounding.
const (
	// AuditZone is how far a loss may lie outside its zone, relative to the loss and the
	// threshold, and a multiplier or a coefficient outside its bounds.
	AuditZone = KKT
	// AuditRounding is the rounding of a predictor relative to its terms that the checks
	// allow for.
	AuditRounding = 1e3 * Unit
	// AuditEigen is the negative eigenvalue, relative to the positive terms, that still
	// counts as zero.
	AuditEigen = KKT
	// AuditDirection is the rate at which an event function may turn back behind a turning
	// point, relative to its terms: rates have lost more to conditioning than points.
	AuditDirection = 1e-6
	// AuditUnknowns is the number of unknowns up to which eigenvalues are computed.
	AuditUnknowns = 60
	// AuditSteepest bounds the diagonal of a kernel's system where a weight hardly changes
	// with the loss, so that the other eigenvalues keep their digits.
	AuditSteepest = 1e6
)
