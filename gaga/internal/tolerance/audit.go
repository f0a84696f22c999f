package tolerance

// Of the audit's checks. They are wider than what the engine works to, so that an alarm
// is a mistake of the engine and not rounding.
const (
	AuditZone      = KKT        // of a loss outside its zone, or a multiplier or a coefficient outside its bounds
	AuditRounding  = 1e3 * Unit // rounding of a predictor, relative to its terms
	AuditEigen     = KKT        // negative eigenvalue, relative to the positive terms, that counts as zero
	AuditDirection = 1e-6       // rate of an event function that turns back: rates have lost more than points
	AuditUnknowns  = 60         // unknowns up to which eigenvalues are computed
	AuditSteepest  = 1e6        // bound of a kernel's diagonal: other eigenvalues keep their digits
)
