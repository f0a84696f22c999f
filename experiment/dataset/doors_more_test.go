package dataset_test

import (
	"fmt"
	"strings"
)

func word(words ...string) func(i int) any { return func(i int) any { return words[i%len(words)] } }

// late is a column with another text in its last row.
func late(n int, text string, column func(int) any) func(int) any {
	return func(i int) any {
		if i == n-1 {
			return text
		}
		return column(i)
	}
}

// moreDoors are of the kinds of doors, in other forms, sizes, places and orders.
func moreDoors() map[string]door {
	plain := rows(24, "%v,%v,%v", fraction, another, fraction)
	wide := func(cell func(j int) any) string {
		var fields []string
		for j := range 300 {
			fields = append(fields, fmt.Sprint(cell(j)))
		}
		return strings.Join(fields, ",") + "\n"
	}
	names := wide(func(j int) any { return fmt.Sprintf("n%d", j) })
	return map[string]door{
		// Marks of thousands and decimals.
		"thousands with decimals":     {"m.csv", "a,price,y\n" + rows(40, `%v,"%v.50",%v`, fraction, thousand, another), "", []string{`thousands: ","`}, 40, "a price", []float64{0.0625, 1000.5, -3.125}},
		"a late million":              {"m.csv", "pop,y\n" + rows(400, "%v,%v", late(400, `"1,234,567"`, fraction), another), "", []string{`text "1,234,567" in a number column; thousands: ","`}, 400, "pop", nil},
		"thousands below zero":        {"m.csv", "y;pop\n" + rows(12, "%v;-%v.25", another, thousand), "target: y", []string{`thousands: ","`}, 12, "pop", []float64{-1000.25, -3.125}},
		"thousands in three columns":  {"m.csv", "a,b,y\n" + rows(12, "%q,%q,%q", thousand, thousand, thousand), "", []string{`line 2, column 2 (y): text "1,000" in a number column; thousands: ","`}, 12, "a b", []float64{1000, 1000, 1000}},
		"points of millions":          {"m.csv", "pop;y\n" + rows(12, "1.%03d.%03d;%v", func(i int) any { return i * 7 }, func(i int) any { return i * 11 }, german), "", []string{`decimal: ",", thousands: "."`}, 12, "pop", []float64{1000000, 0}},
		"blanks that do not break":    {"m.csv", "pop;y\n" + rows(12, "%v;%v", func(i int) any { return fmt.Sprintf("%d\u00a0%03d", 1+i, i*37%1000) }, another), "", []string{`thousands: " "`}, 12, "pop", []float64{1000, -3.125}},
		"curly apostrophes":           {"m.csv", "pop;y\n" + rows(12, "%v;%v", func(i int) any { return fmt.Sprintf("%d’%03d", 1+i, i*37%1000) }, another), "", []string{`thousands: "'"`}, 12, "pop", []float64{1000, -3.125}},
		"decimal commas between tabs": {"m.tsv", "y\ta\tb\n" + rows(12, "%v\t%v\t%v", german, german, german), "target: 0", []string{`decimal: ","`}, 12, "a b", []float64{0, 0, 0}},
		"dollars":                     {"m.csv", "a,cost,y\n" + rows(12, "%v,$%v,%v", fraction, fraction, another), "", []string{`write plain numbers; drop: 1`}, 12, "", nil},
		"a minus of typesetters":      {"m.csv", "a,b,y\n" + rows(12, "%v,%v,%v", fraction, mostly("−1.5", 3, fraction), another), "", nil, 12, "", nil},
		// Marks of missing values.
		"-9999 in the target":     {"m.csv", "y,a\n" + rows(40, "%v,%v", mostly("-9999.000", 8, another), fraction), "target: y, missing_marks: [-9999], missing: drop", nil, 35, "a", []float64{0.0625, -3.125}},
		"999 as 9.99e2":           {"m.txt", rows(20, "%v %v", mostly("9.99e2", 5, fraction), another), "missing_marks: [999], missing: drop", nil, 16, "x0", []float64{0.0625, -3.125}},
		"points of SAS":           {"m.csv", "a,b,y\n" + rows(30, "%v,%v,%v", mostly(".", 6, fraction), mostly(".", 7, another), another), "", []string{`missing_marks: ["."], missing: median`}, 30, "a b", []float64{0.0625, -3.125, -3.125}},
		"errors of a spreadsheet": {"m.csv", "a;b;y\n" + rows(30, "%v;%v;%v", mostly("#DIV/0!", 6, fraction), mostly("#N/A", 7, another), another), "", []string{`"#DIV/0!" in a number column`, `missing values`}, 30, "a b", nil},
		"below the limit":         {"m.csv", "a,b,y\n" + rows(200, "%v,%v,%v", mostly("<LOD", 9, fraction), another, another), "", []string{`missing_marks: ["<LOD"], missing: median`}, 200, "a b", nil},
		"a late mark":             {"m.csv", "a,b,y\n" + rows(500, "%v,%v,%v", fraction, late(500, "n.a.", another), another), "", []string{`line 501, column 1 (b): text "n.a." in a number column; missing_marks: ["n.a."]`}, 500, "a b", nil},
		"null in the target":      {"m.tsv", "a\ty\n" + rows(30, "%v\t%v", fraction, mostly(`\N`, 6, another)), "missing: drop", nil, 25, "a", nil},
		"gaps in a text column":   {"m.csv", "k,a,y\n" + rows(30, "%v,%v,%v", mostly("", 5, colour), fraction, another), "", []string{`encode: onehot`, `6 missing values`}, 30, "", nil},
		"an empty column":         {"m.csv", "a,b,y\n" + rows(30, "%v,,%v", fraction, another), "", []string{`every value is missing; drop: 1`}, 30, "a", nil},
		"infinite in the target":  {"m.csv", "y,a\n" + rows(30, "%v,%v", mostly("Infinity", 6, another), fraction), "target: y", []string{`missing_marks: ["Infinity"], missing: drop`}, 25, "a", nil},
		"a number beyond all":     {"m.csv", "a,b,y\n" + rows(30, "%v,%v,%v", fraction, mostly("1e400", 6, another), another), "", []string{`"1e400" is infinite (5 values)`}, 30, "a", nil},
		// Labels.
		"nan as a label":               {"m.csv", "y,a\n" + rows(12, "%v,%v", word("nan", "roti"), fraction), "target: y", []string{`missing_marks: ["?"] makes a label of "nan"`}, 12, "a", nil},
		"NULL, first column":           {"m.csv", "y;a;b\n" + rows(12, "%v;%v;%v", word("one", "NULL"), fraction, another), "target: 0", []string{`missing_marks: ["?"] makes a label of "NULL"`}, 12, "a b", nil},
		"labels in quotes with blanks": {"m.csv", "a,y\n" + rows(12, `%v,%v`, fraction, word(`" yes"`, `"no"`, `"yes "`)), "", []string{`3 labels (" yes", "no", "yes ")`}, 12, "a", nil},
		"labels 0.0 and 1.0":           {"m.csv", "a,y\n" + rows(12, `%v,%v`, fraction, word("0.0", "1.0", "0", "1")), "", nil, 12, "a", []float64{0.0625, -1}},
		"labels of 18 digits":          {"m.tsv", "y\ta\n" + rows(12, "%v\t%v", word("900719925474099301", "900719925474099302"), fraction), "target: y, task: classification", nil, 12, "a", []float64{0.0625, -1}},
		"five labels":                  {"m.csv", "a,y\n" + rows(200, "%v,%v", fraction, word("e", "d", "c", "b", "a")), "", []string{`5 labels ("a", "b", "c", "d", "e")`}, 200, "a", nil},
		"TRUE and FALSE":               {"m.csv", "a,f,y\n" + rows(12, "%v,%v,%v", fraction, word("TRUE", "FALSE"), word("FALSE", "TRUE", "TRUE")), "", []string{`encode: onehot`}, 12, "", nil},
		// What is above a table.
		"sep of tabs":                {"m.txt", "sep=\t\na\tb\ty\n" + strings.ReplaceAll(plain, ",", "\t"), "", []string{"skip: 1"}, 24, "a b", []float64{0.0625, -3.125, 0.0625}},
		"six lines of an instrument": {"m.csv", "Instrument: X-200\nOperator: K. Lee\nDate: 2024-03-01\n\nChannel, Gain\n\na,b,c,y\n" + rows(24, "%v,%v,%v,%v", fraction, another, another, fraction), "", []string{"skip: 6"}, 24, "a b c", nil},
		"percent signs":              {"m.csv", "% exported\n% a b y\na,b,y\n" + plain, "", []string{"skip: 2"}, 24, "a b", nil},
		"sep= and a title":           {"m.csv", "sep=;\nResults of May\na;b;y\n" + strings.ReplaceAll(plain, ",", ";"), "", []string{"skip: 2"}, 24, "a b", nil},
		"a title in quotes":          {"m.csv", "\"Results, of\nMay\"\na,b,y\n" + plain, "", []string{"skip: 2"}, 24, "a b", nil},
		// Records, names, width.
		"a break in the first of five": {"m.csv", "\"a\n1\",b,\"c, d\",e,y\n" + rows(24, "%v,%v,%v,%v,%v", fraction, another, another, another, fraction), "", nil, 24, "a\n1 b c, d e", nil},
		"breaks in texts":              {"m.csv", "a,note,y\n" + rows(24, "%v,\"said\n%v\",%v", fraction, another, fraction), "", []string{`drop: 1`}, 24, "a", nil},
		"an index of pandas":           {"m.csv", ",a,y\n" + rows(24, "%v,%v,%v", func(i int) any { return i }, fraction, another), "", nil, 24, "a", nil},
		"text in column 250 of 300":    {"m.csv", names + strings.Repeat(wide(func(j int) any { return j * 3 % 7 })+wide(func(j int) any { return map[bool]any{true: "x", false: j}[j == 250] }), 6), "", []string{`line 3, column 250 (n250): text "x"`}, 12, "", nil},
		"dates":                        {"m.csv", "day,a,y\n" + rows(60, "2024-01-%02d,%v,%v", func(i int) any { return i%31 + 1 }, fraction, another), "", []string{`drop: 0`}, 60, "a", nil},
		"the target twice, first":      {"m.csv", "a,y,b,y\n" + rows(9, "%v,%v,%v,%v", fraction, another, another, fraction), "target: 1", []string{`column 3 is named y as the target, column 1, is; drop: 3`}, 9, "a b", []float64{0.0625, -3.125, -3.125}},
		"three columns to leave out":   {"m.csv", "id,empty,a,rate,y\n" + rows(60, "C-%v,,%v,%v,%v", func(i int) any { return i }, fraction, mostly("inf", 9, fraction), another), "", []string{`drop: 0`, "every value is missing", `"inf" is infinite`}, 60, "a", nil},
		// Numbers of other programs.
		"Fortran, last column": {"m.tsv", "a\ty\n" + rows(12, "%v\t%v", fraction, func(i int) any { return fmt.Sprintf("%d.25D+01", i) }), "", nil, 12, "a", []float64{0.0625, 2.5}},
		"hexadecimal":          {"m.csv", "a,k,y\n" + rows(12, "%v,0x%X,%v", fraction, func(i int) any { return 10 + i%3 }, another), "", []string{`text "0xA"`}, 12, "", nil},
		"blanks around":        {"m.csv", "a , b,y \n" + rows(12, " %v , %v,%v ", fraction, another, another), "", nil, 12, "a b", []float64{0.0625, -3.125, -3.125}},
	}
}
