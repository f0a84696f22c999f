package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

// serveHealth answers health checks until stop is called. It begins before the worker connects,
// which may take long.
func serveHealth(ctx context.Context, base *command.Base, address string, health *run.Health) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, command.Refusef("--health: %w; allowed is host:port, such as 127.0.0.1:8481, or :8481 for all addresses", err)
	}
	server := &http.Server{Handler: health.Handler(), ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan struct{})
	go func() { // ends with stop
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			base.Log.Error("answering health checks: " + err.Error())
		}
	}()
	base.Log.Info("answering health checks", "address", listener.Addr().String())
	return func() {
		server.Close()
		<-ended
	}, nil
}
