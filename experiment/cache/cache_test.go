package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

// cellOf returns the identity of a made-up cell.
func cellOf(i int) string {
	sum := sha256.Sum256(fmt.Append(nil, i))
	return hex.EncodeToString(sum[:16])
}

// outcome returns the outcome of a made-up cell, whose size grows with it.
func outcome(i int) *experiment.Outcome {
	knots := make([]float64, 1+i%50)
	for k := range knots {
		knots[k] = float64(i) / float64(k+1)
	}
	return &experiment.Outcome{
		Run: "run", Cell: cellOf(i), Kind: "test", Status: experiment.OK, Version: "v1.2.3", Attempts: i,
		Measures: experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Floats: []float64{float64(i)}}}},
		Further:  map[string]experiment.Batch{"knots": {Rows: len(knots), Columns: []experiment.Vector{{Floats: knots}}}},
	}
}

// open returns a cache that fails the test where it reports something.
func open(t *testing.T, dir string) *Cache {
	return &Cache{Dir: dir, Limit: 1 << 30, Report: func(err error) { t.Error(err) }}
}

func fill(c *Cache, from, to int) {
	for i := from; i < to; i++ {
		c.Add(outcome(i))
	}
	c.Flush()
}

// take returns which of the cells 0 to n-1 a cache serves, each as it was.
func take(t *testing.T, c *Cache, n int) (cells []int) {
	t.Helper()
	found := map[int]bool{}
	ids := func(yield func(string) bool) {
		for i := range n {
			if !yield(cellOf(i)) {
				return
			}
		}
	}
	err := c.Each(t.Context(), ids, func(o *experiment.Outcome) (bool, error) {
		if want := outcome(o.Attempts); !reflect.DeepEqual(o, want) || found[o.Attempts] {
			t.Errorf("cell %d is served twice (%t) or as %+v, want %+v", o.Attempts, found[o.Attempts], o, want)
		}
		found[o.Attempts] = true
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

func numbers(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// TestServed keeps outcomes and has others read them, what is added later too.
func TestServed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "below", "it")
	if got := take(t, open(t, dir), 10); len(got) > 0 {
		t.Errorf("a folder that is not there serves %v", got)
	}
	c := open(t, dir)
	fill(c, 0, 2*blockCells)
	if got := take(t, open(t, dir), 2*blockCells+5); !slices.Equal(got, numbers(0, 2*blockCells)) {
		t.Errorf("%d cells are served while it is written", len(got))
	}
	c.Close()
	again := open(t, dir)
	fill(again, 2*blockCells, 2*blockCells+100)
	again.Close()
	if list, _ := segments(dir); len(list) != 1 {
		t.Errorf("%d segments, want the one that was not full", len(list))
	}
	if got := take(t, open(t, dir), 3*blockCells); !slices.Equal(got, numbers(0, 2*blockCells+100)) {
		t.Errorf("%d cells are served", len(got))
	}
	info, err := Look(dir)
	if err != nil || info.Outcomes != 2*blockCells+100 || info.Bytes == 0 {
		t.Errorf("it holds %+v, %v", info, err)
	}
	if info, err := Clear(dir); err != nil || info.Outcomes != 2*blockCells+100 {
		t.Errorf("clearing removed %+v, %v", info, err)
	}
	if got := take(t, open(t, dir), 10); len(got) > 0 {
		t.Errorf("a cleared cache serves %v", got)
	}
}

// TestAnotherOutcomeOfCell goes on to other outcomes of a cell while none will do.
func TestAnotherOutcomeOfCell(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	for _, run := range []string{"first", "second", "third"} {
		o := outcome(1)
		o.Run = run
		c.Add(o)
		c.Flush()
	}
	var seen []string
	err := c.Each(t.Context(), slices.Values([]string{cellOf(1), cellOf(2), "no cell"}), func(o *experiment.Outcome) (bool, error) {
		seen = append(seen, o.Run)
		return o.Run == "second", nil
	})
	if err != nil || !slices.Equal(seen, []string{"first", "second"}) {
		t.Errorf("it serves %v, %v", seen, err)
	}
	stop := errors.New("enough")
	err = c.Each(t.Context(), slices.Values([]string{cellOf(1)}), func(*experiment.Outcome) (bool, error) { return false, stop })
	if !errors.Is(err, stop) {
		t.Errorf("an error of the taker gives %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Each(ended, slices.Values([]string{cellOf(1)}), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended gives %v", err)
	}
}

// TestNotKept keeps neither failures nor what a program without a version computed,
// unless it is this one.
func TestNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, dir)
	failed, other := outcome(1), outcome(2)
	failed.Status = experiment.Failed
	other.Version = "v1.2.4-0.20260101000000-abcdefabcdef+dirty"
	c.Add(failed)
	c.Add(other)
	c.Add(outcome(3))
	c.Flush()
	own := open(t, dir)
	own.Build = "0123"
	for i := range 3 {
		o := outcome(10 + i)
		o.Version = "devel"
		own.Add(o)
	}
	own.Add(outcome(4))
	own.Flush()
	if got := take(t, c, 20); !slices.Equal(got, []int{3}) {
		t.Errorf("programs of a version are served %v", got)
	}
	served := func(c *Cache) (n int) {
		err := c.Each(t.Context(), slices.Values([]string{cellOf(3), cellOf(10), cellOf(11), cellOf(12)}), func(*experiment.Outcome) (bool, error) {
			n++
			return true, nil
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	if n := served(own); n != 3 {
		t.Errorf("the program without a version is served %d, want its own 3", n)
	}
	stranger := open(t, dir)
	stranger.Build = "4567"
	if n := served(stranger); n != 0 {
		t.Errorf("another program without a version is served %d", n)
	}
}

// damaged writes a segment of 100 outcomes in ten blocks.
func damaged(t *testing.T) (path string, text []byte) {
	t.Helper()
	dir := t.TempDir()
	c := open(t, dir)
	for i := range 10 {
		fill(c, 10*i, 10*i+10)
	}
	c.Close()
	list, err := segments(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if text, err = os.ReadFile(list[0].path); err != nil {
		t.Fatal(err)
	}
	return list[0].path, text
}

// TestTorn ends a segment at any byte, as a kill does: whole blocks are served, and who
// writes next goes on behind them.
func TestTorn(t *testing.T) {
	t.Parallel()
	path, text := damaged(t)
	for end := 0; end < len(text); end += 37 {
		if err := os.WriteFile(path, text[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		c := open(t, filepath.Dir(path))
		before := take(t, c, 100)
		if n := len(before); n%10 != 0 || !slices.Equal(before, numbers(0, n)) {
			t.Fatalf("cut at byte %d it serves %v", end, before)
		}
		fill(c, 100, 110)
		c.Close()
		if after := take(t, c, 110); !slices.Equal(after, append(before, numbers(100, 110)...)) {
			t.Fatalf("cut at byte %d and written on it serves %v", end, after)
		}
	}
}

// TestLinks has links in place of a cache's files, which others can put into a folder that
// they can write: what they lead to stays as it is.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	const text = "nobody's business\n"
	if err := os.WriteFile(victim, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{segmentName(0, 1), lockName(0)} {
		link := filepath.Join(dir, name)
		if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, link); err != nil {
			t.Skip("no links:", err)
		}
		said := 0
		c := &Cache{Dir: dir, Limit: 1 << 30, Report: func(error) { said++ }}
		fill(c, 0, 10)
		c.Close()
		if have, err := os.ReadFile(victim); err != nil || string(have) != text || said == 0 {
			t.Errorf("%s: the file behind a link has %.30q, %v; %d errors reported", name, have, err, said)
		}
	}
}

// TestDamaged changes bytes of a segment: what they belong to is missed and reported, and
// nothing else is served for it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	path, text := damaged(t)
	for at := 0; at < len(text); at += 31 {
		changed := slices.Clone(text)
		changed[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		reports := 0
		c := &Cache{Dir: filepath.Dir(path), Limit: 1 << 30, Report: func(error) { reports++ }}
		got := take(t, c, 100)
		torn := errors.Is(errOf(path), errTorn) // a length is changed so that it seems to be being written
		if len(got) == 100 || reports == 0 && !torn {
			t.Fatalf("byte %d: %d cells are served, %d reports", at, len(got), reports)
		}
		fill(c, 100, 110)
		c.Close()
		if after := take(t, c, 110); !slices.Contains(after, 109) {
			t.Fatalf("byte %d: what is written on is not served", at)
		}
		if list, _ := segments(c.Dir); len(list) > 1 {
			for _, s := range list {
				if s.path != path {
					os.Remove(s.path)
				}
			}
		}
	}
}

// errOf returns what ends the reading of a segment.
func errOf(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	for at := int64(0); err == nil && at < info.Size(); {
		var b *block
		if b, err = readBlock(file, at, info.Size()); err == nil {
			at = b.end()
		}
	}
	return err
}

// TestLimit removes what was not used for the longest time.
func TestLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, dir)
	c.Limit = 64 << 14 // 16 segments of 64 KiB
	large := func(i int) *experiment.Outcome {
		o := outcome(i)
		noise := make([]float64, 2<<10)
		for k := range noise {
			sum := sha256.Sum256(fmt.Append(nil, i, k))
			noise[k] = float64(sum[0]) + float64(sum[1])/256 + float64(sum[2])/65536
		}
		o.Further["knots"] = experiment.Batch{Rows: len(noise), Columns: []experiment.Vector{{Floats: noise}}}
		return o
	}
	has := func(i int) (found bool) {
		err := c.Each(t.Context(), slices.Values([]string{cellOf(i)}), func(*experiment.Outcome) (bool, error) {
			found = true
			return true, nil
		})
		if err != nil {
			t.Error(err)
		}
		return found
	}
	past := time.Now().Add(-time.Hour)
	for i := range 1000 {
		c.Add(large(i))
		c.Flush()
		if list, _ := segments(dir); i%10 == 0 {
			for k, s := range list { // the clock of files is coarse
				if s.used.After(past.Add(time.Duration(i+1) * time.Second)) {
					at := past.Add(time.Duration(i)*time.Second - time.Duration(k))
					if err := os.Chtimes(s.path, at, at); err != nil {
						t.Fatal(err)
					}
				}
			}
			has(0) // is used all the time
		}
	}
	c.Close()
	info, err := Look(dir)
	if err != nil || info.Bytes > c.Limit+c.Limit/8 || info.Bytes < c.Limit/2 {
		t.Errorf("it holds %+v, %v, with a limit of %d", info, err, c.Limit)
	}
	if !has(0) || has(200) || !has(999) {
		t.Errorf("the first cell, used all the time, is there: %t; one never used: %t; the last: %t", has(0), has(200), has(999))
	}
	c.Add(large(2000))
	huge := outcome(3000)
	huge.Error = string(make([]byte, c.Limit))
	c.Add(huge)
	c.Flush()
	if !has(2000) || has(3000) {
		t.Errorf("an outcome larger than the cache is there: %t", has(3000))
	}
}

// TestManyWriters has several processes write and read at a time, which locks on their
// own files stand for.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers, each = 8, 500
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			c := open(t, dir)
			defer c.Close()
			for i := range each {
				c.Add(outcome(w*each + i))
				if i%50 == w {
					c.Flush()
				}
				if i%250 == w {
					take(t, c, writers*each)
				}
			}
		})
	}
	all.Wait()
	if got := take(t, open(t, dir), writers*each); len(got) != writers*each {
		t.Errorf("%d cells are served, want %d", len(got), writers*each)
	}
	next := open(t, dir)
	fill(next, 0, 1)
	next.Close()
	if list, _ := segments(dir); len(list) > writers {
		t.Errorf("%d segments of %d writers", len(list), writers)
	}
}

// TestUnwritable goes on without keeping anything where that is not possible.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	reports := 0
	c := &Cache{Dir: path, Limit: 1 << 20, Report: func(error) { reports++ }}
	for i := range 3 {
		fill(c, i, i+1)
	}
	c.Close()
	if reports != 1 {
		t.Errorf("it was reported %d times", reports)
	}
	if err := c.Each(t.Context(), slices.Values([]string{cellOf(1)}), nil); err != nil || reports != 2 {
		t.Errorf("reading gives %v and %d reports", err, reports)
	}
}

// TestOthersFolder leaves out a cache in a folder that others can write, for reading and
// for writing, and says what to do.
func TestOthersFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("folders have no such modes on Windows")
	}
	dir := filepath.Join(t.TempDir(), "outcomes")
	fill(open(t, dir), 0, 3)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var said []string
	c := &Cache{Dir: dir, Limit: 1 << 30, Report: func(err error) { said = append(said, err.Error()) }}
	if cells := take(t, c, 3); len(cells) != 0 {
		t.Errorf("cells %v are taken from a folder that others can write", cells)
	}
	fill(c, 3, 4)
	if len(said) != 2 || !strings.Contains(said[0], "chmod go-w") || !strings.Contains(said[1], "chmod go-w") {
		t.Errorf("it says %q", said)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if cells := take(t, open(t, dir), 4); len(cells) != 3 {
		t.Errorf("cells %v are taken, want those from before", cells)
	}
}
