package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/disk"
)

// ServerConfig describes an embedded server.
type ServerConfig struct {
	// Dir is the folder that holds its streams; it is created when missing.
	// One server at a time can use it.
	Dir string

	// Listen is a host:port on which other processes can connect, port 0 for
	// any free one. Default: none; only this process connects.
	Listen string

	// Report is told of the server's warnings and errors, a full disk for
	// example. It must not block and may be called from any goroutine.
	// Default: nothing is told.
	Report func(error)
}

// Server is a NATS server with JetStream inside this process. A power cut can take what it
// confirmed in the last two minutes, parts of its store that others count on too: results last
// once they are in the folder of the run.
type Server struct {
	server *server.Server
	dir    string
	lock   io.Closer
}

// startWait bounds the time from the start of a server to its readiness. That takes
// milliseconds, on a machine with much to do seconds.
const startWait = time.Minute

// StartServer starts an embedded server and returns when it is ready. Reach it
// with [Config.Server]. It fails with a [*RoomError] on a full disk.
func StartServer(ctx context.Context, config ServerConfig) (*Server, error) {
	if config.Dir == "" {
		return nil, errors.New("embedded NATS server: no folder given")
	}
	if config.Report == nil {
		config.Report = func(error) {}
	}
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", err)
	}
	if err := room(config.Dir, false); err != nil {
		return nil, err
	}
	path := filepath.Join(config.Dir, "lock")
	lock, err := disk.OS{}.Lock(path)
	if errors.As(err, new(*disk.HeldError)) {
		err = fmt.Errorf("%s is locked by another process: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", err)
	}
	s, err := start(ctx, config)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded NATS server in %s: %w", config.Dir, err), lock.Close())
	}
	return &Server{server: s, dir: config.Dir, lock: lock}, nil
}

func start(ctx context.Context, config ServerConfig) (*server.Server, error) {
	options := &server.Options{
		ServerName: "agepath",
		DontListen: config.Listen == "",
		NoSigs:     true,
		NoLog:      true,
		StoreDir:   config.Dir,
	}
	if config.Listen != "" {
		host, port, err := hostPort(config.Listen)
		if err != nil {
			return nil, err
		}
		options.Host, options.Port = host, port
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	log := &serverLog{report: config.Report}
	s.SetLoggerV2(log, false, false, false)
	s.Start()
	// JetStream is enabled here and not by Options.JetStream because there a
	// folder that cannot be used ends up in the server's log only.
	if err := s.EnableJetStream(&server.JetStreamConfig{StoreDir: config.Dir, MaxStore: storeLimit}); err != nil {
		stop(s)
		return nil, fmt.Errorf("opening its store: %w", err)
	}
	if err := ready(ctx, s, log); err != nil {
		stop(s)
		return nil, err
	}
	return s, nil
}

// ready waits until clients can connect. What the server cannot survive, such
// as a port that is taken, it tells its log alone.
func ready(ctx context.Context, s *server.Server, log *serverLog) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startWait, fmt.Errorf("not ready after %v", startWait))
	defer cancel()
	for !s.ReadyForConnections(50 * time.Millisecond) {
		if err := log.lastFatal(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// URL is where other processes connect; empty without [ServerConfig.Listen].
func (s *Server) URL() string {
	if s.server.Addr() == nil {
		return ""
	}
	return s.server.ClientURL()
}

// Shutdown stops the server and returns when its files are closed. Close the
// queues connected to it before.
func (s *Server) Shutdown() error {
	stop(s.server)
	if err := s.lock.Close(); err != nil {
		return fmt.Errorf("embedded NATS server: releasing its folder: %w", err)
	}
	return nil
}

func hostPort(listen string) (string, int, error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("listen address %q: %w", listen, err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("listen address %q: port %q; allowed are 0 to 65535", listen, text)
	}
	if port == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, int(port), nil
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}
