package run

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func threadTime() (time.Duration, bool) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
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
