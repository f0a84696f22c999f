package queue

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/agepath/agepath/internal/disk"
)

const (
	// leastRoom is the free space of its disk below which an embedded server is
	// given up. The server itself cannot be asked: on a full disk it stops
	// answering, or turns its streams off for good, and says so in its log alone.
	// Some tasks, results and blocks of streams have to fit in, and then the
	// results that are flushed to the same disk.
	leastRoom = 1 << 20
	// leastFiles is how many files it needs, likewise: blocks of streams, and the tables.
	leastFiles = 32
	roomEvery  = time.Second // between two looks at the room
	// storeLimit is the most that an embedded server stores. Its default is three
	// quarters of what is free when it starts, beyond which it refuses messages on
	// a disk with room; the disk is the limit here.
	storeLimit = 1 << 60
)

// RoomError says that the disk of an embedded server is full.
type RoomError struct {
	Dir   string // the server's folder
	Free  int64  // bytes
	Files int64  // that can be created there
}

func (e *RoomError) Error() string {
	full := fmt.Sprintf("is full: %d KiB are free, and the embedded NATS server needs %d KiB", e.Free>>10, leastRoom>>10)
	if e.Files < leastFiles {
		full = fmt.Sprintf("has no room for files: %d inodes are free, and the embedded NATS server needs %d", e.Files, leastFiles)
	}
	return fmt.Sprintf("the disk of %s %s at least; "+
		"make room there and run the same command again, which resumes, or choose another disk by --out", e.Dir, full)
}

// Unwrap returns the system's word for it.
func (e *RoomError) Unwrap() error { return syscall.ENOSPC }

// room returns a [*RoomError] where the disk of an embedded server's folder is full, or has
// no room for files, or where the server gave up.
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

// Room returns a [*RoomError] where the server can store nothing more. One that turned its
// streams off ran out of room between two looks.
func (s *Server) Room() error { return room(s.config.Dir, !s.server.JetStreamEnabled()) }

// WatchRoom returns once [Server.Room] has an error, with that, or when ctx ends,
// with nil.
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
