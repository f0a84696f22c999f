package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// TestOverlays checks every object of every overlay.
func TestOverlays(t *testing.T) {
	t.Parallel()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, name := range overlays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := overlay(t, name)
			pods := 0
			for _, o := range list {
				if o.namespace != "agepath" {
					t.Errorf("%s is in namespace %q", o, o.namespace)
				}
				for _, problem := range lintObject(o, list) {
					t.Errorf("%s: %s", o, problem)
				}
				if o.pod == nil {
					continue
				}
				pods++
				result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &o.pod.ObjectMeta, &o.pod.Spec))
				if !result.Allowed {
					t.Errorf("%s is not of the restricted profile: %s", o, result.ForbiddenDetail())
				}
				for _, problem := range lintPod(o, list) {
					t.Errorf("%s: %s", o, problem)
				}
			}
			if pods == 0 {
				t.Error("there is no pod")
			}
		})
	}
}

// lintObject makes the checks of kube-linter that are on by default for other
// objects than pods: dangling-service, mismatching-selector,
// no-extensions-v1beta (by the types), pdb-max-unavailable, pdb-min-available,
// pdb-unhealthy-pod-eviction-policy.
func lintObject(o *object, list []*object) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	selects := func(selector labels.Selector) bool {
		return slices.ContainsFunc(list, func(other *object) bool {
			return other.pod != nil && selector.Matches(labels.Set(other.pod.Labels))
		})
	}
	switch v := o.value.(type) {
	case *corev1.Service:
		if len(v.Spec.Selector) == 0 || !selects(labels.SelectorFromSet(v.Spec.Selector)) {
			add("selects no pod")
		}
		for _, port := range v.Spec.Ports {
			if !slices.ContainsFunc(list, func(other *object) bool { return other.pod != nil && hasPort(other.pod, port.TargetPort.StrVal) }) {
				add("no pod has port %s", port.TargetPort.StrVal)
			}
		}
	case *serviceMonitor:
		for _, endpoint := range v.Spec.Endpoints {
			if !slices.ContainsFunc(list, func(other *object) bool {
				service, ok := other.value.(*corev1.Service)
				return ok && matches(&v.Spec.Selector, service.Labels) &&
					slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == endpoint.Port })
			}) {
				add("no service has port %s", endpoint.Port)
			}
		}
	case *appsv1.Deployment:
		if !matches(v.Spec.Selector, o.pod.Labels) {
			add("does not select its own pods")
		}
	case *appsv1.StatefulSet:
		if !matches(v.Spec.Selector, o.pod.Labels) {
			add("does not select its own pods")
		}
	case *policyv1.PodDisruptionBudget:
		if v.Spec.MaxUnavailable == nil || v.Spec.MaxUnavailable.StrVal == "0%" || v.Spec.MaxUnavailable.String() == "0" || v.Spec.MinAvailable != nil {
			add("allows no disruption")
		}
		if v.Spec.UnhealthyPodEvictionPolicy == nil || *v.Spec.UnhealthyPodEvictionPolicy != policyv1.AlwaysAllow {
			add("unhealthy pods would keep a node from being drained")
		}
		selector, err := metav1.LabelSelectorAsSelector(v.Spec.Selector)
		if err != nil || !selects(selector) {
			add("selects no pod: %v", err)
		}
	case *corev1.ServiceAccount:
		if v.AutomountServiceAccountToken == nil || *v.AutomountServiceAccountToken {
			add("mounts its token")
		}
	}
	return problems
}

func matches(selector *metav1.LabelSelector, set map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && !s.Empty() && s.Matches(labels.Set(set))
}

func hasPort(pod *corev1.PodTemplateSpec, name string) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	})
}

// image is an image with a tag that stays what it is.
var image = regexp.MustCompile(`^[a-z0-9./-]+:[a-zA-Z0-9._-]+$`)

// lintPod makes the other checks of kube-linter that are on by default, and
// wants what the profile leaves open: a token for nobody, secrets as files
// alone, probes, limits, numeric users. By their names there:
// non-existent-service-account, deprecated-service-account-field, no-anti-affinity,
// sensitive-host-mounts, docker-sock, latest-tag, env-var-secret, ssh-port,
// no-read-only-root-fs, privilege-escalation-container, run-as-non-root,
// drop-net-raw-capability, unset-cpu-requirements, unset-memory-requirements,
// liveness-port, readiness-port, startup-port, duplicate-env-var; those about
// hosts, sysctls and privileged containers are in the profile.
func lintPod(o *object, list []*object) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	spec := &o.pod.Spec
	if !slices.ContainsFunc(list, func(other *object) bool {
		return other.kind == "ServiceAccount" && other.name == spec.ServiceAccountName
	}) {
		add("service account %q is not there", spec.ServiceAccountName)
	}
	if spec.DeprecatedServiceAccount != "" {
		add("has the deprecated field serviceAccount")
	}
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		add("mounts a token")
	}
	if o.replicas > 1 && !spread(spec, o.pod.Labels) {
		add("its %d pods may all be on one node", o.replicas)
	}
	user := spec.SecurityContext
	if user == nil || user.RunAsUser == nil || *user.RunAsUser < 1000 || user.RunAsGroup == nil || *user.RunAsGroup < 1000 {
		add("has no numeric user and group above 1000")
	}
	for _, v := range spec.Volumes {
		if v.HostPath != nil {
			add("volume %s is of the host", v.Name)
		}
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit == nil {
			add("volume %s has no limit", v.Name)
		}
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		for _, problem := range lintContainer(c) {
			add("container %s: %s", c.Name, problem)
		}
	}
	if len(spec.InitContainers) > 0 {
		add("init containers are not checked")
	}
	return problems
}

func spread(spec *corev1.PodSpec, set map[string]string) bool {
	if spec.Affinity == nil || spec.Affinity.PodAntiAffinity == nil {
		return false
	}
	return slices.ContainsFunc(spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, func(term corev1.WeightedPodAffinityTerm) bool {
		return term.PodAffinityTerm.TopologyKey == corev1.LabelHostname && matches(term.PodAffinityTerm.LabelSelector, set)
	})
}

func lintContainer(c *corev1.Container) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if !image.MatchString(c.Image) || strings.HasSuffix(c.Image, ":latest") {
		add("image %s has no tag of its own", c.Image)
	}
	if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
		add("can write to its root")
	}
	names := map[string]bool{}
	for _, env := range c.Env {
		if names[env.Name] {
			add("variable %s is there twice", env.Name)
		}
		names[env.Name] = true
		if env.ValueFrom != nil && env.ValueFrom.SecretKeyRef != nil || strings.Contains(strings.ToLower(env.Name), "secret") {
			add("variable %s holds a secret", env.Name)
		}
	}
	if len(c.EnvFrom) > 0 {
		add("takes variables from elsewhere")
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := c.Resources.Requests[resource], c.Resources.Limits[resource]
		if request.IsZero() || limit.IsZero() || request.Cmp(limit) > 0 {
			add("%s: request %s, limit %s", resource, &request, &limit)
		}
	}
	if request, limit := c.Resources.Requests[corev1.ResourceMemory], c.Resources.Limits[corev1.ResourceMemory]; request.Cmp(limit) != 0 {
		add("memory: request %s and limit %s differ, so that a full node ends it", &request, &limit)
	}
	for kind, probe := range map[string]*corev1.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe, "readiness": c.ReadinessProbe} {
		if probe == nil {
			continue
		}
		if probe.HTTPGet == nil || !slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == probe.HTTPGet.Port.StrVal }) {
			add("the %s probe asks no port of the container", kind)
		}
	}
	for _, port := range c.Ports {
		if port.ContainerPort <= 1024 {
			add("port %d needs privileges", port.ContainerPort)
		}
	}
	return problems
}

// TestNetwork wants everything forbidden that is not allowed by name.
func TestNetwork(t *testing.T) {
	t.Parallel()
	list := overlay(t, "nats")
	deny := find[*networkingv1.NetworkPolicy](t, list, "agepath-default-deny")
	if len(deny.Spec.PodSelector.MatchLabels)+len(deny.Spec.PodSelector.MatchExpressions) > 0 || len(deny.Spec.PolicyTypes) != 2 ||
		len(deny.Spec.Ingress)+len(deny.Spec.Egress) > 0 {
		t.Errorf("the default is not to deny everything: %+v", deny.Spec)
	}
	for _, o := range list {
		v, ok := o.value.(*networkingv1.NetworkPolicy)
		if !ok {
			continue
		}
		if !slices.ContainsFunc(list, func(other *object) bool { return other.pod != nil && matches(&v.Spec.PodSelector, other.pod.Labels) }) && v != deny && o.name != "agepath-dns" {
			t.Errorf("%s selects no pod", o)
		}
		for _, rule := range v.Spec.Ingress {
			if len(rule.From) == 0 || len(rule.Ports) == 0 {
				t.Errorf("%s lets anybody in, or to any port", o)
			}
		}
		for _, rule := range v.Spec.Egress {
			if len(rule.Ports) == 0 {
				t.Errorf("%s lets pods out to any port", o)
			}
		}
	}
}
