package corpus

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agepath/agepath/internal/testing/needs"
)

func TestSimulations(t *testing.T) {
	t.Parallel()
	for _, s := range Simulations() {
		c := s.Draw(20_000, rand.New(rand.NewPCG(1, 2)))
		if c.Len() != 20_000 || len(c.Texts) != 20_000*s.Length || len(c.Words) != s.Words() {
			t.Fatalf("%s: %d texts of %d words", s.Name, c.Len(), len(c.Texts))
		}
		if n := s.Draw(0, rand.New(rand.NewPCG(1, 2))).Len(); n != s.Texts {
			t.Errorf("%s: %d texts, not %d", s.Name, n, s.Texts)
		}
		// Frequencies by class, of ten ranges of words, are those of the law.
		for class := range 2 {
			counts, law := make([]float64, 10), make([]float64, 10)
			p, sum := s.Law(class), 0.0
			for w, v := range p {
				law[w*10/len(p)] += v
				sum += v
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: the law's sum is %v", s.Name, sum)
			}
			total := 0.0
			for i, label := range c.Labels {
				text := c.Text(i)
				if s.Ordered {
					text = text[(class+label)%2:][:1] // the position that has the law
				} else if label != class {
					continue
				}
				for _, w := range text {
					counts[int(w)*10/len(p)]++
					total++
				}
			}
			for k, want := range law {
				if got := counts[k] / total; math.Abs(got-want) > 5*math.Sqrt(want/total)+1e-4 {
					t.Errorf("%s, class %d: a share of %.4f in range %d, not %.4f", s.Name, class, got, k, want)
				}
			}
		}
	}
	if _, known := LookUp("sim4"); known {
		t.Error("sim4 is known")
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, text, want string }{
		{"english", "The 3 Dogs were running, at http://dog.example/x?y=1 or www.dogs.example; mail me@dogs.example!", "dog run mail"},
		{"english", "Nationally generous connections", "nation generous connect"},
		{"spanish", "RT @Juan: Las personas están corriendo http://t.co/abc", "juan person corr"},
		{"spanish", "¡Terremoto en Concepción! 8.8 grados", "terremot concepcion grad"},
		{"english", "12 34 ... !!", ""},
	} {
		i := slices.IndexFunc(Languages(), func(l Language) bool { return l.Name == test.language })
		if got := strings.Join(Languages()[i].Tokens(test.text), " "); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

var short = Options{Language: "english", Occurrences: 1, Length: 3}

func TestFolders(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"all/cats/1.txt":    {Data: []byte("cats cats cats purr")},
		"all/dogs/1.txt":    {Data: []byte("dogs bark\nunknown")},
		"all/dogs/2.txt":    {Data: []byte("")},
		"all/README.md":     {Data: []byte("not a text")},
		"top.txt":           {Data: []byte("in no folder")},
		"__MACOSX/x/1.txt":  {Data: []byte{0xff}},
		"all/dogs/.dot.txt": {Data: []byte{0xff}},
	}
	c, err := ReadFolders(files, short)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"<pad>", "cat", "bark", "dog", "purr", "unknown"}; !slices.Equal(c.Words, want) {
		t.Errorf("words %q, want %q", c.Words, want)
	}
	if want := []int32{1, 1, 1, 3, 2, 5, 0, 0, 0}; !slices.Equal(c.Texts, want) {
		t.Errorf("texts %v, want %v", c.Texts, want)
	}
	if !slices.Equal(c.Classes, []string{"cats", "dogs"}) || !slices.Equal(c.Labels, []int{0, 1, 1}) || c.Empty != 1 {
		t.Errorf("%q %v %d", c.Classes, c.Labels, c.Empty)
	}
	if counts := c.Frequencies(); counts[0][1] != 3 || counts[1][0] != 3 {
		t.Errorf("frequencies %v", counts)
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	const table = "\ufefftext,other,class\n\"dogs, barking\",1,a\n\"cats\npurr\",2,b\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, table)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{[]byte(table), packed.Bytes()} {
		c, err := Read(content, File{short, "text", "class"})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int32{3, 1, 0, 2, 4, 0}; !slices.Equal(c.Texts, want) {
			t.Errorf("texts %v of %q, want %v", c.Texts, c.Words, want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	table := func(rows ...string) []byte { return []byte("text,class\n" + strings.Join(rows, "\n")) }
	often := short
	often.Occurrences = 5
	for name, test := range map[string]struct {
		content []byte
		file    File
		want    error
		text    string
	}{
		"encoding":      {table("caf\xe9,a", "x,b"), File{short, "text", "class"}, ErrEncoding, "line 2"},
		"one class":     {table("dog,a", "cat,a"), File{short, "text", "class"}, ErrClasses, `"a"`},
		"no text":       {table(), File{short, "text", "class"}, ErrClasses, "0 texts"},
		"no words":      {table("12,a", "the,b"), File{short, "text", "class"}, ErrVocabulary, "0 words"},
		"rare words":    {table("dog,a", "cat,b"), File{often, "text", "class"}, ErrVocabulary, "none 5 times"},
		"no column":     {table("dog,a"), File{short, "tweet", "class"}, ErrFormat, `"tweet"`},
		"empty":         {nil, File{short, "text", "class"}, ErrFormat, "header"},
		"ragged":        {table("dog,a,b"), File{short, "text", "class"}, ErrFormat, "line 2"},
		"no zip":        {[]byte("dog"), File{Options: short}, ErrFormat, "zip"},
		"broken gzip":   {[]byte{0x1f, 0x8b, 0}, File{short, "text", "class"}, ErrFormat, ""},
		"language":      {table("dog,a", "cat,b"), File{Options{"latin", 1, 3}, "text", "class"}, nil, `"latin"`},
		"words a text":  {table("dog,a", "cat,b"), File{Options{"english", 1, 0}, "text", "class"}, nil, "0 words"},
		"one word only": {table("dog,a", "dog,b"), File{short, "text", "class"}, nil, ""},
	} {
		_, err := Read(test.content, test.file)
		switch {
		case name == "one word only":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text):
			t.Errorf("%s: %v, want %v with %q", name, err, test.want, test.text)
		}
	}
	if _, err := ReadFolders(fstest.MapFS{"a/1.txt": {Data: []byte{0xff}}}, short); !errors.Is(err, ErrEncoding) || !strings.Contains(err.Error(), "a/1.txt") {
		t.Errorf("encoding in a folder: %v", err)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	sim, _ := LookUp("sim1")
	c := sim.Draw(11, rand.New(rand.NewPCG(1, 2)))
	train, test, err := c.Split(0.5, rand.New(rand.NewPCG(3, 4)))
	if err != nil || train.Len() != 5 || test.Len() != 6 {
		t.Fatalf("%v: %v", train, err)
	}
	for _, share := range []float64{0, 1, -1, 0.01, math.NaN()} {
		if _, _, err := c.Split(share, rand.New(rand.NewPCG(3, 4))); err == nil {
			t.Errorf("a share of %v is taken", share)
		}
	}
}

// TestCatalog reads the corpora of the folder of data sets.
func TestCatalog(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ texts, classes, least, most int }{
		"bbc-news": {2225, 5, 4500, 5500},
		"ce-t1":    {2187, 2, 500, 1500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := Catalog()
			known := list[slices.IndexFunc(list, func(k Known) bool { return k.Name == name })]
			content, err := os.ReadFile(filepath.Join(needs.DatasetsFolder(t), known.Path))
			if err != nil {
				needs.Lacking(t, "the corpus %s: %v", name, err)
			}
			if sum := fmt.Sprintf("%x", sha256.Sum256(content)); sum != known.SHA256 {
				t.Fatalf("digest %s", sum)
			}
			c, err := Read(content, known.File)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d texts, %d words, %d classes, %d empty texts", name, c.Len(), len(c.Words), len(c.Classes), c.Empty)
			if c.Len() != want.texts || len(c.Classes) != want.classes || len(c.Words) < want.least || len(c.Words) > want.most {
				t.Errorf("%d texts of %d classes with %d words", c.Len(), len(c.Classes), len(c.Words))
			}
		})
	}
}

// FuzzRead: whatever a file holds, it is an error or a corpus whose words and labels are
// there.
func FuzzRead(f *testing.F) {
	f.Add([]byte("text,class\ndogs bark,a\ncats purr,b\n"), true)
	f.Add([]byte("\ufefftext,class\n\"a\nb\",\xff\n"), true)
	f.Add([]byte{0x1f, 0x8b, 8, 0}, true)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, text := range map[string]string{"a/1.txt": "dogs bark", "b/1.txt": "cats", "b/": ""} {
		file, err := w.Create(name)
		if err != nil {
			f.Fatal(err)
		}
		fmt.Fprint(file, text)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(packed.Bytes(), false)
	f.Fuzz(func(t *testing.T, content []byte, table bool) {
		file := File{Options: short}
		if table {
			file.Text, file.Class = "text", "class"
		}
		c, err := Read(content, file)
		if err != nil {
			return
		}
		if len(c.Classes) < 2 || len(c.Texts) != c.Len()*c.Length {
			t.Fatalf("%d classes, %d words of %d texts", len(c.Classes), len(c.Texts), c.Len())
		}
		for i, label := range c.Labels {
			if label < 0 || label >= len(c.Classes) {
				t.Fatalf("label %d", label)
			}
			for _, word := range c.Text(i) {
				if word < 0 || int(word) >= len(c.Words) {
					t.Fatalf("word %d", word)
				}
			}
		}
	})
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a/1.txt": {Data: []byte("dogs bark")}}
	if content, err := readUpTo(files, "a/1.txt", 9); err != nil || len(content) != 9 {
		t.Errorf("nine bytes: %q, %v", content, err)
	}
	if _, err := readUpTo(files, "a/1.txt", 8); !errors.Is(err, ErrFormat) {
		t.Errorf("nine bytes of eight: %v", err)
	}
	if content, err := io.ReadAll(&limited{strings.NewReader("dogs"), 3}); !errors.Is(err, ErrFormat) || len(content) > 3 {
		t.Errorf("four bytes of three: %q, %v", content, err)
	}
}

// Law returns the probabilities of the words in a text of a class, those of a position
// where the order tells.
func (s Simulation) Law(class int) []float64 {
	p := make([]float64, s.Words())
	copy(p, betaBinomial(s.Informative, []float64{0.5, 5}[class]))
	for w := range p {
		if w < s.Informative {
			p[w] *= 1 - s.Share
		} else {
			p[w] = s.Share / float64(s.Noise)
		}
	}
	return p
}
