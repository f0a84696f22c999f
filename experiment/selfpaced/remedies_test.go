package selfpaced

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
)

// edit is a change of a grid at a key: another name of the key, or another value, "" for neither.
type edit struct{ key, name, value string }

// apply edits a grid at the place of a key, whose last part the place itself may lack.
func (e edit) apply(t *testing.T, text string) string {
	t.Helper()
	var document, value yaml.Node
	if err := errors.Join(yaml.Unmarshal([]byte(text), &document), yaml.Unmarshal([]byte(e.value), &value)); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	node, key := document.Content[0], (*yaml.Node)(nil)
	if e.key != "" {
		for part := range strings.SplitSeq(e.key, ".") {
			if i, err := strconv.Atoi(part); err == nil && node.Kind == yaml.SequenceNode {
				node, key = node.Content[i], nil
				continue
			}
			next := -1
			for i := 0; i+1 < len(node.Content); i += 2 {
				if node.Content[i].Value == part {
					next = i
				}
			}
			if next < 0 {
				node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: part}, &yaml.Node{Kind: yaml.ScalarNode})
				next = len(node.Content) - 2
			}
			key, node = node.Content[next], node.Content[next+1]
		}
	}
	switch {
	case e.name != "" && key != nil:
		key.Value = e.name
	case e.name != "":
		node.Value = e.name
	default:
		*node = *value.Content[0]
	}
	edited, err := yaml.Marshal(document.Content[0])
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	return string(edited)
}

// advice are the forms in which problems name remedies, each with the edits that they mean.
var advice = []struct {
	form  *regexp.Regexp
	edits func(p *gridfile.Problem, match []string) []edit
}{
	{regexp.MustCompile(`did you mean (.*)\?$`), func(p *gridfile.Problem, m []string) (list []edit) {
		for word := range strings.SplitSeq(strings.ReplaceAll(m[1], " or ", ", "), ", ") {
			list = append(list, meant(p, word))
		}
		return list
	}},
	{regexp.MustCompile(`allowed are ((?:[a-z0-9_-]+, )*[a-z0-9_-]+)(?:$|;)`), func(p *gridfile.Problem, m []string) (list []edit) {
		for word := range strings.SplitSeq(m[1], ", ") {
			list = append(list, meant(p, word))
		}
		return list
	}},
	{regexp.MustCompile(`write (\S+)$`), func(p *gridfile.Problem, m []string) []edit { return values(p, m[1]) }},
	{regexp.MustCompile(`, as in (\{.*\})$`), func(p *gridfile.Problem, m []string) []edit { return values(p, m[1]) }},
	{regexp.MustCompile(`the key (\S+) is missing: .*, as in \S+: (.*)$`), func(p *gridfile.Problem, m []string) []edit { return below(p, m[1], m[2]) }},
	{regexp.MustCompile(`the key (\S+) is missing(?:: |, which .* needs: )(?:one of|a list of) ([a-z0-9, -]+?)(?:, or a list|, each with its parameters)?$`), func(p *gridfile.Problem, m []string) (list []edit) {
		for word := range strings.SplitSeq(m[2], ", ") {
			list = append(list, below(p, m[1], map[bool]string{true: "[" + word + "]", false: word}[strings.HasSuffix(m[1], "s")])...)
		}
		return list
	}},
	{regexp.MustCompile(`; a range is (\{.*\}) or (\{.*\})$`), func(p *gridfile.Problem, m []string) []edit {
		whole := *p
		whole.Key = regexp.MustCompile(`(alpha|rows)\..*$`).ReplaceAllString(p.Key, "$1")
		return values(&whole, m[1:]...)
	}},
	{regexp.MustCompile(`a whole number from (\d+) to (\d+) is`), func(p *gridfile.Problem, m []string) []edit { return values(p, m[1:]...) }},
	{regexp.MustCompile(`true and false are`), func(p *gridfile.Problem, _ []string) []edit { return values(p, "true", "false") }},
	{regexp.MustCompile(`; [^;]* such as (.*) is$`), func(p *gridfile.Problem, m []string) []edit {
		return values(p, strings.Split(strings.ReplaceAll(m[1], " or ", ", "), ", ")...)
	}},
	{regexp.MustCompile(`; a (?:finite )?number (?:>= )?([\d.]*)`), func(p *gridfile.Problem, m []string) []edit {
		if m[1] != "" {
			return values(p, m[1])
		}
		return values(p, "0.5")
	}},
	{regexp.MustCompile(`; one of ([a-z0-9, -]+) is`), func(p *gridfile.Problem, m []string) []edit { return values(p, strings.Split(m[1], ", ")...) }},
	{regexp.MustCompile(`; a list is, as in (.*)$`), func(p *gridfile.Problem, _ []string) []edit { return values(p, "[r1]") }},
	{regexp.MustCompile(`the list is empty; at least one entry`), func(p *gridfile.Problem, _ []string) []edit {
		return values(p, map[string]string{"data": "[r1]", "methods": "[original]", "noise": "[{kind: statp, levels: 0.1}]", "sweeps": "[{data: [r1]}]"}[p.Key]+
			map[bool]string{true: "[1]"}[strings.HasSuffix(p.Key, "alpha")])
	}},
	{regexp.MustCompile(`; a text is`), func(p *gridfile.Problem, _ []string) []edit { return values(p, "text") }},
}

// meant is the edit of a key, or of a value, to a word that a problem names.
func meant(p *gridfile.Problem, word string) edit {
	if strings.HasPrefix(p.Text, "unknown key") {
		return edit{key: p.Key, name: word}
	}
	return edit{key: p.Key, value: word}
}

func values(p *gridfile.Problem, list ...string) (edits []edit) {
	for _, value := range list {
		edits = append(edits, edit{key: p.Key, value: value})
	}
	return edits
}

func below(p *gridfile.Problem, key, value string) []edit {
	return []edit{{key: strings.TrimPrefix(p.Key+"."+key, "."), value: value}}
}

// named are the edits that a problem names.
func named(p *gridfile.Problem) (list []edit) {
	for _, form := range advice {
		if match := form.form.FindStringSubmatch(p.Text); match != nil {
			list = append(list, form.edits(p, match)...)
		}
	}
	return list
}

// follow applies an edit that a problem names, and then the first edits that problems of the place name, which has to be enough.
// A key that takes another one's place may have a value that does not fit, and an allowed word be there already.
func follow(t *testing.T, name, text string, problem *gridfile.Problem, e edit) {
	t.Helper()
	for range 4 {
		text = e.apply(t, text)
		left := problemsOf(text)
		at := slices.IndexFunc(left, func(p *gridfile.Problem) bool {
			return p.Key == problem.Key || strings.HasPrefix(p.Key, problem.Key+".")
		})
		switch {
		case slices.ContainsFunc(left, func(p *gridfile.Problem) bool { return p.Key == problem.Key && p.Text == problem.Text }):
			t.Errorf("%s: %+v does not settle %v", name, e, problem)
			return
		case at < 0 || strings.Contains(left[at].Text, "given twice") || e.name != "" || e.key != problem.Key && problem.Key == "":
			return
		}
		next := named(left[at])
		if next == nil {
			t.Errorf("%s: %+v settles %v, and leaves %v", name, e, problem, left[at])
			return
		}
		e = next[0]
	}
	t.Errorf("%s: %v has no end of remedies", name, problem)
}

func problemsOf(text string) gridfile.Problems {
	_, err := experiment.Parse([]byte(text), "bad.yaml", nil)
	all, _ := errors.AsType[gridfile.Problems](err)
	return all
}

// mend is a remedy in words of a problem, with what takes the place of [badGrid.new].
type mend struct{ says, new string }

// mends are the remedies of bad grids that are in no form of [advice].
var mends = map[string][]mend{
	"key of another model":          {{"a number > 0, a list or a range", "alpha: 0.5"}, {"", "alpha: [0.5, 1]"}, {"", "alpha: {from: 1, to: 2, step: 0.5}"}},
	"alpha of ridge missing":        {{"a number > 0, a list or a range", "ridge: {intercept: true, alpha: 1}"}},
	"key twice":                     {{"", "repeats: 2"}},
	"no value":                      {{"leave the key out", "seed: 1"}},
	"seed too large":                {{"a whole number of 64 bits is", "seed: 9223372036854775807"}},
	"range step 0":                  {{"a step > 0 is", "{from: 1, to: 2, step: 1}"}, {"one < 0 where to is below from", "{from: 2, to: 1, step: -1}"}},
	"range wrong sign":              {{"its sign has to be that of to - from", "{from: 2, to: 1, step: -0.1}"}},
	"range too long":                {{"more than 100000 values", "{from: 1, to: 2, step: 1.1e-5}"}},
	"range too fine":                {{"too small", "{from: 1e17, to: 2e17, step: 1e16}"}},
	"range with num too fine":       {{"too large", "{from: 1, to: 1.0000000000000005, num: 3}"}},
	"range to where it begins":      {{"one value is a number or a list", "1"}, {"", "[1]"}},
	"log range from 0":              {{"numbers > 0", "{from: 0.1, to: 2, num: 3, scale: log}"}},
	"log range to below 0":          {{"numbers > 0", "{from: 1, to: 2, num: 3, scale: log}"}},
	"log range of whole numbers":    {{"a whole number from 3 is", "rows: {from: 10, to: 100, num: 3}"}},
	"range leaves what is allowed":  {{"a number > 0", "{from: 1, to: 0.5, step: -0.5}"}},
	"value twice":                   {{"", "[0.1]"}},
	"kernel twice":                  {{"", "svm: {c: 1, kernel: [rbf]}"}},
	"two models in an entry":        {{"{name: {its settings}}", "{lasso: {alpha: 1}}, {svm: {c: 1}}"}},
	"regularizer twice":             {{"", "[linear,"}},
	"regularizer with a parameter":  {{"write the name alone", "[linear,"}},
	"method twice":                  {{"", "gaga]"}},
	"method with settings":          {{"write the name alone", "gaga]"}},
	"command with another name":     {{"use up to 40 of a-z, 0-9 and -", "{command: {name: mine-2, run: [sh]}}]"}},
	"command with a method's name":  {{"", "{command: {name: mine, run: [sh]}}]"}},
	"command twice":                 {{"give one of them another name", "acs, gaga]"}, {"", "{command: {name: m, run: [sh]}}, {command: {name: n, run: [bash]}}]"}},
	"command, the same twice":       {{"", "acs, {command: {name: m, run: [sh]}}]"}},
	"command with a file elsewhere": {{"a path below the grid's folder", "{command: {name: m, run: [sh], files: [own/m.sh]}}]"}},
	"noise twice":                   {{"", "levels: [0, 0.3]}"}},
	"train of an own split":         {{"drop train", "column: part"}, {"or column", "train: 3"}},
	"values of no column":           {{"drop values", "train: 3,"}, {"give column", "column: part, values: {train: [a]}} # "}},
	"own split of the paper":        {{"leave column out", "train: 3}\nprotocol: paper"}},
	"clean without a column":        {{"the column that says which rows are clean", "[{path: a.csv, clean: {column: ok, values: [1]}}]"}},
	"age another word":              {{"auto", "auto"}, {"a map with the keys min, max, acs_step, direction", "{min: 1, max: 2, acs_step: 1, direction: up}"}},
	"age max below min":             {{"max > min is allowed", "max: 20"}},
	"age step tiny":                 {{"more than 1000000 ages", "acs_step: 2e-5"}},
	"data set twice":                {{"", "[diabetes]"}},
	"data set without name":         {{"name: of a catalog's data set", "[{name: diabetes, format: csv}]"}, {"or path: of a file", "[{path: a.csv, format: csv}]"}},
	"data class on both sides":      {{"", "[{path: a, classes: {negative: [1], positive: [2]}}]"}},
	"name of signs":                 {{"with a letter a-z or a digit", `name: "?!a"`}},
	"name with a path":              {{"without / and \\ and not starting with a point", "name: bad"}},
	"anchor":                        {{"anchors and aliases (& and *) are not allowed", "[0.1, 0.2]"}},
	"two documents":                 {{"more than one document", "repeats: 2"}},
	"no YAML":                       {{"expected ',' or ']'", "repeats: 1"}},
	"not UTF-8":                     {{"a grid file is UTF-8 text", "repeats: 2 # é"}},
	"empty file":                    {{"it is empty", base}},
	"comments only":                 {{"it is empty", base}},
	"a list":                        {{"a grid is a map with the keys name, data, models, methods", base}},
	"key without effect":            {{"leave it out here or there", "sweeps: [{protocol: paper}]"}},
}

// moreBadGrids have problems of other kinds, with what their remedies make of them.
var moreBadGrids = []struct {
	badGrid
	mends []mend
}{
	{badGrid{"decimal comma", "[0.1, 0.2]", "'0,1'", "", "write 0.1"}, nil},
	{badGrid{"thousands", "repeats: 2", "repeats: 1'000", "", "write 1000"}, nil},
	{badGrid{"quoted truth", "knots: true", `knots: "true"`, "", "write true"}, nil},
	{badGrid{"yes", "knots: true", "knots: yes", "", "true and false are"}, nil},
	{badGrid{"tabs", "repeats: 2", "seed:\n\t1", "", "no YAML"}, []mend{{"indent with blanks, not with tabs", "seed:\n  1"}}},
	{badGrid{"a path of Windows in quotes", "[diabetes]", `[{path: "C:\data\a.csv"}]`, "", "no YAML"}, []mend{{"write paths in single quotes", `[{path: '/data/a.csv'}]`}}},
	{badGrid{"a path of Windows", "[diabetes]", `[{path: 'C:\data\a.csv'}]`, "", "as it is a path of Windows"}, []mend{{"write the path on this machine, with /", "[{path: /data/a.csv}]"}}},
	{badGrid{"a tab in a path", "[diabetes]", `[{path: "data\tips.csv"}]`, "", "has a control character"}, []mend{{"single quotes take the path as it is", "[{path: 'data/tips.csv'}]"}}},
	{badGrid{"a variable", "[diabetes]", "[{path: ${HOME}/a.csv}]", "", "no YAML"}, []mend{{"~/ for your home folder", "[{path: ~/a.csv}]"}, {"write the value itself", "[{path: /home/me/a.csv}]"}}},
	{badGrid{"a variable in a path", "[diabetes]", "[{path: $HOME/a.csv}]", "", "variables are not replaced"}, []mend{{"write the path in full", "[{path: /home/me/a.csv}]"}, {"or ~/ for your home folder", "[{path: ~/a.csv}]"}}},
	{badGrid{"a URL", "[diabetes]", "[{path: 'https://example.org/a.csv'}]", "", "as it is a URL"}, []mend{{"download the file and give its path", "[{path: a.csv}]"}}},
	{badGrid{"an empty mark", "[diabetes]", "[{path: a.csv, missing_marks: ['', x]}]", "", "an empty field is missing anyway"}, []mend{{"", "[{path: a.csv, missing_marks: [x]}]"}}},
	{badGrid{"thousands as decimals", "[diabetes]", "[{path: a.csv, thousands: '.'}]", "", "is the decimal mark"}, []mend{{"", "[{path: a.csv, thousands: ',', decimal: .}]"}}},
	{badGrid{"two metrics of a task", "repeats: 2", "metric: [rmse, mae]", "", "one metric for regression and one for classification"}, []mend{{"make a grid for each", "metric: mae"}, {"", "metric: [rmse, accuracy]"}}},
	{badGrid{"the constant alone", "[original, acs, gaga]", "[constant]", "", "is computed without being asked for"}, []mend{{"name the methods to compare with it", "[original]"}}},
	{badGrid{"a choice of nothing", "validation: 0.2}", "validation: 0}\nchoose: smoothed", "", "has no effect"}, []mend{{"a fraction > 0 is allowed there", "validation: 0.1}\nchoose: smoothed"}, {"or choose.folds", "validation: 0}\nchoose: {folds: 3}"}}},
	{badGrid{"the best of nothing", "validation: 0.2}", "validation: 0}\nselect: best", "", "select: best goes by the validation part"}, []mend{
		{"a fraction > 0 is allowed", "validation: 0.1}\nselect: best"}, {"or choose.folds", "validation: 0}\nselect: best\nchoose: {folds: 3}"}, {"or protocol: paper", "validation: 0}\nselect: best\nprotocol: paper"}}},
	{badGrid{"ages of scripts", "{min: 0.1, max: 20, acs_step: 0.5}", "auto\nprotocol: scripts", "", "needs given ages"}, nil},
	{badGrid{"folds of scripts", "repeats: 2", "choose: {folds: 3}\nprotocol: scripts", "", "has no folds"}, []mend{{"", "choose: smoothed\nprotocol: scripts"}}},
	{badGrid{"a box upside down", "{lasso: {alpha: [0.1, 0.2]}}", "{erm: {loss: huber, c: 1, constraint: {box: {lower: 2, upper: 1}}}}", "", "above the upper bound"}, []mend{{"", "{erm: {loss: huber, c: 1, constraint: {box: {lower: 1, upper: 2}}}}"}}},
	{badGrid{"a column with a comma", "{lasso: {alpha: [0.1, 0.2]}}", "{erm: {loss: huber, c: 1, constraint: {fairness: {columns: ['a,b'], tolerance: 1}}}}", "", "has a comma in it"}, []mend{{"take the feature's index", "{erm: {loss: huber, c: 1, constraint: {fairness: {columns: [1], tolerance: 1}}}}"}}},
}

// TestNamedRemedies tries each remedy that a problem of a grid names: none leaves a problem of the place.
func TestNamedRemedies(t *testing.T) {
	t.Parallel()
	tried := 0
	check := func(test badGrid, mends []mend) {
		text, said := strings.Replace(base, test.old, test.new, 1), ""
		problems := problemsOf(text)
		if len(problems) == 0 {
			t.Errorf("%s: no problem", test.name)
		}
		for _, problem := range problems {
			said += problem.Text + "\n"
			edits := named(problem)
			for _, e := range edits {
				follow(t, test.name, text, problem, e)
			}
			if tried += len(edits); len(edits)+len(mends) == 0 {
				t.Errorf("%s: no remedy is tried of %v", test.name, problem)
			}
		}
		for _, m := range mends {
			if left := problemsOf(strings.Replace(base, test.old, m.new, 1)); len(left) > 0 || !strings.Contains(said, m.says) || !strings.Contains(said, test.says) {
				t.Errorf("%s: %q, which is to be in %q, leaves %v", test.name, m.new, said, left)
			}
		}
		tried += len(mends)
	}
	for _, test := range badGrids() {
		check(test, mends[test.name])
	}
	for _, test := range moreBadGrids {
		check(test.badGrid, test.mends)
	}
	if tried < 300 {
		t.Errorf("%d remedies were tried", tried)
	}
}
