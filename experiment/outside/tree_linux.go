package outside

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endWait bounds how long processes are ended that others start meanwhile.
const endWait = 10 * time.Second

type process struct {
	pid, parent int
	zombie      bool
	stopped     bool
	cpu         time.Duration
	bytes       int64 // resident
}

// Own makes orphans of all processes below this one its children, and says that none
// of them is another's business than that of its [Host]. A process that leaves its
// group, its session and its parents is found then.
func Own() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// ownGroup gives a command a process group of its own, so that no ^C reaches it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndTree ends a process and all below it. While they are ended the process is
// stopped.
func EndTree(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it can have ended
	end(func(all []process) []process { return below(all, pid) })
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func endBelow(pid int) {
	end(func(all []process) []process { return below(all, pid) })
}

// EndMarked ends all processes whose environment has the mark, see [Mark].
func EndMarked(mark string) {
	entry := []byte(MarkVariable + "=" + mark)
	self := os.Getpid()
	end(func(all []process) []process {
		return slices.DeleteFunc(all, func(p process) bool {
			text, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
			return err != nil || p.pid == self || !slices.ContainsFunc(bytes.Split(text, []byte{0}), func(v []byte) bool {
				return bytes.Equal(v, entry)
			})
		})
	})
}

// end stops and kills the processes that find chooses until there are none. All are
// stopped before the first is killed, so that none starts another in time.
func end(find func(all []process) []process) {
	self := os.Getpid()
	for began := time.Now(); time.Since(began) < endWait; {
		running, living := 0, 0
		list := find(processes())
		for _, p := range list {
			switch {
			case p.zombie && p.parent == self:
				reap(p.pid)
			case !p.zombie:
				living++
				if !p.stopped && syscall.Kill(p.pid, syscall.SIGSTOP) == nil {
					running++
				}
			}
		}
		if living == 0 {
			return
		}
		if running > 0 && time.Since(began) < endWait/2 {
			continue
		}
		for _, p := range list {
			if !p.zombie {
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // it can have ended
			}
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // processes of others end without a signal
	}
}

// reap takes the exit status of an orphan. That of a process that this one started is
// left to who waits for it.
func reap(pid int) {
	if started.has(pid) {
		return
	}
	_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it is gone, or ends later
}

// usage returns the processor time and the memory of some processes and of those
// below them, with as much of the shared memory as they have not mapped. Alone says that
// the memory of all processes below this one counts, whoever their parents are.
func usage(roots []int, alone bool, shared int64) (cpu time.Duration, bytes int64) {
	all := processes()
	var list []process
	for _, root := range roots {
		list = append(list, below(all, root)...)
	}
	for _, p := range all {
		if slices.Contains(roots, p.pid) {
			list = append(list, p)
		}
	}
	for _, p := range list {
		cpu += p.cpu
	}
	if alone {
		list = below(all, os.Getpid())
	}
	for _, p := range list {
		bytes += p.bytes
		if shared > 0 {
			shared -= mapped(p.pid)
		}
	}
	return cpu, bytes + max(shared, 0)
}

// below returns the processes of a list that descend from one.
func below(all []process, pid int) []process {
	in := map[int]bool{pid: true}
	var list []process
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if in[p.parent] && !in[p.pid] {
				in[p.pid], grown = true, true
				list = append(list, p)
			}
		}
	}
	return list
}

// tick is the unit of processor time in /proc, which Linux fixes for programs.
const tick = 10 * time.Millisecond

func processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var list []process
	page := int64(os.Getpagesize())
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it ended
		}
		// The name, in brackets, can hold anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 22 {
			continue
		}
		number := func(i int) int64 {
			n, _ := strconv.ParseInt(fields[i], 10, 64) // the kernel writes numbers
			return n
		}
		list = append(list, process{
			pid: pid, parent: int(number(1)), zombie: fields[0] == "Z" || fields[0] == "X",
			stopped: fields[0] == "T" || fields[0] == "t",
			cpu:     time.Duration(number(11)+number(12)+number(13)+number(14)) * tick,
			bytes:   number(21) * page,
		})
	}
	return list
}
