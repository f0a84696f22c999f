package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// partSize bounds a part of an object. The client library sends all chunks of an object at once and
// downloads it under one deadline, so large objects overrun the server's buffers or time out.
const partSize = 4 << 20

// index lists the parts of an object. It is stored last; until then the object does not exist.
type index struct {
	Parts int   `json:"parts"`
	Size  int64 `json:"size"`
}

const (
	// maxOutcome bounds an outcome stored as an object, which readers hold whole; maxData an object
	// read in parts.
	maxOutcome = 256 << 20
	maxData    = 1 << 40
	maxIndex   = 4 << 10
)

func (i *index) check(most int64) error {
	if i.Size < 0 || i.Size > most {
		return fmt.Errorf("a size of %d bytes; allowed are 0 to %d", i.Size, most)
	}
	if want := (i.Size + partSize - 1) / partSize; int64(i.Parts) != want {
		return fmt.Errorf("%d parts for %d bytes; allowed are %d", i.Parts, i.Size, want)
	}
	return nil
}

func (i *index) part(number int) int64 { return min(partSize, i.Size-int64(number)*partSize) }

func partName(name string, part int) string { return fmt.Sprintf("%s/%06d", name, part) }

// DamagedError says that an object at the server is not as it was stored.
type DamagedError struct {
	Object string
	Err    error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("object %s at the server is damaged: %v", e.Object, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

type objects struct {
	*connection
	name string
}

// chunkSize is the library's default, or what the server takes.
func (o objects) chunkSize() uint32 { return uint32(min(o.messageRoom(), 128<<10)) }

func (o objects) put(ctx context.Context, name string, r io.Reader) error {
	write := o.add
	if o.name == dataBucket {
		write = o.replace
	}
	var at index
	buffer := make([]byte, partSize)
	for {
		n, err := io.ReadFull(r, buffer)
		if n > 0 {
			part := partName(name, at.Parts)
			err := o.persistFor(ctx, transferWait, "storing part "+part, "", func(ctx context.Context) error {
				return write(ctx, part, buffer[:n])
			})
			if err != nil {
				return err
			}
			at.Parts++
			at.Size += int64(n)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return fmt.Errorf("reading what to store: %w", err)
		}
	}
	body, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return o.persist(ctx, "storing index "+name, "", func(ctx context.Context) error {
		return write(ctx, name, body)
	})
}

func metaSubject(bucket, name string) string {
	return "$O." + bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

func chunkSubject(bucket, nuid string) string { return "$O." + bucket + ".C." + nuid }

// add stores an object without a predecessor. The library's Put asks the stream to remove one, by a
// header that would let each worker remove all objects. A failed try leaves unnamed chunks.
func (o objects) add(ctx context.Context, name string, body []byte) error {
	info := jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{Name: name}, Bucket: o.name, NUID: nuid.Next(), Size: uint64(len(body)),
	}
	var chunks []sent
	for chunk := range slices.Chunk(body, int(o.chunkSize())) {
		chunks = append(chunks, o.send(&nats.Msg{Subject: chunkSubject(o.name, info.NUID), Data: chunk}))
	}
	for _, chunk := range chunks {
		if err := chunk.wait(ctx); err != nil {
			return err
		}
	}
	sum := sha256.New()
	sum.Write(body)
	info.Chunks, info.Digest = uint32(len(chunks)), jetstream.GetObjectDigestValue(sum)
	description, err := json.Marshal(info)
	if err != nil {
		return err
	}
	return o.send(&nats.Msg{Subject: metaSubject(o.name, name), Data: description}).wait(ctx)
}

// replace also replaces an unreadable description.
func (o objects) replace(ctx context.Context, name string, body []byte) error {
	store, err := o.bucket(ctx, o.name)
	if err != nil {
		return err
	}
	put := func() error {
		_, err := store.Put(ctx, jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: o.chunkSize()}}, bytes.NewReader(body))
		return err
	}
	if err = put(); !errors.Is(err, jetstream.ErrBadObjectMeta) {
		return err
	}
	if err := o.purgeSubjects(ctx, objectsStream+o.name, metaSubject(o.name, name)); err != nil {
		return err
	}
	return put()
}

// read checks description and chunks first: the library follows links and waits for missing chunks.
func (o objects) read(ctx context.Context, store jetstream.ObjectStore, name string, most int64) ([]byte, error) {
	info, err := store.GetInfo(ctx, name)
	if errors.Is(err, jetstream.ErrBadObjectMeta) {
		return nil, &DamagedError{name, err}
	}
	if err != nil {
		return nil, err
	}
	if err := checkInfo(info, name, most); err != nil {
		return nil, &DamagedError{name, err}
	}
	if info.Size == 0 {
		return nil, nil
	}
	stream, err := o.stream(ctx, objectsStream+o.name)
	if err != nil {
		return nil, err
	}
	chunks := chunkSubject(o.name, info.NUID)
	held, err := stream.Info(ctx, jetstream.WithSubjectFilter(chunks))
	if err != nil {
		return nil, err
	}
	if have := held.State.Subjects[chunks]; have != uint64(info.Chunks) {
		return nil, &DamagedError{name, fmt.Errorf("%d of its %d chunks are there", have, info.Chunks)}
	}
	result, err := store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	body := make([]byte, info.Size+1)
	n, err := io.ReadFull(result, body)
	switch {
	case errors.Is(err, jetstream.ErrDigestMismatch), errors.Is(err, jetstream.ErrInvalidDigestFormat):
		return nil, &DamagedError{name, err}
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case uint64(n) != info.Size:
		return nil, &DamagedError{name, fmt.Errorf("its length is not the %d bytes of its description", info.Size)}
	}
	return body[:n], nil
}

func checkInfo(info *jetstream.ObjectInfo, name string, most int64) error {
	switch {
	case info.Name != name:
		return fmt.Errorf("its description names the object %.100q", info.Name)
	case info.Opts != nil && info.Opts.Link != nil:
		return errors.New("it is a link to another object")
	case info.Size > uint64(most):
		return fmt.Errorf("a size of %d bytes; allowed are at most %d", info.Size, most)
	case len(info.NUID) > 64 || ValidName(info.NUID) != nil:
		return fmt.Errorf("its chunks have the name %.100q, which is not allowed", info.NUID)
	}
	return nil
}

func (o objects) open(ctx context.Context, name string, most int64) (*objectReader, error) {
	store, err := o.bucket(ctx, o.name)
	if err != nil {
		return nil, err
	}
	r := &objectReader{ctx: ctx, objects: o, store: store, name: name}
	var body []byte
	err = o.persist(ctx, "reading index "+name, "", func(ctx context.Context) (err error) {
		body, err = o.read(ctx, store, name, maxIndex)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(body, &r.index)
	if err == nil {
		err = r.index.check(most)
	}
	if err != nil {
		return nil, &DamagedError{name, fmt.Errorf("its index: %w", err)}
	}
	return r, nil
}

// objectReader reads parts; the library checks the SHA-256 of each.
type objectReader struct {
	ctx     context.Context // io.Reader has no other place for it
	objects objects
	store   jetstream.ObjectStore
	name    string
	index   index
	next    int
	part    []byte
}

// slowest is the minimum rate, in bytes a second, of a part; below it messages were lost, and
// others wait for the object.
const slowest = 100 << 10

func (r *objectReader) Read(p []byte) (int, error) {
	for len(r.part) == 0 {
		if r.next == r.index.Parts {
			return 0, io.EOF
		}
		name, want := partName(r.name, r.next), r.index.part(r.next)
		wait := min(transferWait, requestWait+time.Duration(want)*time.Second/slowest)
		err := r.objects.persistFor(r.ctx, wait, "reading part "+name, "", func(ctx context.Context) (err error) {
			r.part, err = r.objects.read(ctx, r.store, name, want)
			return err
		})
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			err = &DamagedError{r.name, err}
		}
		if err != nil {
			return 0, err
		}
		if int64(len(r.part)) != want {
			return 0, &DamagedError{name, fmt.Errorf("it has %d bytes, not %d", len(r.part), want)}
		}
		r.next++
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}

func (r *objectReader) Close() error {
	r.next, r.part = r.index.Parts, nil
	return nil
}

// remove works by subject: anyone who may store an object can store an invalid description, which
// is removed and reported.
func (o objects) remove(ctx context.Context, such func(name string) bool) error {
	names, err := o.names(ctx, such)
	if err != nil {
		return err
	}
	for _, name := range names {
		subject := metaSubject(o.name, name)
		msg, err := o.last(ctx, objectsStream+o.name, subject)
		if err != nil {
			return err
		}
		if msg == nil {
			continue
		}
		var info jetstream.ObjectInfo
		err = json.Unmarshal(msg.Data, &info)
		if err == nil {
			err = checkInfo(&info, name, maxData)
		}
		// Description first: readers then find no object, not a damaged one.
		if err := o.purgeSubjects(ctx, objectsStream+o.name, subject); err != nil {
			return err
		}
		if err != nil {
			o.config.Report(&DamagedError{printable(name, maxName), fmt.Errorf("its description is removed: %w", err)})
		} else if err := o.purgeSubjects(ctx, objectsStream+o.name, chunkSubject(o.name, info.NUID)); err != nil {
			return err
		}
	}
	return nil
}

// names includes damaged objects.
func (o objects) names(ctx context.Context, such func(name string) bool) (names []string, err error) {
	const described = ".M."
	subjects, err := o.subjects(ctx, objectsStream+o.name, "$O."+o.name+described+">")
	for subject := range subjects {
		name, err := base64.URLEncoding.DecodeString(subject[len("$O."+o.name+described):])
		if err == nil && such(string(name)) {
			names = append(names, string(name))
		}
	}
	return names, err
}

const cellsSuffix, collectedSuffix = "/cells", "/collected"

// CellsOf returns the name of a run's list of cells, which [Queue.RemoveData] of the run removes.
func CellsOf(run string) string { return run + cellsSuffix }

// CollectedOf returns the name of what says how far a run was collected, removed likewise.
func CollectedOf(run string) string { return run + collectedSuffix }

func validData(name string) error {
	return ValidName(strings.TrimSuffix(strings.TrimSuffix(name, cellsSuffix), collectedSuffix))
}

// PutData stores a data set under its digest, even over another. Meanwhile readers can get parts of
// both, which do not match the digest. An interrupted upload stores none.
func (q *Queue) PutData(ctx context.Context, digest string, r io.Reader) error {
	if err := validData(digest); err != nil {
		return fmt.Errorf("storing data set: digest %w", err)
	}
	if err := q.data.put(ctx, digest, r); err != nil {
		return fmt.Errorf("storing data set %s: %w", digest, err)
	}
	return nil
}

// Data reads a data set; the caller checks the digest. A missing one is [ErrNoData], a damaged one
// a [*DamagedError], now or while it is read.
func (q *Queue) Data(ctx context.Context, digest string) (io.ReadCloser, error) {
	if err := validData(digest); err != nil {
		return nil, fmt.Errorf("data set: digest %w", err)
	}
	r, err := q.data.open(ctx, digest, maxData)
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		err = ErrNoData
	}
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", digest, err)
	}
	return r, nil
}

// ReadData reads a small one whole, and a byte more than most of one that is larger.
func (q *Queue) ReadData(ctx context.Context, name string, most int64) ([]byte, error) {
	r, err := q.Data(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, most+1))
}

// RemoveData removes a data set, if present.
func (q *Queue) RemoveData(ctx context.Context, digest string) error {
	if err := ValidName(digest); err != nil {
		return fmt.Errorf("removing data set: digest %w", err)
	}
	// With the index, so that nobody reads the parts.
	return q.data.remove(ctx, func(name string) bool { return name == digest || strings.HasPrefix(name, digest+"/") })
}
