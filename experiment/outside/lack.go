package outside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/agepath/agepath/internal/disk"
)

// LackError says that this machine or worker lacks something; another may have it.
type LackError struct {
	What string // such as "the program python3"
	Err  error
}

func (e *LackError) Error() string { return fmt.Sprintf("lacking %s: %v", e.What, e.Err) }
func (e *LackError) Unwrap() error { return e.Err }

// Permission is what a worker without commands lacks.
const Permission = "permission to run commands"

const lackRoom = "room in the folder for temporary files"

// leastRoom is the free space below which a failure in a temporary folder counts as lack of room.
const leastRoom = 1 << 20

func ofFolder(err error) error {
	if disk.Full(err) {
		return &LackError{lackRoom, err}
	}
	var path *fs.PathError
	var call *os.SyscallError
	if errors.As(err, &path) || errors.As(err, &call) {
		return &LackError{"a usable folder for temporary files", err}
	}
	return err
}

// ofStart returns a [LackError] unless the grid is at fault: its program must be among its files.
func ofStart(err error, program *Program) error {
	name := program.Run[0]
	foreign := strings.Contains(name, "/") && !strings.HasPrefix(name, "/") &&
		!slices.ContainsFunc(program.Files, func(f File) bool { return f.Name == strings.TrimPrefix(name, "./") })
	if foreign || errors.Is(err, syscall.E2BIG) || errors.Is(err, errClosed) {
		return err
	}
	return &LackError{"what starts the program " + name, err}
}

// ofEnd returns a [LackError] if the machine is at fault: no room, or exit statuses of shells and
// env for a program that is missing or cannot run.
func (s *session) ofEnd(err error) error {
	if free, files, failed := disk.Free(s.dir); failed == nil && (free < leastRoom || files == 0) {
		return &LackError{lackRoom, err}
	}
	if s.running.Err() != nil {
		if status := s.cmd.ProcessState.ExitCode(); status == 126 || status == 127 {
			return &LackError{"a program that the command starts", err}
		}
	}
	return err
}
