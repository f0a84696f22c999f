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

// endWait bounds the time for ending processes while others start.
const endWait = 10 * time.Second

type process struct {
	pid, parent int
	zombie      bool
	stopped     bool
	cpu         time.Duration
	bytes       int64
}

// Own makes this process the parent of all orphans below it, which must belong to its [Host].
// Processes that left their group, session and parents are found then.
func Own() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// ownGroup protects a command from ^C.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndTree ends a process, stopped meanwhile, and all below it.
func EndTree(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP) // may have ended
	end(func(all []process) []process { return below(all, pid) })
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func endBelow(pid int) {
	end(func(all []process) []process { return below(all, pid) })
}

// EndMarked ends all processes marked by [MarkVariable].
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

// end kills the processes that find returns until there are none. It first stops all, so that none
// starts others.
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
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // may have ended
			}
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // processes of others end without a signal
	}
}

// reap waits for an orphan; processes that this one started have their own waiter.
func reap(pid int) {
	if _, own := started.Load(pid); !own {
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // gone, or ends later
	}
}

// usage returns the processor time and memory of processes and their descendants. With alone, the
// memory of all processes below this one counts.
func usage(roots []int, alone bool) (cpu time.Duration, bytes int64) {
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
	}
	return cpu, bytes
}

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

// tick is the unit of processor time in /proc, fixed by Linux.
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
			continue
		}
		// The name, in parentheses, can hold anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 22 {
			continue
		}
		number := func(i int) int64 {
			n, _ := strconv.ParseInt(fields[i], 10, 64)
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
