//go:build linux

package verify

import (
	"strings"
	"time"
)

const workers, scale = "app.kubernetes.io/component=worker", "kubectl -n agepath scale deployment agepath-worker --replicas="

// scaled has two workers, none and one while a run computes.
func scaled(p *pods) {
	p.small()
	run := p.submitted(1, "scaled")
	p.back(workers, "there is to be another", func() { p.kubectl(scale + "2") })
	p.kubectl(scale + "0\nkubectl -n agepath wait --for=delete --timeout=3m pod -l " + workers)
	p.back(workers, "there was none", func() { p.kubectl(scale + "1") })
	p.wantLocal(run, "scaled", 0)
}

// memory has the process of a slot and then the worker killed for lack of memory.
func memory(p *pods) {
	p.small()
	run := p.submitted(2, "memory")
	p.kubectl(exhausted + "exhaust $slot")
	p.back(workers, "it was killed for lack of memory", func() { p.kubectl(exhausted + "exhaust $worker") })
	if text := p.kubectl("kubectl -n agepath get pods -l " + workers + " -o jsonpath='{.items[*].status.containerStatuses[0].lastState.terminated.reason}'"); text != "OOMKilled" {
		p.t.Errorf("the worker ended for the reason %q", text)
	}
	p.wantLocal(run, "memory", 1)
}

// lost ends all processes of the worker's node and its network, and starts it again later.
func lost(p *pods) {
	p.small()
	run := p.submitted(1, "lost")
	p.kubectl(powerOff)
	began := time.Now()
	p.kubectl("kubectl wait --for=condition=Ready=Unknown --timeout=2m node/node2")
	p.t.Logf("a node counts as lost after %v", time.Since(began).Round(time.Second))
	p.back(workers, "its node counts as lost", func() {})
	began = time.Now()
	p.kubectl(strings.ReplaceAll(outOfService(p.t), "NODE", "node2") + `
		kubectl -n agepath wait --for=delete --timeout=3m pod --field-selector spec.nodeName=node2`)
	p.t.Logf("the lost node's pods are gone %v after its taint", time.Since(began).Round(time.Second))
	p.kubectl(powerOn + strings.ReplaceAll(outOfService(p.t), "NODE", "node2") + "-")
	p.wantLocal(run, "lost", 0)
}

// exhausted defines exhaust, which has the container of the worker run out of memory: the kernel
// kills the given process, and then what takes the memory.
const exhausted = `worker=$(pgrep -u 65532 -x worker)
	slot=$(pgrep -P $worker)
	group=$(sed -n 's|^[0-9]*:memory:|/sys/fs/cgroup/memory|p; s|^0::/|/sys/fs/cgroup/|p' /proc/$worker/cgroup | head -n 1)
	exhaust() {
		echo 1000 >/proc/$1/oom_score_adj
		(echo $BASHPID >$group/cgroup.procs; head -c 2G /dev/zero | tail -n 1) >/dev/null || true
		timeout 10 bash -c "while kill -0 $1 2>/dev/null; do sleep 0.1; done"
	}
	`

// powerOff kills all processes of the second node at once, and its network.
const powerOff = `network=$(stat -Lc %i /run/netns/node2)
	ip link set node2 down
	for round in 1 2; do
		find /sys/fs/cgroup -path '*/kube-node2/*' -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u | xargs -r kill -KILL 2>/dev/null || true
		for process in /proc/[0-9]*; do
			[ "$(stat -Lc %i $process/ns/net 2>/dev/null)" != $network ] || kill -KILL ${process#/proc/} 2>/dev/null || true
		done
	done`

// powerOn starts the second node again.
const powerOn = `ip link set node2 up
	setsid nsenter --net=/run/netns/node2 unshare --mount bash "$HERE/node.sh" 2 </dev/null >>"$RUN/control.log" 2>&1 &
	kubectl wait --for=condition=Ready --timeout=3m node/node2
	`
