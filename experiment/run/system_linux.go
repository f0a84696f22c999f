package run

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// memory measures this process's resident memory.
type memory struct {
	pages  *os.File
	status *os.File // VmHWM is the peak
	reset  *os.File // /proc/self/clear_refs: 5 resets the peak
	buffer []byte
}

func openMemory() *memory {
	m := &memory{buffer: make([]byte, 8192)}
	m.pages, _ = os.Open("/proc/self/statm")
	m.status, _ = os.Open("/proc/self/status")
	m.reset, _ = os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0)
	return m
}

// now returns false if unknown.
func (m *memory) now() (int64, bool) {
	var buffer [128]byte
	if m.pages == nil {
		return 0, false
	}
	n, _ := m.pages.ReadAt(buffer[:], 0)
	fields := bytes.Fields(buffer[:n])
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}

func (m *memory) begin() {
	if m.reset != nil {
		_, _ = m.reset.WriteAt([]byte("5"), 0) // then the peak is unknown
	}
}

// peak returns the maximum since begin, false if unknown.
func (m *memory) peak() (int64, bool) {
	if m.reset == nil || m.status == nil {
		return 0, false
	}
	n, _ := m.status.ReadAt(m.buffer, 0)
	_, rest, found := bytes.Cut(m.buffer[:n], []byte("VmHWM:"))
	fields := bytes.Fields(rest[:min(len(rest), 40)])
	if !found || len(fields) == 0 {
		return 0, false
	}
	kilobytes, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return kilobytes << 10, err == nil
}

func (m *memory) sample(int64) {}

func threadTime() (time.Duration, bool) {
	var now unix.Timespec // getrusage counts at ticks, which miss most of a short cell
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now)
	return time.Duration(now.Nano()), err == nil
}

// withoutThread makes reading from a pipe wait without a thread. A thread that waits keeps its
// processor, for a while, from the goroutine that it has just given work.
func withoutThread(in io.Reader) io.Reader {
	file, ok := in.(*os.File)
	if !ok {
		return in
	}
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0) // of which the new file is the only owner
	if err != nil || unix.SetNonblock(fd, true) != nil {
		return in
	}
	return os.NewFile(uintptr(fd), file.Name())
}
