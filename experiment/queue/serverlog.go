package queue

import (
	"fmt"
	"sync"
)

// serverLog reports errors and warnings and keeps the last fatal error, which the server only logs.
type serverLog struct {
	report func(error)

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
	l.report(fmt.Errorf("embedded NATS server: "+format, v...))
}

func (l *serverLog) lastFatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}
