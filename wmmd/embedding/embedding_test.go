package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/wmmd/classifier"
)

// plan plans a grid in a folder.
func plan(t *testing.T, dir, text string) (*experiment.Plan, error) {
	t.Helper()
	grid, err := experiment.Parse([]byte("experiment: embedding\n"+text), filepath.Join(dir, "grid.yaml"), nil)
	if err != nil {
		return nil, err
	}
	return grid.Plan(t.Context(), &dataset.Library{})
}

// TestGrids plans the grids that come with the program.
func TestGrids(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	for name, cells := range map[string]int64{"quickstart": 160, "simulations": 2700, "bbc": 200, "ce-t1": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grid, err := experiment.ParseFile("../../grids/embedding-"+name+".yaml", nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := grid.Plan(t.Context(), &dataset.Library{Dir: needs.DatasetsFolder(t)})
			if err != nil && strings.Contains(err.Error(), "--datasets") {
				needs.Lacking(t, "texts: %v", err)
			}
			if err != nil || p.Count() != cells {
				t.Fatalf("%d cells, want %d: %v", p.Count(), cells, err)
			}
			for task, err := range p.Queue() {
				if err == nil {
					err = (Kind{}).Check(&task)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestDocument parses the examples of docs/embedding.md and wants it to name all there is.
func TestDocument(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(content), -1) {
		if _, err := experiment.Parse([]byte(example[1]), "docs/embedding.md", nil); err != nil {
			t.Errorf("%v in\n%s", err, example[1])
		}
	}
	for _, name := range slices.Concat(sourceNames(), classifier.Models(), classifier.Penalties()) {
		if !strings.Contains(string(content), "`"+name+"`") {
			t.Errorf("docs/embedding.md does not name %s", name)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"latin.csv": "text,class\ncaf\xe9,a\nx,b\n", "one.csv": "text,class\ndog,a\ncat,a\n", "none.csv": "text,class\n12,a\n,b\n",
		"few.csv": "text,class\ndog,a\ncat,b\n", "good.csv": "text,class\n" + strings.Repeat("dog,a\ncat,b\n", 10), "no.zip": "no zip",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const rest = "\nmodels: [logistic]\npenalties: [none]\n"
	own := func(file string) string {
		return "data: [{path: " + file + ", language: english, text: text, class: class}]" + rest
	}
	for text, want := range map[string]string{
		"data: [sim1]":                                                    "the key models is missing",
		"data: [sim9]" + rest:                                             "did you mean sim1",
		"data: [sim1, sim1]" + rest:                                       "the name sim1 too",
		"data: [sim1: {texts: 2}]" + rest:                                 "a whole number from 4",
		"data: [bbc-news]" + rest:                                         "--datasets DIR",
		"data: [bbc-news: {texts: 9}]" + rest:                             "has no settings",
		"data: [{path: x.csv}]" + rest:                                    "the key language is missing",
		"data: [{path: x.csv, language: latin}]" + rest:                   "allowed are english, spanish",
		"data: [{path: x.csv, language: english, text: text}]" + rest:     "text and class",
		own("nowhere.csv"):                                                "nowhere.csv",
		own("latin.csv"):                                                  "line 2: not UTF-8",
		own("one.csv"):                                                    "at least two classes",
		own("none.csv"):                                                   "no word occurs often enough",
		own("few.csv"):                                                    "fewer than 5 for training",
		"data: [{path: no.zip, language: english}]" + rest:                "not a file of texts",
		"data: [sim1]\nmodels: [logistc]\npenalties: [none]":              "did you mean logistic",
		"data: [sim1]\nmodels: [cnn]\npenalties: [l2]":                    "did you mean l1",
		"data: [sim1]\nmodels: [cnn]\npenalties: [none: {weight: 1}]":     "has no settings",
		"data: [sim1]\nmodels: [cnn]\npenalties: [l1: {weight: -1}]":      "a number >= 0",
		"data: [sim1]\nmodels: [cnn]\npenalties: [dropout: {weight: 1}]":  "below 1",
		"data: [sim1]\nmodels: [cnn]\npenalties: [l1, l1: {weight: 1}]":   "given twice",
		"data: [sim1]\nmodels: [cnn]\npenalties: [l1: {without: [1]}]":    "unknown key",
		"data: [sim1]\nmodels: [cnn]\npenalties: [swmmd: {without: 500}]": "a vocabulary of 500",
		"data: [sim1]" + rest + "training: {precision: 16}":               "32 or 64",
		"data: [sim1]" + rest + "training: {train: 1}":                    "a number > 0 and < 1",
		"data: [sim1]" + rest + "training: {train: 0.01}":                 "fewer than 5 for training",
		"data: [sim1]" + rest + "training: {epochs: 0}":                   "a whole number from 1",
		"data: [sim1]" + rest + "keep: {knots: true}":                     "unknown key",
	} {
		if _, err := plan(t, dir, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if p, err := plan(t, dir, own("good.csv")); err != nil || p.Count() != 1 {
		t.Errorf("a good file: %v", err)
	}
}

// identityGrid has a cell of every form of data and penalty.
const identityGrid = `
data: [sim1, sim2: {texts: 50}, {path: own.csv, language: spanish, text: text, class: class, occurrences: 2, length: 5}]
models: [cnn]
penalties: [none, l1: {weight: [0.1, 1]}, swmmd]
seed: 3
`

// TestIdentities: identities are never to change.
func TestIdentities(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own.csv"), []byte("text,class\n"+strings.Repeat("perro,a\ngato,b\n", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan(t, dir, identityGrid)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := plan(t, dir, identityGrid+"keep: {words: true, epochs: false}\n")
	if err != nil {
		t.Fatal(err)
	}
	have := slices.Collect(p.IDs())
	if !slices.Equal(have, identities) {
		t.Errorf("identities\n%q\nwant\n%q", have, identities)
	}
	if !slices.Equal(slices.Collect(kept.IDs()), have) {
		t.Error("what is kept changes identities")
	}
}

// files is data of a task.
type files map[string][]byte

func (files) Dataset(context.Context, string) (*dataset.Dataset, error) {
	return nil, errors.New("there are no data sets")
}

func (f files) File(_ context.Context, digest string) ([]byte, error) { return f[digest], nil }

// tasks returns the tasks of a grid, with their files.
func tasks(t *testing.T, dir, text string) (list []experiment.Task, data files) {
	t.Helper()
	p, err := plan(t, dir, text)
	if err != nil {
		t.Fatal(err)
	}
	data = files{}
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		for _, digest := range task.Files {
			if data[digest], err = p.File(t.Context(), digest); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, task)
	}
	return list, data
}

func TestCheck(t *testing.T) {
	t.Parallel()
	list, _ := tasks(t, t.TempDir(), "data: [sim1]\nmodels: [mlp]\npenalties: [none]\n")
	for name, change := range map[string]func(task *experiment.Task){
		"identity": func(task *experiment.Task) { task.Cell = strings.Repeat("0", 32) },
		"spec": func(task *experiment.Task) {
			task.Spec = json.RawMessage(strings.Replace(string(task.Spec), "mlp", "cnn", 1))
		},
		"unknown": func(task *experiment.Task) { task.Spec = json.RawMessage(`{"colour":1}`) },
		"kind":    func(task *experiment.Task) { task.Spec = json.RawMessage(`{"kind":"walk"}`) },
		"files":   func(task *experiment.Task) { task.Files = []string{strings.Repeat("0", 64)} },
		"data":    func(task *experiment.Task) { task.Data = []string{strings.Repeat("0", 64)} },
		"needs":   func(task *experiment.Task) { task.Needs = []experiment.Need{{Name: "x"}} },
	} {
		task := list[0]
		if err := (Kind{}).Check(&task); err != nil {
			t.Fatal(err)
		}
		if change(&task); (Kind{}).Check(&task) == nil {
			t.Errorf("%s: a changed task is taken", name)
		}
	}
	other := list[0]
	other.Spec = json.RawMessage(strings.Replace(string(other.Spec), `"version":3`, `"version":4`, 1))
	var need *experiment.NeedError
	if err := (Kind{}).Check(&other); !errors.As(err, &need) || need.Here != version {
		t.Errorf("a task of another version: %v", err)
	}
}

// TestCompute computes cells of every penalty: with the same texts, split and first
// parameters, whatever is kept, and in both precisions.
func TestCompute(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	const grid = `
data: [sim2: {texts: 60}, sim3: {texts: 60}]
models: [logistic, gru]
penalties: [none, l1, group-lasso, dropout: {weight: [0.1, 0.5]}, frozen, fine-tuned, wmmd, swmmd, biwmmd]
training: {epochs: 3, precision: [32, 64]}
`
	kept, data := tasks(t, t.TempDir(), grid+"keep: {words: true}\n")
	bare, _ := tasks(t, t.TempDir(), grid+"keep: {epochs: false, weights: false}\n")
	first := map[string][]float64{} // of the penalties that draw it, the first row of a word by what they share
	for i := range kept {
		measures, further, err := (Kind{}).Compute(t.Context(), &kept[i], data)
		if err != nil {
			t.Fatalf("%s: %v", kept[i].Spec, err)
		}
		again, nothing, err := (Kind{}).Compute(t.Context(), &bare[i], data)
		if err != nil || !reflect.DeepEqual(measures, again) || len(nothing) > 0 {
			t.Fatalf("without tables: %v, %v, want %v; %d tables", err, again, measures, len(nothing))
		}
		c, err := decode(kept[i].Spec)
		if err != nil {
			t.Fatal(err)
		}
		epochs, weights, words := further["epochs"], further["weights"], further["words"]
		if epochs.Rows != 3 || words.Rows != 1100 && words.Rows != 500 || (weights.Rows == 2) != (c.Penalty.Kind == classifier.Dropout) {
			t.Errorf("%s: %d epochs, %d weights, %d words", kept[i].Spec, epochs.Rows, weights.Rows, words.Rows)
		}
		if score := measures.At(measureFields.Columns()[1], 1, 0); score != epochs.At(epochsTable.Columns[5], 4, 2) {
			t.Errorf("%s: the score is %v, after the last epoch %v", kept[i].Spec, score, epochs.At(epochsTable.Columns[5], 4, 2))
		}
		if c.Penalty.Kind == classifier.Frozen || c.Penalty.Kind == classifier.FineTuned {
			continue
		}
		key := fmt.Sprint(c.Data, c.Training.Precision)
		row := words.At(wordsTable.Columns[4], 3, 7).([]float64)
		if before, ok := first[key]; ok && !slices.Equal(row, before) {
			t.Errorf("%s begins with %v, another penalty with %v", kept[i].Spec, row, before)
		}
		first[key] = row
	}
}

// TestTestPart: with other texts in the test part only the scores on it are others.
func TestTestPart(t *testing.T) {
	t.Parallel()
	list, data := tasks(t, t.TempDir(), `
data: [sim3: {texts: 80}]
models: [logistic]
penalties: [none, l1: {weight: [0.01, 1, 100]}, fine-tuned]
training: {epochs: 3}
keep: {words: true}
`)
	for i := range list {
		c, err := decode(list[i].Spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.texts(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		learned := func() string {
			measures, further, err := compute[float32](t.Context(), &list[i], c, p)
			if err != nil {
				t.Fatal(err)
			}
			measures.Columns[1], further["epochs"].Columns[4] = experiment.Vector{}, experiment.Vector{} // the scores
			return fmt.Sprint(measures, further)
		}
		before := learned()
		for k, word := range p.test.Texts {
			p.test.Texts[k] = (word + int32(k)) % int32(len(p.test.Words))
		}
		slices.Reverse(p.all.Texts)
		if after := learned(); after != before {
			t.Errorf("%s: with other texts in the test part\n%s, before\n%s", list[i].Spec, after, before)
		}
	}
}

// TestDiverged: a loss that is not finite is a status.
func TestDiverged(t *testing.T) {
	t.Parallel()
	list, data := tasks(t, t.TempDir(), "data: [sim1: {texts: 20}]\nmodels: [logistic]\npenalties: [none]\ntraining: {rate: 1.0e+38}\n")
	var status *experiment.StatusError
	if _, _, err := (Kind{}).Compute(t.Context(), &list[0], data); !errors.As(err, &status) || status.Status != experiment.Diverged {
		t.Errorf("%v", err)
	}
}

// TestOwnTexts computes a file of texts with empty ones, and one of a single word.
func TestOwnTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty.csv": strings.Repeat("dogs bark,a\n12,a\ncats purr,b\n,b\n", 5), "word.csv": strings.Repeat("dog,a\ndog,b\n", 10),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text,class\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const rest = "\nmodels: [logistic, mlp, cnn, gru, bilstm]\npenalties: [none, wmmd, swmmd, frozen]\ntraining: {epochs: 2}\n"
	for name, empty := range map[string]int64{"empty.csv": 10, "word.csv": 0} {
		list, data := tasks(t, dir, "data: [{path: "+name+", language: english, text: text, class: class, length: 2}]"+rest)
		for i := range list {
			measures, _, err := (Kind{}).Compute(t.Context(), &list[i], data)
			if err != nil {
				t.Fatalf("%s: %v", list[i].Spec, err)
			}
			if got := measures.At(measureFields.Columns()[9], 9, 0); got != empty {
				t.Errorf("%s: %v empty texts, want %d", name, got, empty)
			}
		}
	}
}

var identities = []string{
	"feb0f04531f4d8007a85db015f341464",
	"417858abb75d15df7ae5e7a71125b8f1",
	"e4f5f62f3b6e66a57956934360ae4d42",
	"eef0e0d1da5941e0cd7457e10a1042ab",
	"4b4b04d309fdf1522ebcb5f8ab903a51",
	"3a631c43e05cbc319866aa50957b0a1a",
	"a91374e78b64ef634e927455f94e543c",
	"65b62417992eccbb3df55ffb3736fd2c",
	"b0298ffbb0b8aae081af8b756325d680",
}
