// Package verify checks the manifests of deploy/k8s as they are applied. It is a
// module of its own, which keeps the libraries of Kubernetes out of the main one.
package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// object is one rendered object.
type object struct {
	kind, name, namespace string
	value                 any // its type of k8s.io/api, or a scaledJob
	pod                   *corev1.PodTemplateSpec
	replicas              int32 // of the pod, at most
}

func (o *object) String() string { return o.kind + " " + o.name }

// scaledJob is the ScaledJob of KEDA, as far as the manifests use it.
type scaledJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		PollingInterval            int32           `json:"pollingInterval"`
		MinReplicaCount            int32           `json:"minReplicaCount"`
		MaxReplicaCount            int32           `json:"maxReplicaCount"`
		SuccessfulJobsHistoryLimit int32           `json:"successfulJobsHistoryLimit"`
		FailedJobsHistoryLimit     int32           `json:"failedJobsHistoryLimit"`
		JobTargetRef               batchv1.JobSpec `json:"jobTargetRef"`
		Triggers                   []struct {
			Type     string `json:"type"`
			Metadata struct {
				URL           string `json:"url"`
				Format        string `json:"format"`
				ValueLocation string `json:"valueLocation"`
				TargetValue   string `json:"targetValue"`
			} `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// serviceMonitor and prometheusRule are types of the Prometheus Operator, as far as the
// manifests use them.
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Groups []struct {
			Name  string           `json:"name"`
			Rules []map[string]any `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

// build returns what kustomize makes of a folder.
func build(t *testing.T, dir string) resmap.ResMap {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

// own makes a folder as users have them, beside deploy, of a kustomization and files of
// testdata, which name a run and have a grid. It returns the folder's path.
func own(t *testing.T, kustomization string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deploy, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if deploy, err = filepath.Rel(dir, deploy); err != nil { // kustomize takes no absolute paths
		t.Fatal(err)
	}
	for _, path := range []string{"testdata/keda/run.yaml", "testdata/submit/grid.yaml"} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n" + strings.ReplaceAll(kustomization, "../deploy", deploy)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// render returns what `kubectl apply -k` would apply, decoded: a field that the
// API does not know, or that is there twice, is an error.
func render(t *testing.T, dir string) []*object {
	t.Helper()
	var list []*object
	for _, resource := range build(t, dir).Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		o := &object{kind: resource.GetKind(), name: resource.GetName(), namespace: resource.GetNamespace(), replicas: 1}
		if o.value, err = newValue(resource.GetApiVersion() + " " + o.kind); err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		if err := yaml.UnmarshalStrict(text, o.value); err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		switch v := o.value.(type) {
		case *appsv1.Deployment:
			o.pod, o.replicas = &v.Spec.Template, *v.Spec.Replicas
		case *appsv1.StatefulSet:
			o.pod, o.replicas = &v.Spec.Template, *v.Spec.Replicas
		case *batchv1.Job:
			o.pod = &v.Spec.Template
			if v.Spec.Parallelism != nil {
				o.replicas = *v.Spec.Parallelism
			}
		case *batchv1.CronJob:
			o.pod = &v.Spec.JobTemplate.Spec.Template
		case *scaledJob:
			o.pod, o.replicas = &v.Spec.JobTargetRef.Template, v.Spec.MaxReplicaCount
		}
		list = append(list, o)
	}
	return list
}

func newValue(kind string) (any, error) {
	switch kind {
	case "v1 Namespace":
		return &corev1.Namespace{}, nil
	case "v1 ServiceAccount":
		return &corev1.ServiceAccount{}, nil
	case "v1 Service":
		return &corev1.Service{}, nil
	case "v1 ConfigMap":
		return &corev1.ConfigMap{}, nil
	case "apps/v1 Deployment":
		return &appsv1.Deployment{}, nil
	case "apps/v1 StatefulSet":
		return &appsv1.StatefulSet{}, nil
	case "batch/v1 Job":
		return &batchv1.Job{}, nil
	case "batch/v1 CronJob":
		return &batchv1.CronJob{}, nil
	case "v1 PersistentVolumeClaim":
		return &corev1.PersistentVolumeClaim{}, nil
	case "monitoring.coreos.com/v1 ServiceMonitor":
		return &serviceMonitor{}, nil
	case "monitoring.coreos.com/v1 PrometheusRule":
		return &prometheusRule{}, nil
	case "policy/v1 PodDisruptionBudget":
		return &policyv1.PodDisruptionBudget{}, nil
	case "networking.k8s.io/v1 NetworkPolicy":
		return &networkingv1.NetworkPolicy{}, nil
	case "kueue.x-k8s.io/v1beta2 LocalQueue": // of which TestAPIServer knows the fields
		return &map[string]any{}, nil
	case "keda.sh/v1alpha1 ScaledJob":
		return &scaledJob{}, nil
	}
	return nil, fmt.Errorf("no type for %s", kind)
}

// overlays are what users apply, and folders of testdata with components, as users have
// them. Each stands on base but those of alone, which are applied after one of the others.
var (
	overlays = []string{"job", "deployment", "spot", "small", "keda", "nats", "nats-tls", "submit", "collect", "collect-cron",
		"testdata/submit", "testdata/collect", "testdata/collect-s3", "testdata/keda", "monitoring", "kueue"}
	alone = []string{"submit", "collect", "collect-cron", "testdata/submit", "testdata/collect", "testdata/collect-s3"}
)

func overlayDir(name string) string {
	for _, dir := range []string{"../overlays/" + name, "testdata/" + name} {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return name
}

func overlay(t *testing.T, name string) []*object {
	t.Helper()
	list := render(t, overlayDir(name))
	if slices.Contains(alone, name) {
		list = append(list, render(t, "../base")...)
	}
	return list
}

// find returns the object of a type and name.
func find[T any](t *testing.T, list []*object, name string) T {
	t.Helper()
	for _, o := range list {
		if value, ok := o.value.(T); ok && o.name == name {
			return value
		}
	}
	t.Fatalf("no %T named %s", *new(T), name)
	panic("unreachable")
}

// flag returns the value of a container's argument.
func flag(c *corev1.Container, name string) (value string, ok bool) {
	for _, arg := range c.Args {
		if arg == name {
			return "", true
		}
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
