package outside

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/disk"
)

const (
	idleWait = 5 * time.Second
	// lineWait bounds the delay between a command's end and the end of its output.
	lineWait = 200 * time.Millisecond
	// maxSoftware is how many bytes of a report of software are kept.
	maxSoftware = 1000
	// stderrWait bounds the delay of standard error after an error.
	stderrWait = 50 * time.Millisecond
	// FolderPrefix begins the names of commands' temporary folders.
	FolderPrefix = "agepath-command-"
	// MarkVariable marks the processes of commands; a worker sets its value for the slot.
	MarkVariable = "AGEPATH_COMMAND"
)

var errClosed = errors.New("this process is about to end")

// Host runs commands for one slot's cells.
type Host struct {
	Open func(ctx context.Context, digest string) (io.ReadCloser, error)
	// Lookup returns a variable that a program names. Default: [os.LookupEnv].
	Lookup func(name string) (string, bool)
	// Alone says that all processes below this one belong to commands, see [Own].
	Alone bool
	// Stderr receives commands' standard error. Default: its end goes into the errors of cells.
	Stderr io.Writer

	turn    sync.Mutex // held while a command starts or an idle one ends, with all below this process if Alone
	mu      sync.Mutex
	all     map[*session]bool
	idle    *session
	closed  bool
	expires *time.Timer
	cpu     time.Duration

	software string // of the last answer
}

type session struct {
	key    string
	mark   string // of its processes: the worker's, else its own
	dir    string
	remove func() error
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	lines  chan line // closed after the last answer
	trash  error     // valid once lines is closed; nil after the output ended
	stderr *tail

	running context.Context // until the command was waited for, even if others hold its output
	waited  context.CancelFunc
}

type line struct {
	text []byte
	more bool // output followed the line
}

// started has the ids of the processes that this one waits for itself.
var started sync.Map

// Solve computes a cell, given as JSON. When ctx ends, so do the command and all processes that it
// started, and the error wraps that of ctx.
func (h *Host) Solve(ctx context.Context, program *Program, cell []byte, prepared *dataset.Prepared) (*Answer, error) {
	return h.ask(ctx, program, cell, prepared, func(a *Answer) error { return a.check(prepared) })
}

// Curve is [Host.Solve] for a solver: coefficients have no intercept.
func (h *Host) Curve(ctx context.Context, program *Program, cell []byte, prepared *dataset.Prepared) (*Answer, error) {
	return h.ask(ctx, program, cell, prepared, func(a *Answer) error { return a.checkCurve(prepared.Train.D) })
}

func (h *Host) ask(ctx context.Context, program *Program, cell []byte, prepared *dataset.Prepared, check func(*Answer) error) (*Answer, error) {
	key, err := program.Canonical()
	if err != nil {
		return nil, err
	}
	s, err := h.idleOrStart(ctx, key, program)
	if err != nil {
		return nil, err
	}
	answer, err := s.solve(ctx, cell, prepared, check)
	if err != nil && ctx.Err() == nil {
		err = s.ofEnd(err)
	}
	var refused *CellError
	if err == nil || errors.As(err, &refused) {
		if err != nil {
			time.Sleep(stderrWait) //nolint:forbidigo // nothing says that a program has written all
		}
		text := s.stderr.take()
		if err == nil {
			h.mu.Lock()
			h.software = strings.ToValidUTF8(answer.Software[:min(len(answer.Software), maxSoftware)], "")
			h.mu.Unlock()
		}
		h.give(s)
		return answer, withStderr(err, text)
	}
	h.end(s)
	return nil, withStderr(err, s.stderr.take())
}

func withStderr(err error, text string) error {
	if err == nil || text == "" {
		return err
	}
	return fmt.Errorf("%w%s%s", err, stderrHead, text)
}

const stderrHead = "\nstandard error:\n"

// CutStderr splits a command's error into message and standard error, if any.
func CutStderr(text string) (message, stderr string) {
	message, stderr, _ = strings.Cut(text, stderrHead)
	return message, stderr
}

// NoAnswer marks an error whose cause only standard error can show.
const NoAnswer = " without an answer"

// Unanswered reports whether an error's message says that a command gave no answer.
func Unanswered(message string) bool { return strings.Contains(message, NoAnswer) }

func (h *Host) idleOrStart(ctx context.Context, key string, program *Program) (*session, error) {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.mu.Lock()
	s := h.idle
	h.idle = nil
	if h.expires != nil {
		h.expires.Stop()
	}
	h.mu.Unlock()
	if s != nil && s.key == key && s.running.Err() == nil {
		return s, nil
	}
	if s != nil {
		h.end(s)
	}
	return h.start(ctx, key, program)
}

func (h *Host) give(s *session) {
	h.mu.Lock()
	other := h.idle
	h.idle = s
	h.expires = time.AfterFunc(idleWait, func() { h.expire(s) })
	h.mu.Unlock()
	if other != nil { // of a concurrent cell
		h.end(other)
	}
}

func (h *Host) expire(s *session) {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.mu.Lock()
	mine := h.idle == s
	if mine {
		h.idle = nil
	}
	h.mu.Unlock()
	if mine {
		h.end(s)
	}
}

// Close ends all commands; no more start.
func (h *Host) Close() {
	h.mu.Lock()
	all := slices.Collect(maps.Keys(h.all))
	h.idle, h.closed = nil, true
	h.mu.Unlock()
	for _, s := range all {
		h.end(s)
	}
}

// Kill ends all processes at once and removes their folders, for a process about to end.
func (h *Host) Kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.all {
		h.kill(s)
		_ = s.remove() // leaves a temporary file at worst
	}
}

func (h *Host) kill(s *session) {
	if h.Alone {
		endBelow(os.Getpid())
		return
	}
	endBelow(s.cmd.Process.Pid)
	_ = s.cmd.Process.Kill() // may have ended
	EndMarked(s.mark)
}

func (h *Host) end(s *session) {
	h.mu.Lock()
	known := h.all[s]
	var lived time.Duration
	if known { // counted before it is gone: Usage never falls
		lived, _ = usage([]int{s.cmd.Process.Pid}, false)
		h.cpu += lived
		delete(h.all, s)
	}
	h.mu.Unlock()
	if !known {
		return
	}
	h.kill(s)
	s.in.Close()
	<-s.running.Done()
	s.out.Close()
	for range s.lines { // drain
	}
	started.Delete(s.cmd.Process.Pid)
	h.mu.Lock()
	h.cpu += max(0, s.cmd.ProcessState.UserTime()+s.cmd.ProcessState.SystemTime()-lived)
	h.mu.Unlock()
	_ = s.remove()
}

// Usage returns commands' processor time so far and memory now.
func (h *Host) Usage() (cpu time.Duration, bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) == 0 {
		return h.cpu, 0
	}
	var roots []int
	for s := range h.all {
		roots = append(roots, s.cmd.Process.Pid)
	}
	cpu, bytes = usage(roots, h.Alone)
	return h.cpu + cpu, bytes
}

// TakeSoftware returns what the command of the last answer reported, once.
func (h *Host) TakeSoftware() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.software
	h.software = ""
	return text
}

func (h *Host) start(ctx context.Context, key string, program *Program) (_ *session, err error) {
	dir, remove, err := disk.TemporaryFolder(FolderPrefix)
	if err != nil {
		return nil, ofFolder(err)
	}
	defer func() {
		if err != nil {
			_ = remove()
		}
	}()
	for _, file := range program.Files {
		if err := h.put(ctx, dir, file); err != nil {
			return nil, ofFolder(fmt.Errorf("the file %s of the command: %w", file.Name, err))
		}
	}
	mark, ofWorker := os.LookupEnv(MarkVariable)
	if !ofWorker {
		mark = rand.Text()
	}
	s := &session{key: key, mark: mark, dir: dir, remove: remove, stderr: new(tail), lines: make(chan line)}
	s.running, s.waited = context.WithCancel(context.Background())
	s.cmd = exec.Command(program.Run[0], program.Run[1:]...) //nolint:noctx // the host ends its process group
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = dir, h.environment(program, mark), s.stderr
	if h.Stderr != nil {
		s.cmd.Stderr = h.Stderr
	}
	s.cmd.WaitDelay = time.Second // if others hold its standard error
	ownGroup(s.cmd)
	starting := func(err error) error {
		return fmt.Errorf("starting the command %s: %w", program.Run[0], ofStart(err, program))
	}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, starting(err)
	}
	out, given, err := os.Pipe()
	if err != nil {
		return nil, starting(err)
	}
	defer given.Close()
	s.out, s.cmd.Stdout = out, given
	h.mu.Lock()
	defer h.mu.Unlock()
	err = errClosed
	if !h.closed {
		err = s.cmd.Start()
	}
	if err != nil {
		out.Close()
		return nil, starting(err)
	}
	started.Store(s.cmd.Process.Pid, true)
	if h.all == nil {
		h.all = map[*session]bool{}
	}
	h.all[s] = true
	go func() { // ends with the command
		_ = s.cmd.Wait() // ProcessState has the result
		s.waited()
	}()
	go s.listen() // ends when its output is closed here or by all that hold it
	return s, nil
}

// environment adds the program's variables and the mark.
func (h *Host) environment(program *Program, mark string) []string {
	lookup := h.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	list := Base(os.Environ())
	for _, name := range program.Env {
		if value, ok := lookup(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return append(list, MarkVariable+"="+mark)
}

func (h *Host) put(ctx context.Context, dir string, file File) error {
	body, err := h.Open(ctx, file.Digest)
	if err != nil {
		return err
	}
	defer body.Close()
	content, err := io.ReadAll(io.LimitReader(body, MaxFileSize+1))
	if err != nil {
		return err
	}
	if have := Digest(content); have != file.Digest {
		return fmt.Errorf("it has the digest %s, not %s", have, file.Digest)
	}
	path := filepath.Join(dir, filepath.FromSlash(file.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o700)
}

func (s *session) listen() {
	defer close(s.lines)
	r := bufio.NewReaderSize(s.out, 64<<10)
	for {
		text, err := readLine(r)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.trash = err
			}
			return
		}
		s.lines <- line{text, r.Buffered() > 0}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, fmt.Errorf("its answer has more than %d MiB in a line", maxLine>>20)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, io.EOF // also for a closed pipe; an unterminated last line is no answer
		}
	}
}

// solve requests a cell. A line before the request, or a second one, is an error: it could answer
// any cell.
func (s *session) solve(ctx context.Context, cell []byte, prepared *dataset.Prepared, check func(*Answer) error) (*Answer, error) {
	var id struct{ ID string }
	if err := json.Unmarshal(cell, &id); err != nil || id.ID == "" {
		return nil, fmt.Errorf("a cell without an id: %.200q", cell)
	}
	select {
	case line, ok := <-s.lines:
		if !ok {
			return nil, s.how()
		}
		return nil, fmt.Errorf("the command wrote %.200q before it was asked for the cell %s; %s", line.text, id.ID, oneLine)
	default:
	}
	answer := filepath.Join(s.dir, answerName+".arrow")
	_ = os.Remove(answer)
	data, err := WriteParts(filepath.Join(s.dir, dataName+".arrow"), prepared)
	if err != nil {
		return nil, ofFolder(fmt.Errorf("writing the data for the command: %w", err))
	}
	asked, err := json.Marshal(request{Protocol: Protocol, Cell: cell, Data: data, Answer: answer})
	if err != nil {
		return nil, err
	}
	go func() { // ends with the command
		_, _ = s.in.Write(append(asked, '\n')) // failure shows when the command ends
	}()
	ended, late := s.running.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return nil, s.how()
			}
			if line.more {
				return nil, fmt.Errorf("the command wrote more than %.200q for the cell %s; %s", line.text, id.ID, oneLine)
			}
			return readAnswer(line.text, id.ID, answer, check)
		case <-ended: // others may hold its output
			ended, late = nil, time.After(lineWait)
		case <-late:
			return nil, s.how()
		case <-ctx.Done():
			return nil, fmt.Errorf("the command was ended: %w", ctx.Err())
		}
	}
}

func (s *session) how() error {
	if s.trash != nil {
		return s.trash
	}
	timer := time.NewTimer(lineWait)
	defer timer.Stop()
	select {
	case <-s.running.Done():
		return fmt.Errorf("the command ended"+NoAnswer+": %v", s.cmd.ProcessState)
	case <-timer.C:
		return errors.New("the command closed its output" + NoAnswer)
	}
}

// tailBytes is how much of the end of standard error is kept.
const tailBytes = 8 << 10

type tail struct {
	mu   sync.Mutex
	text []byte
	more bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailBytes):]...)
	if over := len(t.text) - tailBytes; over > 0 || len(p) > tailBytes {
		t.text, t.more = append(t.text[:0], t.text[max(0, over):]...), true
	}
	return len(p), nil
}

func (t *tail) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD"))
	if t.more {
		text = "...\n" + text
	}
	t.text, t.more = nil, false
	return text
}
