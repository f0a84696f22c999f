package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/disk"
)

// ServerConfig describes an embedded server.
type ServerConfig struct {
	// Dir holds its streams; it is created if missing. The caller sees to it that no other server
	// uses it.
	Dir string

	// Listen is a host:port for other processes once [Server.Open] is called, port 0 for any free
	// one. If other machines reach it, it needs a Token. Default: none.
	Listen string

	// Token is required of every connection. Default: none.
	Token string

	// Report receives warnings and errors. It must not block; any goroutine may call it.
	Report func(error)
}

// Server is a NATS server with JetStream in this process. A power cut can lose what it confirmed in
// the last two minutes and damage its store; results last once they are in the run's folder.
type Server struct {
	server *server.Server
	log    *serverLog
	config ServerConfig
}

// startWait allows for seconds on a busy machine.
const startWait = time.Minute

// StartServer returns when the server is ready. On a full disk the error is ENOSPC.
func StartServer(config ServerConfig) (*Server, error) {
	if config.Report == nil {
		config.Report = func(error) {}
	}
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", err)
	}
	if err := room(config.Dir, false); err != nil {
		return nil, err
	}
	s := &Server{config: config, log: &serverLog{report: config.Report}}
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("embedded NATS server in %s: %w", config.Dir, err)
	}
	return s, nil
}

func (s *Server) start() (err error) {
	options := &server.Options{
		ServerName:    "agepath",
		Authorization: s.config.Token,
		DontListen:    true,
		NoSigs:        true,
		NoLog:         true,
		StoreDir:      s.config.Dir,
	}
	if s.config.Listen != "" {
		address, err := net.ResolveTCPAddr("tcp", s.config.Listen)
		if err != nil {
			return fmt.Errorf("listen address %q: %w", s.config.Listen, err)
		}
		if s.config.Token == "" && !address.IP.IsLoopback() {
			return fmt.Errorf("listen address %q: without a token only one of this machine alone is allowed, such as 127.0.0.1:4222", s.config.Listen)
		}
		options.Host, _, _ = net.SplitHostPort(s.config.Listen) // it has been resolved
		options.Port = cmp.Or(address.Port, server.RANDOM_PORT)
	}
	if s.server, err = server.NewServer(options); err != nil {
		return err
	}
	s.server.SetLoggerV2(s.log, false, false, false)
	s.server.Start()
	// Options.JetStream would only log that a folder cannot be used.
	err = s.server.EnableJetStream(&server.JetStreamConfig{StoreDir: s.config.Dir, MaxStore: storeLimit})
	if err != nil {
		err = fmt.Errorf("opening its store: %w", err)
	} else if !s.server.ReadyForConnections(startWait) { // it only logs why
		err = cmp.Or(s.log.lastFatal(), fmt.Errorf("not ready after %v", startWait))
	}
	if err != nil {
		s.Shutdown()
	}
	return err
}

// Open lets other processes connect to [ServerConfig.Listen].
func (s *Server) Open() error {
	s.server.AcceptLoop(make(chan struct{})) // returns when the port is open
	if s.server.Addr() == nil {              // a taken port is only logged
		return cmp.Or(s.log.lastFatal(), errors.New("it is shut down"))
	}
	return nil
}

// URL is where other processes connect, with the token; "" if they cannot. For all addresses it has
// the name of this machine.
func (s *Server) URL() string {
	address, ok := s.server.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	host, _, _ := net.SplitHostPort(s.config.Listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		var err error
		if host, err = os.Hostname(); err != nil {
			host = address.IP.String()
		}
	}
	u := url.URL{Scheme: schemes[0], Host: net.JoinHostPort(host, strconv.Itoa(address.Port))}
	if s.config.Token != "" {
		u.User = url.User(s.config.Token)
	}
	return u.String()
}

// Empty waits until only own connections are left or ctx ends.
func (s *Server) Empty(ctx context.Context, own int) {
	for s.server.NumClients() > own && Sleep(ctx, 20*time.Millisecond) == nil {
	}
}

// Shutdown returns when the server's files are closed. Close its queues before.
func (s *Server) Shutdown() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// serverLog reports errors and warnings and keeps the last fatal error, which the server only logs.
type serverLog struct {
	report func(error)
	full   atomic.Pointer[error] // that the disk takes no more, see [disk.FullIn]

	mu    sync.Mutex
	fatal error
}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

func (l *serverLog) Warnf(format string, v ...any)  { l.tell(format, v) }
func (l *serverLog) Errorf(format string, v ...any) { l.tell(format, v) }

func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	l.fatal = fmt.Errorf(format, v...)
	l.mu.Unlock()
	l.tell(format, v)
}

func (l *serverLog) tell(format string, v []any) {
	err := fmt.Errorf("embedded NATS server: "+format, v...)
	if full := disk.FullIn(err.Error()); full != nil {
		l.full.Store(&full)
	}
	l.report(err)
}

func (l *serverLog) lastFatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

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

// room returns an error, of [disk.Full], if the server can store no more. One that gave up, since it
// turned its streams off, ran out of room between two checks. A quota or a limit of files' sizes shows
// only when it writes.
func (s *Server) room() error {
	if full := s.log.full.Load(); full != nil {
		return disk.Advise(fmt.Errorf("the embedded NATS server cannot write to the disk of %s: %w", s.config.Dir, *full))
	}
	return room(s.config.Dir, !s.server.JetStreamEnabled())
}

func room(dir string, gaveUp bool) error {
	free, files, err := disk.Free(dir)
	if err != nil {
		return fmt.Errorf("embedded NATS server: %w", err)
	}
	full := ""
	switch {
	case files < leastFiles:
		full = fmt.Sprintf("has no room for files: %d inodes are free, and the embedded NATS server needs %d", files, leastFiles)
	case gaveUp || free < leastRoom:
		full = fmt.Sprintf("is full: %d KiB are free, and the embedded NATS server needs %d KiB", free>>10, leastRoom>>10)
	default:
		return nil
	}
	return disk.Advise(fmt.Errorf("the disk of %s %s at least: %w", dir, full, syscall.ENOSPC))
}

// WatchRoom returns a context that ends when the server is out of room, and a function that ends the
// watching and replaces the error of the work if the lack of room is its cause: the server's own
// error says nothing useful then.
func (s *Server) WatchRoom(ctx context.Context) (context.Context, func(error) error) {
	ctx, end := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	var full error
	go func() { // ends with ctx
		defer close(watched)
		for full == nil && Sleep(ctx, roomEvery) == nil {
			if full = s.room(); full != nil {
				end(full)
			}
		}
	}()
	return ctx, func(err error) error {
		end(nil)
		<-watched
		if err != nil {
			err = cmp.Or(full, s.room(), err)
		}
		return err
	}
}
