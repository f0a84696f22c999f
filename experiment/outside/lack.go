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

// LackError says that a cell was not computed for what this machine or its worker lacks.
// Another worker can have it.
type LackError struct {
	What string // such as "the program python3"
	Err  error  // how that was noticed
}

func (e *LackError) Error() string { return fmt.Sprintf("lacking %s: %v", e.What, e.Err) }
func (e *LackError) Unwrap() error { return e.Err }

// Permission is what a worker lacks that runs no commands.
const Permission = "permission to run commands"

const (
	lackRoom   = "room in the folder for temporary files"
	lackFolder = "a usable folder for temporary files"
)

// leastRoom is how many bytes a folder for temporary files has at least: with less of them
// what fails there fails for want of room.
const leastRoom = 1 << 20

func ofFolder(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &LackError{lackRoom, err}
	}
	var path *fs.PathError
	var call *os.SyscallError
	if errors.As(err, &path) || errors.As(err, &call) {
		return &LackError{lackFolder, err}
	}
	return err
}

// ofStart makes a [LackError] of an error of starting a program, but where the grid is to
// blame: a program below the command's folder has to be among its files.
func ofStart(err error, program *Program) error {
	name := program.Run[0]
	foreign := strings.Contains(name, "/") && !strings.HasPrefix(name, "/") &&
		!slices.ContainsFunc(program.Files, func(f File) bool { return f.Name == strings.TrimPrefix(name, "./") })
	if foreign || errors.Is(err, syscall.E2BIG) || errors.Is(err, errClosed) {
		return err
	}
	return &LackError{"what starts the program " + name, err}
}

// ofEnd makes a [LackError] of how a command failed where its machine is to blame: by the
// exit statuses of shells and of env for a program that is not there or cannot be run, or
// with no room left in its folder.
func (s *session) ofEnd(err error) error {
	if free, files, failed := disk.Free(s.dir); failed == nil && (free < leastRoom || files == 0) {
		return &LackError{lackRoom, err}
	}
	if s.over() {
		if status := s.cmd.ProcessState.ExitCode(); status == 126 || status == 127 {
			return &LackError{"a program that the command starts", err}
		}
	}
	return err
}
