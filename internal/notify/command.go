package notify

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	commandWait = 30 * time.Second
	// saidBytes of a failed command's output are logged.
	saidBytes = 1 << 10
)

// shellCommand runs for each event, given on standard input.
type shellCommand string

func (c shellCommand) send(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, commandWait)
	defer cancel()
	command := exec.CommandContext(ctx, shell[0], shell[1], string(c))
	command.Stdin = bytes.NewReader(append(body, '\n'))
	var said head
	command.Stdout, command.Stderr = &said, &said
	command.WaitDelay = 2 * time.Second
	withGroup(command)
	err := command.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("it did not end within %v and was killed", commandWait)
	case err != nil:
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}

type head []byte

func (h *head) Write(p []byte) (int, error) {
	*h = append(*h, p[:min(len(p), saidBytes-len(*h))]...)
	return len(p), nil
}
