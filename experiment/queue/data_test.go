package queue

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"time"
)

func noise(n int) []byte {
	source := rand.NewChaCha8([32]byte{1})
	data := make([]byte, n)
	source.Read(data)
	return data
}

func TestData(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	reader := b.connect(Config{})
	for digest, size := range map[string]int{"none": 0, "small": 10, "part": partSize, "more": 2*partSize + 1} {
		data := noise(size)
		for range 2 { // the second replaces the first
			if err := b.PutData(b.ctx, digest, iotest.HalfReader(bytes.NewReader(data))); err != nil {
				t.Fatal(err)
			}
		}
		r, err := reader.Data(b.ctx, digest)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, error %v; want the %d stored", digest, len(got), err, size)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%s: read %d bytes after close, error %v", digest, n, err)
		}
	}
}

func TestDataMissing(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	if _, err := b.Data(b.ctx, "abc"); !errors.Is(err, ErrNoData) {
		t.Errorf("error %v, want ErrNoData", err)
	}
	if err := b.PutData(b.ctx, "a/b", bytes.NewReader(nil)); err == nil {
		t.Error("a digest with a slash is taken")
	}
}

func TestDataHalfUploaded(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	data := noise(partSize + 1000)
	broken := errors.New("disk")
	half := io.MultiReader(bytes.NewReader(data[:partSize+10]), iotest.ErrReader(broken))
	if err := b.PutData(b.ctx, "abc", half); !errors.Is(err, broken) {
		t.Fatalf("error %v, want the reader's", err)
	}
	if _, err := b.Data(b.ctx, "abc"); !errors.Is(err, ErrNoData) {
		t.Fatalf("after half an upload: error %v, want ErrNoData", err)
	}
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	r, err := b.Data(b.ctx, "abc")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

func TestDataCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(noise(2*partSize))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	r, err := b.Data(ctx, "abc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, partSize)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the cancelling", err)
	}
	if err := b.PutData(ctx, "def", bytes.NewReader(noise(10))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the cancelling", err)
	}
}
