package published

import "slices"

// note is a peculiarity of one or more rows of a table.
type note struct {
	table int
	rows  func(*Row) bool
	text  string
}

func atNoise(levels ...float64) func(*Row) bool {
	return func(r *Row) bool {
		return slices.Contains(levels, r.Noise)
	}
}

func atC(c float64) func(*Row) bool { return func(r *Row) bool { return r.C == c } }

func ofDataset(name string) func(*Row) bool { return func(r *Row) bool { return r.Dataset == name } }

// notes come from comparing the rows of all tables; a test checks each.
var notes = []note{
	{14, atNoise(0.6, 0.7, 0.8), "the row repeats Table 13's for ailerons, another data set"},
	{13, atNoise(0.3), "the row is that of α = 0.003 in Table 9, which has other numbers for this row's α = 0.006"},
	{13, atNoise(0.4, 0.6), "the row is that of α = 0.004 and noise 0.3 in Table 9"},
	{13, atNoise(0.5), "the row is that of α = 0.006 and noise 0.3 in Table 9"},
	{13, atNoise(0.7), "the row is that of α = 0.007 and noise 0.3 in Table 9"},
	{13, atNoise(0.8), "the row is that of α = 0.008 to 0.015 and noise 0.3 in Table 9"},
	{5, ofDataset("mfeat-pixel"), "ACS, MOSPL and GAGA have the means of the support vector machine in Tables 11 (C = 0.3) and 15 (noise 0.3)"},
	{5, ofDataset("pendigits"), "ACS, MOSPL and GAGA have the numbers of the support vector machine at C = 1 and noise 0.3 in Tables 12 and 16"},
	{12, atC(1), likeLogistic},
	{16, atNoise(0.3), likeLogistic},
	{2, ofDataset("houses"), "the standard deviations 0.231 and 0.146 are more than ten times those of the row's other methods"},
	{3, ofDataset("cadata"), sameData},
	{3, ofDataset("houses"), sameData},
	{11, atC(0.3), "MOSPL's standard deviation 0.281 is larger than any 20 accuracies of this mean can have; Table 5 has the same row for logistic regression at C = 0.5, with 0.0281"},
	{12, atC(1.1), "GAGA's standard deviation 0.554 is larger than any 20 accuracies of this mean can have"},
	{15, atNoise(0.3), "MOSPL's standard deviation 0.281 is larger than any 20 accuracies of this mean can have; the row is that of C = 0.3 in Table 11, while Table 11 has other numbers for this row's C = 1"},
}

const likeLogistic = "Table 5 has the same numbers for logistic regression at C = 0.5 and noise 0.2"

const sameData = "cadata and houses are two names of one data set, yet at the same α and noise the plain fit has 0.798 for one and 0.213 for the other"

func addNotes(tables []*Table) {
	for _, n := range notes {
		for _, t := range tables {
			for i := range t.Rows {
				if t.Number == n.table && n.rows(&t.Rows[i]) {
					t.Rows[i].Notes = append(t.Rows[i].Notes, n.text)
				}
			}
		}
	}
}
