package verify

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// worker returns the pod of the workers of an overlay.
func worker(t *testing.T, name string) *corev1.PodTemplateSpec {
	t.Helper()
	for _, o := range overlay(t, name) {
		if o.name == "agepath-worker" && o.pod != nil {
			return o.pod
		}
	}
	t.Fatalf("overlay %s has no worker", name)
	panic("unreachable")
}

// TestWorkersAgree wants the workers of the overlays to be the same, but for
// how they end.
func TestWorkersAgree(t *testing.T) {
	t.Parallel()
	job, scaled, deployment := worker(t, "job"), worker(t, "keda"), worker(t, "deployment")
	if !reflect.DeepEqual(job, scaled) {
		t.Error("the workers of job and keda differ")
	}
	if _, drains := flag(&job.Spec.Containers[0], "--drain"); !drains || job.Spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("the Job's workers do not drain, or start again: %v", job.Spec.Containers[0].Args)
	}
	if _, drains := flag(&deployment.Spec.Containers[0], "--drain"); drains {
		t.Error("the Deployment's workers drain")
	}
	job.Spec.RestartPolicy = deployment.Spec.RestartPolicy
	args := &job.Spec.Containers[0].Args
	var rest []string
	for _, arg := range *args {
		if arg != "--drain" {
			rest = append(rest, arg)
		}
	}
	*args = rest
	if !reflect.DeepEqual(job, deployment) {
		t.Error("the workers of job and deployment differ in more than --drain and restartPolicy")
	}
}

// TestWorkers wants workers to have time to hand their cells back, room for
// their cache, and probes at the address they serve.
func TestWorkers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"deployment", "spot", "small"} {
		checkWorker(t, name)
	}
	spot := worker(t, "spot").Spec
	if deaths := must(t, &spot.Containers[0], "--max-deaths"); deaths != "10" || *spot.TerminationGracePeriodSeconds >= 30 {
		t.Errorf("workers on nodes with a notice of 30 s may take %d s, and --max-deaths is %s", *spot.TerminationGracePeriodSeconds, deaths)
	}
}

func checkWorker(t *testing.T, name string) {
	t.Helper()
	spec := worker(t, name).Spec
	c := &spec.Containers[0]
	for _, key := range []string{corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady} {
		if !slices.ContainsFunc(spec.Tolerations, func(v corev1.Toleration) bool {
			return v.Key == key && v.Effect == corev1.TaintEffectNoExecute && v.TolerationSeconds != nil && *v.TolerationSeconds <= 10
		}) {
			t.Errorf("%s: a worker of a node that is %s is replaced after 5 minutes", name, key)
		}
	}
	grace, err := time.ParseDuration(must(t, c, "--grace"))
	if err != nil {
		t.Fatal(err)
	}
	const settle = 10 * time.Second // of a worker, to hand back what did not finish
	if given := time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second; given < grace+settle+5*time.Second {
		t.Errorf("a worker has %v to end and needs more than %v", given, grace+settle)
	}
	cache := resource.MustParse(strings.TrimSuffix(must(t, c, "--cache-size"), "B"))
	for _, v := range spec.Volumes {
		if v.Name == "cache" && v.EmptyDir.SizeLimit.Cmp(cache) <= 0 {
			t.Errorf("the cache may grow to %s on a volume of %s", &cache, v.EmptyDir.SizeLimit)
		}
	}
	if storage := c.Resources.Limits[corev1.ResourceEphemeralStorage]; storage.Cmp(cache) <= 0 {
		t.Errorf("%s: the cache may grow to %s of %s", name, &cache, &storage)
	}
	if port := must(t, c, "--health"); port != ":8481" || c.Ports[0].ContainerPort != 8481 {
		t.Errorf("health checks at %s, port %d", port, c.Ports[0].ContainerPort)
	}
	if c.LivenessProbe.HTTPGet.Path != "/healthz" || c.ReadinessProbe.HTTPGet.Path != "/readyz" {
		t.Error("probes ask something else")
	}
}

// TestSmall wants the overlay small, and the Job that submits, to fit 1.5 processors and 2 GiB, with
// a server that waits for no others.
func TestSmall(t *testing.T) {
	t.Parallel()
	list := append(render(t, "../overlays/small"), render(t, "testdata/submit")...)
	var processors, memory resource.Quantity
	for _, o := range list {
		if v, ok := o.value.(*corev1.ConfigMap); ok && strings.HasPrefix(o.name, "agepath-nats-") && strings.Contains(v.Data["cluster.conf"], "routes") {
			t.Error("the only server waits for others")
		}
		for range o.replicas {
			if o.pod != nil {
				requests := o.pod.Spec.Containers[0].Resources.Requests
				processors.Add(*requests.Cpu())
				memory.Add(*requests.Memory())
			}
		}
	}
	if processors.Cmp(resource.MustParse("1500m")) > 0 || memory.Cmp(resource.MustParse("2Gi")) > 0 {
		t.Errorf("%s processors and %s of memory", &processors, &memory)
	}
}

func must(t *testing.T, c *corev1.Container, name string) string {
	t.Helper()
	value, ok := flag(c, name)
	if !ok {
		t.Fatalf("container %s has no %s", c.Name, name)
	}
	return value
}

// TestMemoryLimits wants GOMEMLIMIT at 80 % of every container's limit.
func TestMemoryLimits(t *testing.T) {
	t.Parallel()
	for _, name := range overlays {
		for _, o := range overlay(t, name) {
			if o.pod == nil {
				continue
			}
			for _, c := range o.pod.Spec.Containers {
				text := ""
				for _, env := range c.Env {
					if env.Name == "GOMEMLIMIT" {
						text = env.Value
					}
				}
				have, err := resource.ParseQuantity(strings.TrimSuffix(text, "B"))
				limit := c.Resources.Limits.Memory().AsApproximateFloat64()
				if err != nil || math.Abs(have.AsApproximateFloat64()/limit-0.8) > 0.005 {
					t.Errorf("%s, container %s: GOMEMLIMIT=%s with a limit of %s", o, c.Name, text, c.Resources.Limits.Memory())
				}
			}
		}
	}
}

// TestJobs wants Jobs to outlive lost nodes and killed workers, to stop at a wrong
// configuration, and to be removed, save one that submits.
func TestJobs(t *testing.T) {
	t.Parallel()
	for overlayName, name := range map[string]string{"job": "agepath-worker", "submit": "agepath-submit", "collect": "agepath-collect"} {
		checkJob(t, overlayName, &find[*batchv1.Job](t, overlay(t, overlayName), name).Spec)
	}
	scaled := find[*scaledJob](t, overlay(t, "keda"), "agepath-worker")
	checkJob(t, "keda", &scaled.Spec.JobTargetRef)
	trigger := find[*scaledJob](t, overlay(t, "testdata/keda"), "agepath-worker").Spec.Triggers[0]
	if trigger.Type != "metrics-api" || trigger.Metadata.Format != "prometheus" || trigger.Metadata.URL != "http://agepath-serve.agepath.svc/metrics" {
		t.Errorf("trigger %+v", trigger)
	}
	if job := find[*batchv1.Job](t, overlay(t, "job"), "agepath-worker"); job.Spec.Completions != nil || *job.Spec.Parallelism < 2 {
		t.Error("the workers' Job is no work queue: parallelism without completions is")
	}
}

// TestKueue wants the workers' Job to wait for Kueue, in a queue that is there.
func TestKueue(t *testing.T) {
	t.Parallel()
	list := overlay(t, "kueue")
	job := find[*batchv1.Job](t, list, "agepath-worker")
	queue := job.Labels["kueue.x-k8s.io/queue-name"]
	if job.Spec.Suspend == nil || !*job.Spec.Suspend || job.Labels["kueue.x-k8s.io/priority-class"] != "agepath-urgent" ||
		!slices.ContainsFunc(list, func(o *object) bool { return o.kind == "LocalQueue" && o.name == queue }) {
		t.Errorf("suspend %v, labels %v", job.Spec.Suspend, job.Labels)
	}
}

func checkJob(t *testing.T, name string, job *batchv1.JobSpec) {
	t.Helper()
	if kept := job.TTLSecondsAfterFinished == nil; kept != (name == "submit") {
		t.Errorf("%s: the Job is kept after its end: %v; only a submission that was removed would be made again", name, kept)
	}
	ignored, killed, failed := false, false, false
	for _, rule := range job.PodFailurePolicy.Rules {
		for _, condition := range rule.OnPodConditions {
			ignored = ignored || rule.Action == batchv1.PodFailurePolicyActionIgnore && condition.Type == corev1.DisruptionTarget
		}
		if codes := rule.OnExitCodes; codes != nil {
			killed = killed || rule.Action == batchv1.PodFailurePolicyActionIgnore && reflect.DeepEqual(codes.Values, []int32{130, 137, 143})
			failed = failed || rule.Action == batchv1.PodFailurePolicyActionFailJob && reflect.DeepEqual(codes.Values, []int32{2})
			if *codes.ContainerName != job.Template.Spec.Containers[0].Name {
				t.Errorf("%s: a rule is for the container %s", name, *codes.ContainerName)
			}
		}
	}
	if !ignored || !failed || killed != (job.Template.Spec.Containers[0].Name == "worker") || job.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("%s: pod failure policy %+v, restart policy %s", name, job.PodFailurePolicy, job.Template.Spec.RestartPolicy)
	}
}

// TestCollectorsAgree wants the Job and the CronJob to collect in the same way, one at a
// time, onto the claim, and the component s3 to leave the claim alone.
func TestCollectorsAgree(t *testing.T) {
	t.Parallel()
	once := find[*batchv1.Job](t, overlay(t, "collect"), "agepath-collect").Spec
	cron := find[*batchv1.CronJob](t, overlay(t, "collect-cron"), "agepath-collect").Spec
	if !reflect.DeepEqual(once, cron.JobTemplate.Spec) {
		t.Error("the Job and that of the CronJob differ")
	}
	if cron.ConcurrencyPolicy != batchv1.ForbidConcurrent {
		t.Errorf("two collectors can run at a time: %s", cron.ConcurrencyPolicy)
	}
	claim := find[*corev1.PersistentVolumeClaim](t, overlay(t, "collect"), "agepath-results")
	c := &once.Template.Spec.Containers[0]
	volume := once.Template.Spec.Volumes[1]
	if volume.PersistentVolumeClaim == nil || volume.PersistentVolumeClaim.ClaimName != claim.Name ||
		c.VolumeMounts[1].Name != volume.Name || must(t, c, "--out") != c.VolumeMounts[1].MountPath+"/$(RUN)" {
		t.Errorf("it collects into %s, with the volume %+v", must(t, c, "--out"), volume)
	}
	for _, o := range overlay(t, "testdata/collect-s3") {
		if o.kind == "PersistentVolumeClaim" {
			t.Error("there is a claim that a collector into a store does not need")
		}
		if o.name != "agepath-collect" {
			continue
		}
		c := &o.pod.Spec.Containers[0]
		if out := must(t, c, "--out"); out != "s3://$(FOLDER)/$(RUN)" {
			t.Errorf("it collects into %s", out)
		}
		scratch := o.pod.Spec.Volumes[1]
		room := c.Resources.Limits[corev1.ResourceEphemeralStorage]
		if scratch.EmptyDir == nil || scratch.EmptyDir.SizeLimit.Cmp(room) >= 0 || c.VolumeMounts[1].MountPath != "/results" {
			t.Errorf("its copy is on %+v, with %s of storage", scratch, &room)
		}
	}
}

// TestNATS wants three servers with disks, each reaching the others by the
// names that they have.
func TestNATS(t *testing.T) {
	t.Parallel()
	list := overlay(t, "nats")
	set := find[*appsv1.StatefulSet](t, list, "agepath-nats")
	if *set.Spec.Replicas != 3 || len(set.Spec.VolumeClaimTemplates) != 1 {
		t.Errorf("%d servers with %d disks each", *set.Spec.Replicas, len(set.Spec.VolumeClaimTemplates))
	}
	peers := find[*corev1.Service](t, list, set.Spec.ServiceName)
	if peers.Spec.ClusterIP != corev1.ClusterIPNone || !peers.Spec.PublishNotReadyAddresses {
		t.Error("servers cannot find each other before they are ready")
	}
	config := ""
	for _, o := range list {
		if v, ok := o.value.(*corev1.ConfigMap); ok && strings.HasPrefix(o.name, "agepath-nats-") {
			config = v.Data["nats.conf"] + v.Data["cluster.conf"]
			if set.Spec.Template.Spec.Volumes[0].Projected.Sources[0].ConfigMap.Name != o.name {
				t.Errorf("the servers do not mount %s", o)
			}
		}
	}
	routes := regexp.MustCompile(`"nats://(agepath-nats-\d)\.([a-z-]+):6222"`).FindAllStringSubmatch(config, -1)
	if len(routes) != 3 {
		t.Fatalf("routes %v", routes)
	}
	for _, route := range routes {
		if route[2] != set.Spec.ServiceName {
			t.Errorf("route %s", route[0])
		}
	}
	disk := set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests[corev1.ResourceStorage]
	store := resource.MustParse(regexp.MustCompile(`max_file_store: (\w+)`).FindStringSubmatch(config)[1])
	if store.Cmp(disk) >= 0 {
		t.Errorf("servers may store %s on a disk of %s", &store, &disk)
	}
}

// TestTLS wants the component to give the servers their certificate and a
// configuration that uses it.
func TestTLS(t *testing.T) {
	t.Parallel()
	list := overlay(t, "nats-tls")
	set := find[*appsv1.StatefulSet](t, list, "agepath-nats")
	mounts := set.Spec.Template.Spec.Containers[0].VolumeMounts
	at := ""
	for _, mount := range mounts {
		if mount.Name == "tls" {
			at = mount.MountPath
		}
	}
	for _, o := range list {
		if v, ok := o.value.(*corev1.ConfigMap); ok && (at == "" || !strings.Contains(v.Data["tls.conf"], `cert_file: "`+at+`/tls.crt"`) || v.Data["permissions.conf"] == "") {
			t.Errorf("%s with certificates at %q: %s", o, at, v.Data["tls.conf"])
		}
	}
}
