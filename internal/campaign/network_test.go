//go:build unix

package campaign

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// network is a LAN of hosts: network namespaces, each with a cable (a veth pair)
// to a bridge, whose address is this process's. The names of all its parts are
// age-PID or age-PID-HOST.
type network struct {
	bridge  string
	address netip.Addr // of the bridge
	hosts   []*namespace
	netem   bool // the kernel can delay packets
}

// namespace is a host of a network: its name is that of the cable's end at the
// bridge too.
type namespace struct{ name string }

// benchmarking is what RFC 2544 sets aside for tests of networks. Each network has
// eight addresses of it.
var benchmarking = netip.MustParsePrefix("198.18.0.0/15")

const (
	networkBits = 29
	networks    = 1 << (networkBits - 15)
	mostHosts   = 5 // with the bridge, the network and the broadcast address
)

// newNetwork makes a network, which the end of the test removes; so it does with
// what runs that were killed left behind. An error says what this system lacks.
func newNetwork(t *testing.T, hosts int) (*network, error) {
	t.Helper()
	if hosts > mostHosts {
		t.Fatalf("%d hosts in a network, at most %d are possible", hosts, mostHosts)
	}
	if err := removeStale(); err != nil {
		return nil, err
	}
	subnet, err := freeSubnet()
	if err != nil {
		return nil, err
	}
	n := &network{bridge: fmt.Sprintf("age-%d", os.Getpid()), address: subnet.Addr().Next()}
	t.Cleanup(func() {
		if err := removeNetwork(os.Getpid()); err != nil {
			t.Error(err)
		}
	})
	at := func(a netip.Addr) string { return netip.PrefixFrom(a, networkBits).String() }
	steps := [][]string{
		{"link", "add", n.bridge, "type", "bridge"},
		{"address", "add", at(n.address), "dev", n.bridge},
		{"link", "set", n.bridge, "up"},
	}
	address := n.address
	for i := range hosts {
		host := &namespace{fmt.Sprintf("%s-%d", n.bridge, i)}
		n.hosts = append(n.hosts, host)
		address = address.Next()
		steps = append(steps,
			[]string{"netns", "add", host.name},
			[]string{"link", "add", host.name, "type", "veth", "peer", "name", "eth0", "netns", host.name},
			[]string{"link", "set", host.name, "master", n.bridge, "up"},
			[]string{"-netns", host.name, "address", "add", at(address), "dev", "eth0"},
			[]string{"-netns", host.name, "link", "set", "eth0", "up"},
			[]string{"-netns", host.name, "link", "set", "lo", "up"},
		)
	}
	steps = append(steps, []string{"netns", "exec", n.hosts[0].name, "true"})
	for _, step := range steps {
		if _, err := system("ip", step...); err != nil {
			return nil, err
		}
	}
	if err := n.hosts[0].delay("1ms"); err != nil {
		t.Logf("latency comes from the proxy, not from netem: %v", err)
		return n, nil
	}
	n.netem = true
	return n, n.hosts[0].undelay()
}

// freeSubnet returns a subnet of which this machine has no address. The process
// decides where the search begins, so that runs side by side do not collide.
func freeSubnet() (netip.Prefix, error) {
	base := benchmarking.Addr().As4()
	for try := range networks {
		offset := (os.Getpid() + try) % networks << (32 - networkBits)
		subnet := netip.PrefixFrom(netip.AddrFrom4([4]byte{base[0], base[1] + byte(offset>>16), byte(offset >> 8), byte(offset)}), networkBits)
		taken, err := system("ip", "-oneline", "-4", "address", "show", "to", subnet.String())
		if err != nil || taken == "" {
			return subnet, err
		}
	}
	return netip.Prefix{}, fmt.Errorf("all of %s is in use", benchmarking)
}

// command is what runs a program on the host: ip becomes the program, so that
// signals reach it.
func (h *namespace) command() []string {
	path, _ := systemProgram("ip") // it made the namespace
	return []string{path, "netns", "exec", h.name}
}

// unplug pulls the host's cable: from now on all its packets are lost.
func (h *namespace) unplug() error {
	_, err := system("ip", "link", "set", h.name, "down")
	return err
}

func (h *namespace) plug() error {
	_, err := system("ip", "link", "set", h.name, "up")
	return err
}

// delay delays what leaves the host and what reaches it.
func (h *namespace) delay(by string) error {
	if _, err := system("tc", "qdisc", "add", "dev", h.name, "root", "netem", "delay", by); err != nil {
		return err
	}
	_, err := system("tc", "-netns", h.name, "qdisc", "add", "dev", "eth0", "root", "netem", "delay", by)
	return err
}

func (h *namespace) undelay() error {
	_, err := system("tc", "qdisc", "del", "dev", h.name, "root")
	_, inside := system("tc", "-netns", h.name, "qdisc", "del", "dev", "eth0", "root")
	return errors.Join(err, inside)
}

var partName = regexp.MustCompile(`(?m)(?:^|\s)age-([0-9]+)(?:-[0-9]+)?\b`)

// parts returns the names of the namespaces and of the links of networks by the
// process that made them.
func parts() (namespaces, links map[int][]string, err error) {
	list := func(args ...string) (map[int][]string, error) {
		text, err := system("ip", args...)
		found := map[int][]string{}
		for _, match := range partName.FindAllStringSubmatch(text, -1) {
			pid, _ := strconv.Atoi(match[1])
			found[pid] = append(found[pid], strings.TrimSpace(match[0]))
		}
		return found, err
	}
	namespaces, err = list("netns", "list")
	if err != nil {
		return nil, nil, err
	}
	links, err = list("-brief", "link", "show")
	return namespaces, links, err
}

// removeNetwork removes the network of a process and ends what still runs in it.
func removeNetwork(pid int) error {
	namespaces, links, err := parts()
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range namespaces[pid] {
		inside, err := system("ip", "netns", "pids", name)
		for text := range strings.FieldsSeq(inside) {
			if process, err := strconv.Atoi(text); err == nil {
				_ = syscall.Kill(process, syscall.SIGKILL) // it can have ended
			}
		}
		_, err2 := system("ip", "netns", "delete", name)
		errs = append(errs, err, err2)
	}
	for _, name := range links[pid] {
		// That of a deleted namespace vanishes by itself, soon.
		_, err := system("ip", "link", "delete", name)
		if err != nil && !strings.Contains(err.Error(), "Cannot find device") && !strings.Contains(err.Error(), "No such device") {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// removeStale removes the networks of processes that are gone.
func removeStale() error {
	namespaces, links, err := parts()
	if err != nil {
		return err
	}
	var errs []error
	for _, list := range []map[int][]string{namespaces, links} {
		for pid := range list {
			if pid == os.Getpid() || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
				errs = append(errs, removeNetwork(pid))
			}
		}
	}
	return errors.Join(errs...)
}

// systemProgram returns the path of a program that users may not have in theirs.
func systemProgram(name string) (path string, err error) {
	for _, dir := range []string{"", "/usr/sbin/", "/sbin/"} {
		if path, err = exec.LookPath(dir + name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed: %w", name, err)
}

// system runs ip or tc and returns what it prints.
func system(name string, args ...string) (string, error) {
	path, err := systemProgram(name)
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, args...).Output()
	if err != nil {
		detail := ""
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			detail = ": " + lastLine(string(failed.Stderr))
		}
		return "", fmt.Errorf("%s %s: %w%s", name, strings.Join(args, " "), err, detail)
	}
	return string(out), nil
}

// hostNetwork returns a network of some hosts, or nil where there can be none.
func hostNetwork(t *testing.T, hosts int) *network {
	t.Helper()
	n, err := newNetwork(t, hosts)
	if err != nil {
		needs.Without(t, "hosts are no network namespaces, these cannot be made: %v", err)
		return nil
	}
	return n
}

// wantNoNetwork wants nothing of a network of this process to be left.
func wantNoNetwork(t *testing.T) {
	t.Helper()
	if _, err := systemProgram("ip"); err != nil {
		return
	}
	namespaces, links, err := parts()
	if err != nil {
		t.Fatal(err)
	}
	if left := slices.Concat(namespaces[os.Getpid()], links[os.Getpid()]); len(left) > 0 {
		t.Errorf("left behind: %s", strings.Join(left, ", "))
	}
}
