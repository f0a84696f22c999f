package queue

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/agepath/agepath/internal/disk"
)

const (
	// leastRoom is the free disk space below which an embedded server is given up. On a full disk
	// it stops answering or turns its streams off for good, and only logs why. Some tasks, results
	// and stream blocks must fit in, and then the results flushed to the same disk.
	leastRoom = 1 << 20
	// leastFiles is the minimum number of free files, for stream blocks and tables.
	leastFiles = 32
	roomEvery  = time.Second
	// storeLimit leaves the limit to the disk. The server's default, three quarters of the free
	// space at the start, would refuse messages on a disk with room.
	storeLimit = 1 << 60
)

// RoomError says that the disk of an embedded server is full.
type RoomError struct {
	Dir   string
	Free  int64
	Files int64 // that can be created
}

func (e *RoomError) Error() string {
	full := fmt.Sprintf("is full: %d KiB are free, and the embedded NATS server needs %d KiB", e.Free>>10, leastRoom>>10)
	if e.Files < leastFiles {
		full = fmt.Sprintf("has no room for files: %d inodes are free, and the embedded NATS server needs %d", e.Files, leastFiles)
	}
	return fmt.Sprintf("the disk of %s %s at least; "+
		"make room there and run the same command again, which resumes, or choose another disk by --out", e.Dir, full)
}

// Unwrap returns ENOSPC.
func (e *RoomError) Unwrap() error { return syscall.ENOSPC }

func room(dir string, gaveUp bool) error {
	free, files, err := disk.Free(dir)
	if err != nil {
		return fmt.Errorf("embedded NATS server: %w", err)
	}
	if gaveUp || free < leastRoom || files < leastFiles {
		return &RoomError{dir, free, files}
	}
	return nil
}

// Room returns a [*RoomError] if the server can store no more. One that turned its streams off ran
// out of room between two checks.
func (s *Server) Room() error { return room(s.config.Dir, !s.server.JetStreamEnabled()) }

// WatchRoom returns the error of [Server.Room] once there is one, nil when ctx ends.
func (s *Server) WatchRoom(ctx context.Context) error {
	ticker := time.NewTicker(roomEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := s.Room(); err != nil {
				return err
			}
		}
	}
}
