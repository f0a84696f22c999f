package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// inNamespace matches what names a namespace: the field, and a host of a service in it.
var inNamespace = regexp.MustCompile(`\bnamespace: (\S+)|\b[a-z0-9-]+\.([a-z0-9-]+)\.svc\b`)

// namespaces returns the namespaces that a text names.
func namespaces(text []byte) (names []string) {
	for _, match := range inNamespace.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1])+string(match[2]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// inAlice is the folder of a user who applies an overlay in the namespace alice.
func inAlice(t *testing.T, name string) (dir string) {
	t.Helper()
	if overlay := overlayDir(name); strings.HasPrefix(overlay, "../overlays") {
		return own(t, "namespace: alice\nresources:\n  - ../deploy/k8s/overlays/"+name+"\n  - run.yaml\ntransformers:\n  - ../deploy/k8s/run\n")
	}
	text, err := os.ReadFile(filepath.Join(overlayDir(name), "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("kind: Kustomization\n"))
	return own(t, strings.NewReplacer("namespace: agepath", "namespace: alice", "../../../", "../deploy/k8s/").Replace(string(text)))
}

// TestAnyNamespace has every overlay rendered for another namespace: nothing may stay where
// it was, and no overlay may have the Namespace, which `kubectl delete -k` would delete with
// all that others have there.
func TestAnyNamespace(t *testing.T) {
	t.Parallel()
	for _, name := range overlays {
		made := build(t, inAlice(t, name))
		rendered, err := made.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		if have := namespaces(rendered); !slices.Equal(have, []string{"alice"}) {
			t.Errorf("%s: namespaces %q, want alice", name, have)
		}
		for _, r := range made.Resources() {
			if r.GetKind() == "Namespace" || r.GetNamespace() != "alice" {
				t.Errorf("%s has %s %s in namespace %q", name, r.GetKind(), r.GetName(), r.GetNamespace())
			}
		}
	}
	list := render(t, own(t, "namespace: alice\nresources:\n  - ../deploy/k8s/namespace\n"))
	if len(list) != 1 || list[0].kind != "Namespace" || list[0].name != "alice" {
		t.Errorf("the folder namespace has %v", list)
	}
}

// TestTenant wants the component tenant to leave the pods of others in the namespace alone:
// no policy selects them.
func TestTenant(t *testing.T) {
	t.Parallel()
	var list []*object
	for _, name := range []string{"nats", "deployment"} {
		list = append(list, render(t, own(t, "namespace: alice\nresources:\n  - ../deploy/k8s/overlays/"+name+"\ncomponents:\n  - ../deploy/k8s/tenant\n"))...)
	}
	foreign := labels.Set{"app.kubernetes.io/name": "nats", "app.kubernetes.io/instance": "another"}
	policies := 0
	for _, o := range list {
		policy, ok := o.value.(*networkingv1.NetworkPolicy)
		if !ok {
			continue
		}
		policies++
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		if err != nil || selector.Empty() || selector.Matches(foreign) {
			t.Errorf("%s selects pods of others: %v %v", o, selector, err)
		}
	}
	// What is denied is what agepath has: each of its pods, both ways.
	for _, o := range list {
		if o.pod == nil {
			continue
		}
		denied := map[networkingv1.PolicyType]bool{}
		for _, other := range list {
			if policy, ok := other.value.(*networkingv1.NetworkPolicy); ok && matches(&policy.Spec.PodSelector, o.pod.Labels) {
				for _, kind := range policy.Spec.PolicyTypes {
					denied[kind] = true
				}
			}
		}
		if len(denied) != 2 {
			t.Errorf("%s: policies deny %v", o, denied)
		}
	}
	if policies < 4 {
		t.Errorf("%d policies", policies)
	}
}

// TestDigests wants a folder of one's own to be able to give every image a digest.
func TestDigests(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	for _, name := range overlays {
		made := build(t, own(t, "resources:\n  - ../deploy/k8s/"+strings.TrimPrefix(strings.Replace(overlayDir(name), "testdata", "verify/testdata", 1), "../")+
			"\nimages:\n  - {name: agepath, newName: registry.example.org/agepath, digest: "+digest+"}\n  - {name: nats, digest: "+digest+"}\n"))
		text, err := made.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		images := regexp.MustCompile(`\bimage: (\S+)`).FindAllStringSubmatch(string(text), -1)
		for _, image := range images {
			if image[1] != "registry.example.org/agepath@"+digest && image[1] != "nats@"+digest {
				t.Errorf("%s: image %s", name, image[1])
			}
		}
		if len(images) == 0 {
			t.Errorf("%s has no image", name)
		}
	}
}

// TestOpenShift wants the component openshift to leave users and groups to the cluster, and pods
// to ask DNS servers that are not in kube-system.
func TestOpenShift(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nats", "deployment", "job", "submit", "collect-cron"} {
		for _, o := range render(t, own(t, "namespace: alice\nresources:\n  - ../deploy/k8s/overlays/"+name+"\ncomponents:\n  - ../deploy/k8s/openshift\n")) {
			if o.pod != nil {
				if user := o.pod.Spec.SecurityContext; user.RunAsUser != nil || user.RunAsGroup != nil || user.FSGroup != nil || !*user.RunAsNonRoot {
					t.Errorf("%s: %s runs as %+v", name, o, user)
				}
			}
			if policy, ok := o.value.(*networkingv1.NetworkPolicy); ok {
				for _, rule := range policy.Spec.Egress {
					if len(rule.To) == 1 && rule.To[0].NamespaceSelector != nil {
						t.Errorf("%s: %s leads to %v alone", name, o, rule.To[0].NamespaceSelector.MatchLabels)
					}
				}
			}
		}
	}
}
