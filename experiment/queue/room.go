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
	roomEvery = time.Second // between two looks at the room
	// storeLimit is the most that an embedded server stores. Its default is three
	// quarters of what is free when it starts, beyond which it refuses messages on
	// a disk with room; the disk is the limit here.
	storeLimit = 1 << 60
)

// RoomError says that the disk of an embedded server is full.
type RoomError struct {
	Dir  string // the server's folder
	Free int64  // bytes
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("the disk of %s is full: %d KiB are free, and the embedded NATS server needs %d KiB at least; "+
		"make room there and run the same command again, which goes on where this one ended, or choose another disk by --out",
		e.Dir, e.Free>>10, leastRoom>>10)
}

// Unwrap returns the system's word for it.
func (e *RoomError) Unwrap() error { return syscall.ENOSPC }

// room returns a [*RoomError] where the disk of an embedded server's folder is
// full.
func room(dir string) error {
	free, err := disk.Free(dir)
	if err != nil {
		return fmt.Errorf("embedded NATS server: %w", err)
	}
	if free < leastRoom {
		return &RoomError{dir, free}
	}
	return nil
}

// Room returns a [*RoomError] where the server can store nothing more.
func (s *Server) Room() error {
	if err := room(s.dir); err != nil {
		return err
	}
	if s.server.JetStreamEnabled() {
		return nil
	}
	// It ran out of room, and turned its streams off, between two looks.
	free, err := disk.Free(s.dir)
	if err != nil {
		return fmt.Errorf("embedded NATS server: %w", err)
	}
	return &RoomError{s.dir, free}
}

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
