package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestSlurmScripts wants the scripts for Slurm to be scripts.
func TestSlurmScripts(t *testing.T) {
	t.Parallel()
	bash := needs.Program(t, "reading the scripts for Slurm", "bash")
	scripts, err := filepath.Glob("../../deploy/slurm/*.sh")
	if err != nil || len(scripts) != 3 {
		t.Fatalf("the scripts are %q, error %v", scripts, err)
	}
	for _, script := range scripts {
		if out, err := exec.Command(bash, "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestSlurmFreshFile wants the scripts to use the worker.yaml of the coordinator that runs, where a
// killed one has left its own.
func TestSlurmFreshFile(t *testing.T) {
	t.Parallel()
	bash := needs.Program(t, "the scripts for Slurm", "bash")
	for script, c := range map[string]struct{ args, want string }{
		"heterogeneous.sh": {"grid.yaml out", "live\n"},
		"array.sh":         {"out", "dead\ndead\nlive\n"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"srun":        `while [[ $1 == -* ]]; do shift; done; exec "$@"`,
			"coordinator": `sleep 1.5; echo live >out/worker.yaml; while [ ! -e ended ]; do sleep 0.1; done`,
			// The next coordinator of array.sh starts while a task tries the address of the last.
			"worker": `cat $2 >>read; [ $(cat $2) = dead ] || { touch ended; exit 0; }; [ $(wc -l <read) -lt 2 ] || echo live >out/worker.yaml; exit 1`,
		} {
			if err := os.Chmod(write(t, dir, name, "#!"+bash+"\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		write(t, dir, "out/worker.yaml", "dead\n")
		path, err := filepath.Abs("../../deploy/slurm/" + script)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bash, append([]string{path}, strings.Fields(c.args)...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SLURM_JOB_END_TIME=1", "SLURM_JOB_ID=1",
			"SLURM_CPUS_PER_TASK=1", "SLURM_CPUS_PER_TASK_HET_GROUP_1=1", "SLURM_ARRAY_JOB_ID=1", "SLURM_ARRAY_TASK_ID=1")
		out, err := cmd.CombinedOutput()
		if read := contents(t, dir)["read"]; err != nil || read != c.want {
			t.Errorf("%s: workers read %q, want %q; %v\n%s", script, read, c.want, err, out)
		}
	}
}

// slurm is a cluster of three nodes on this machine.
type slurm struct {
	t     *testing.T
	dir   string
	env   []string
	nodes map[string]*exec.Cmd
	power func(node string) // starts it
}

// startSlurm starts munged, slurmctld and three slurmd. Jobs of the partition high preempt
// those of low, which are queued again.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	purpose := "a cluster with Slurm (Debian: slurm-wlm, munge)"
	munged, controller, node := needs.Program(t, purpose, "munged"), needs.Program(t, purpose, "slurmctld"), needs.Program(t, purpose, "slurmd")
	current, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if current.Uid != "0" {
		needs.Lacking(t, "slurmd is for the administrator")
	}
	own := []string{"--uts", "--pid", "--fork", "--mount-proc", "--kill-child"}
	if out, err := exec.CommandContext(t.Context(), needs.Program(t, purpose, "unshare"), append(own, "true")...).CombinedOutput(); err != nil {
		needs.Lacking(t, "nodes have a name and processes of their own: %v\n%s", err, out)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	s := &slurm{t: t, dir: t.TempDir(), nodes: map[string]*exec.Cmd{}}
	in := func(name string) string { return filepath.Join(s.dir, name) }
	for _, dir := range []string{"state", "spool/n1", "spool/n2", "spool/n3", "bin"} {
		if err := os.MkdirAll(in(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", in("bin")+"/", "github.com/agepath/agepath/cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the programs: %v\n%s", err, out)
	}
	if err := os.WriteFile(in("munge.key"), []byte(strings.Repeat("key of a test ", 80)), 0o400); err != nil {
		t.Fatal(err)
	}
	hosts, port := write(t, s.dir, "hosts", "127.0.0.1 localhost n1 n2 n3 "+host+"\n"), freePorts(t, 4)
	write(t, s.dir, "slurm.conf", strings.NewReplacer("HOST", host, "DIR", s.dir, "USER", current.Username,
		"PORT0", port[0], "PORT1", port[1], "PORT2", port[2], "PORT3", port[3]).Replace(`ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT0
SlurmUser=USER
SlurmdUser=USER
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket,cred_expire=10
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool/%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd-%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=20
ReturnToService=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=5
NodeName=n1 NodeAddr=127.0.0.1 Port=PORT1 CPUs=1
NodeName=n2 NodeAddr=127.0.0.1 Port=PORT2 CPUs=1
NodeName=n3 NodeAddr=127.0.0.1 Port=PORT3 CPUs=1
PartitionName=low Nodes=n[1-3] Default=YES PriorityTier=1 GraceTime=20
PartitionName=high Nodes=n[1-3] PriorityTier=10 PreemptMode=OFF
`))
	s.env = append(os.Environ(), "SLURM_CONF="+in("slurm.conf"), "PATH="+in("bin")+":"+os.Getenv("PATH"), reuseVariable+"=true")
	s.daemon(munged, "--foreground", "--force", "--socket="+in("munge.socket"), "--key-file="+in("munge.key"),
		"--pid-file="+in("munged.pid"), "--log-file="+in("munged.log"), "--seed-file="+in("munge.seed"))
	s.await("munged", 10*time.Second, func() bool { _, err := os.Stat(in("munge.socket")); return err == nil })
	s.daemon(controller, "-D", "-i")
	s.power = func(name string) {
		s.nodes[name] = s.daemon("unshare", append(own, "sh", "-c", `mount --bind "$1" /etc/hosts && hostname "$2" && exec "$0" -D -N "$2"`, node, hosts, name)...)
		t.Cleanup(func() { s.lose(name) })
	}
	for _, name := range []string{"n1", "n2", "n3"} {
		s.power(name)
	}
	s.await("three nodes", 30*time.Second, func() bool {
		out, err := s.command("sinfo", "-h", "-p", "low", "-t", "idle", "-o", "%D").Output()
		return err == nil && strings.TrimSpace(string(out)) == "3"
	})
	t.Cleanup(func() { // before the daemons end
		_ = s.command("scancel", "--full", "--signal=KILL", "--user="+current.Username).Run()
		_ = s.command("scancel", "--user="+current.Username).Run()
		s.await("no job", 30*time.Second, func() bool {
			out, err := s.command("squeue", "-h").Output()
			return err == nil && len(out) == 0
		})
	})
	return s
}

func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // at the end: all are different
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports
}

// daemon starts a program that runs until the test ends.
func (s *slurm) daemon(program string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = s.env
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	return cmd
}

// lose kills all processes of a node, as a loss of power does: slurmd is the first of them.
func (s *slurm) lose(node string) { _ = s.nodes[node].Process.Kill() } // it can be lost already

func (s *slurm) command(program string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), 2*time.Minute)
	s.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = s.env, s.dir
	return cmd
}

// do runs a command of Slurm and returns what it prints.
func (s *slurm) do(program string, args ...string) string {
	s.t.Helper()
	out, err := s.command(program, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// submit submits a script of deploy/slurm and returns the job's number.
func (s *slurm) submit(script string, args ...string) string {
	s.t.Helper()
	text, err := os.ReadFile("../../deploy/slurm/" + script)
	if err != nil {
		s.t.Fatal(err)
	}
	allowed := strings.NewReplacer("coordinator run ", "coordinator run --allow-commands ", " worker --config", " worker --allow-commands --config").Replace(string(text))
	path := write(s.t, s.dir, script, allowed)
	return s.do("sbatch", append([]string{"--parsable"}, strings.Split(strings.ReplaceAll(strings.Join(args, "\n"), "SCRIPT", path), "\n")...)...)
}

func (s *slurm) await(what string, long time.Duration, there func() bool) {
	s.t.Helper()
	for began := time.Now(); !there(); {
		if time.Since(began) > long {
			queue, _ := s.command("squeue").CombinedOutput()
			s.t.Fatalf("in vain for %v: %s\n%s\n%s", long, what, queue, s.said())
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-s.t.Context().Done():
		}
	}
}

// said is what the jobs wrote.
func (s *slurm) said() (text string) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "*.out"))
	for _, file := range files {
		content, _ := os.ReadFile(file)
		text += file + ":\n" + string(content)
	}
	return text
}

// threeHundred is a grid of 300 cells, of which 240 take some tenths of a second.
const threeHundred = `name: three-hundred
seed: 5
repeats: 60
data: [diabetes]
models: [{lasso: {alpha: [0.005, 0.02]}}]
regularizers: [linear, {mixture: {gamma: [0.5]}}]
methods: [acs]
age: {min: 0.1, max: 20, acs_step: 0.0006}
keep: {knots: false}
`

// TestSlurm has three nodes compute 300 cells in jobs of one minute, of which one loses its
// node and one is preempted, and wants each cell once, with the numbers of one machine.
func TestSlurm(t *testing.T) {
	if !needs.Long() {
		t.Skip("takes minutes: AGEPATH_LONG=1")
	}
	s := startSlurm(t)
	grid, out := write(t, s.dir, "grid.yaml", threeHundred), filepath.Join(s.dir, "run")
	l := &listening{t: t, out: out, args: []string{"run", grid, "--out", out, "--figures", "0", "--workers", "0", "--listen", "127.0.0.1:0"}, long: 20 * time.Minute}
	url := l.start()
	_, address, _ := strings.Cut(url, "@")
	refused, err := s.command("srun", "-p", "high", "worker", "--nats", address, "--drain").CombinedOutput()
	if err == nil || !strings.Contains(string(refused), "Authorization Violation") {
		t.Errorf("a worker without the token: %v\n%s", err, refused)
	}

	began := time.Now()
	job := s.submit("array.sh", "--array=1-3", "--cpus-per-task=1", "--time=1", "--partition=low", "--output=%a.out", "SCRIPT", out)
	works := func(task string) bool {
		return strings.Contains(s.said(), "/"+task+".out:\n") && s.isRunning(job+"_"+task)
	}
	s.await("three tasks that compute", time.Minute, func() bool {
		return works("1") && works("2") && works("3") && plannedIn(t, "plan", grid, "--out", out) >= 30
	})
	nodeOf := func(task string) string { return s.do("squeue", "-h", "-j", job+"_"+task, "-o", "%N") }
	lost := nodeOf("1")
	s.lose(lost)
	s.do("sbatch", "-p", "high", "-w", nodeOf("2"), "--output=high.out", "--wrap=sleep 1")
	t.Logf("lost the node of one task and preempted another with %d cells", plannedIn(t, "plan", grid, "--out", out))
	s.await("the node is down and its task is queued again", time.Minute, func() bool {
		return strings.HasPrefix(s.do("sinfo", "-h", "-p", "low", "-n", lost, "-o", "%t"), "down") && s.do("squeue", "-h", "-j", job+"_1", "-O", "restartcnt") == "1"
	})
	t.Logf("Slurm notices it with %d cells", plannedIn(t, "plan", grid, "--out", out))
	if err := l.cmd.Wait(); err != nil {
		t.Fatalf("the run: %v\n%s\n%s", err, l.log, s.said())
	}
	took := time.Since(began)
	said := s.said()
	late, preempted := strings.Count(said, "the time was over before the queue was empty"), strings.Count(said, "interrupted before the queue was empty")
	second, err := os.ReadFile(filepath.Join(s.dir, "2.out"))
	if err != nil || late == 0 || preempted != 1 || strings.Count(string(second), "msg=working") < 2 {
		t.Errorf("%d tasks ended at their time, %d were preempted\n%s", late, preempted, said)
	}
	alone := filepath.Join(s.dir, "alone")
	must(t, "run", grid, "--out", alone, "--figures", "0")
	have := numbers(t, out)
	if n := len(have["cells"]); n != 300 {
		t.Errorf("%d cells", n)
	}
	wantSameNumbers(t, numbers(t, alone), have)
	t.Logf("300 cells in %v: %d tasks ended at their time of a minute, 1 lost its node, %d preempted", took.Round(time.Second), late, preempted)
}

func (s *slurm) isRunning(job string) bool {
	out, err := s.command("squeue", "-h", "-t", "R", "-j", job).Output()
	return err == nil && len(out) > 0
}

// TestSlurmNodes runs the scripts for one node and for a heterogeneous job.
func TestSlurmNodes(t *testing.T) {
	if !needs.Long() {
		t.Skip("takes a minute: AGEPATH_LONG=1")
	}
	s := startSlurm(t)
	grid, alone := write(t, s.dir, "grid.yaml", allMethods), filepath.Join(s.dir, "alone")
	must(t, "run", grid, "--out", alone, "--figures", "0")
	for script, args := range map[string][]string{
		"node.sh":          {"--cpus-per-task=1", "--time=5", "SCRIPT"},
		"heterogeneous.sh": {"--time=5", "--ntasks=1", "--cpus-per-task=1", "--mem=0", ":", "--time=5", "--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=1", "SCRIPT"},
	} {
		out := filepath.Join(s.dir, script+".results")
		job := s.submit(script, append(append([]string{"--wait", "--output=" + script + ".out"}, args...), grid, out)...)
		t.Logf("%s was job %s", script, job)
		wantSameNumbers(t, numbers(t, alone), numbers(t, out))
		if t.Failed() {
			t.Log(s.said())
		}
	}
}

// waitingCells is a grid of 300 cells, of which 225 take a second on any machine.
const waitingCells = `name: waiting
seed: 5
repeats: 75
data: [diabetes]
models: [{ridge: {alpha: [0.1, 1, 10]}}]
methods: [{command: {name: waiting, run: [./waiting.sh], files: [waiting.sh], uses: model}}]
`

const waitingMethod = `#!/bin/sh
while read -r request; do
  id=${request#*'"id":"'}
  sleep 0.8
  echo '{"cell": "'"${id%%'"'*}"'", "coefficients": [[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]]}'
done
`

// TestSlurmResumes computes 300 cells by each of the scripts, with walltimes of one minute, a node
// that is lost, and the same commands again, twice. It wants each cell once, with the numbers of one
// machine.
func TestSlurmResumes(t *testing.T) {
	if !needs.Long() {
		t.Skip("takes half an hour: AGEPATH_LONG=1")
	}
	s := startSlurm(t)
	write(t, s.dir, "waiting.sh", waitingMethod)
	grid, alone := write(t, s.dir, "grid.yaml", waitingCells), filepath.Join(s.dir, "alone")
	must(t, "run", grid, "--out", alone, "--figures", "0", "--allow-commands", "--workers", "8")
	want := numbers(t, alone)
	for round := range 2 {
		for _, script := range []string{"heterogeneous.sh", "node.sh", "array.sh"} {
			r := &resumed{slurm: s, grid: grid, out: filepath.Join(s.dir, fmt.Sprintf("%s-%d", script, round))}
			began := time.Now()
			switch script {
			case "node.sh":
				r.oneNode()
			case "array.sh":
				r.array()
			default:
				r.heterogeneous(round)
			}
			have := numbers(t, r.out)
			if n := len(have["cells"]); n != 300 {
				t.Errorf("%s: %d cells", script, n)
			}
			wantSameNumbers(t, want, have)
			must(t, "verify", r.out)
			if t.Failed() {
				t.Fatal(s.said())
			}
			t.Logf("%s: 300 cells in %v; %s", script, time.Since(began).Round(time.Second), strings.Join(r.notes, ", "))
		}
	}
}

// resumed is a run that walltimes and a lost node interrupt.
type resumed struct {
	*slurm
	grid, out string
	notes     []string
}

func (r *resumed) cells() int { return plannedIn(r.t, "plan", r.grid, "--out", r.out) }

func (r *resumed) note(what string) {
	r.notes = append(r.notes, fmt.Sprintf("%s with %d cells", what, r.cells()))
	r.t.Log(r.notes[len(r.notes)-1])
}

// queue returns a column of squeue.
func (r *resumed) queue(column string, args ...string) []string {
	out, err := r.command("squeue", append([]string{"-h", "-O", column}, args...)...).Output()
	if err != nil { // the job is gone
		return nil
	}
	return strings.Fields(string(out))
}

// ended waits until jobs have left the queue: all, or one.
func (r *resumed) ended(job ...string) {
	r.await("the end of jobs", 15*time.Minute, func() bool {
		listed := r.queue("arrayjobid")
		return len(listed) == 0 || len(job) == 1 && !slices.Contains(listed, job[0])
	})
}

// computes waits until there are 20 cells more.
func (r *resumed) computes() {
	before := r.cells()
	r.await("20 cells", 5*time.Minute, func() bool { return r.cells() >= before+20 })
}

// loses takes a node with all its processes away until Slurm notices that it is gone.
func (r *resumed) loses(node string) {
	r.note("node lost")
	r.lose(node)
	r.await("the node is down", 2*time.Minute, func() bool {
		return strings.HasPrefix(r.do("sinfo", "-h", "-p", "low", "-n", node, "-o", "%t"), "down")
	})
	r.power(node)
}

func (r *resumed) oneNode() {
	job := r.submit("node.sh", "--time=1", "--signal=TERM@15", "--cpus-per-task=1", "--output="+r.out+".out", "SCRIPT", r.grid, r.out)
	restarts := func() int {
		n, _ := strconv.Atoi(strings.Join(r.queue("restartcnt", "-j", job), ""))
		return n
	}
	restarted := func(before int) {
		r.await("a restart", 5*time.Minute, func() bool { return restarts() > before && r.isRunning(job) })
		r.note("restart " + strconv.Itoa(restarts()))
	}
	restarted(0)
	r.computes()
	before := restarts()
	r.loses(r.queue("nodelist", "-j", job)[0])
	restarted(before)
	r.ended()
}

func (r *resumed) array() {
	begin := func(walltime string) (coordinator, tasks string) {
		return r.do("sbatch", "--parsable", "--time="+walltime, "--output="+r.out+"-coordinator.out", "--open-mode=append",
				"--wrap=exec coordinator run "+r.grid+" --out "+r.out+" --listen :0 --workers 0 --allow-commands"),
			r.submit("array.sh", "--array=1-2", "--time="+walltime, "--cpus-per-task=1", "--output="+r.out+"-%a.out", "SCRIPT", r.out)
	}
	first, _ := begin("1")
	r.ended(first)
	r.note("walltime of the coordinator")
	second, tasks := begin("30")
	r.await("a task", 5*time.Minute, func() bool { return r.isRunning(second) && r.isRunning(tasks) })
	r.computes()
	r.loses(r.queue("nodelist", "-t", "R", "-j", tasks)[0])
	r.ended()
}

// heterogeneous loses the node of the coordinator or, in the second round, of a worker.
func (r *resumed) heterogeneous(part int) {
	begin := func(walltime string) string {
		return r.submit("heterogeneous.sh", "--time="+walltime, "--ntasks=1", "--cpus-per-task=1", "--mem=0", "--open-mode=append", "--output="+r.out+".out", ":",
			"--time="+walltime, "--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=1", "SCRIPT", r.grid, r.out)
	}
	begin("1")
	r.ended()
	r.note("walltime")
	job := begin("30")
	r.computes()
	nodes := strings.TrimSuffix(r.queue("nodelist", "-j", job)[part], "]") // n1, n[2-3
	r.loses("n" + nodes[len(nodes)-1:])
	r.ended()
	for range 2 {
		if r.cells() == 300 {
			break
		}
		r.note("ended")
		begin("30")
		r.ended()
	}
}
