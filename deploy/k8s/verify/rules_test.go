package verify

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// promtool runs it in a folder.
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "promtool"), args...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, text)
	}
}

func writeYAML(t *testing.T, path string, value any) {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRules has promtool check the alerts of the PrometheusRule, and what they do on the
// series of testdata/rules.yaml.
func TestRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := find[*prometheusRule](t, overlay(t, "monitoring"), "agepath").Spec
	writeYAML(t, filepath.Join(dir, "agepath.yaml"), spec)
	series, err := os.ReadFile("testdata/rules.yaml")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "series.yaml"), series, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	promtool(t, dir, "check", "rules", "--lint-fatal", "agepath.yaml")
	promtool(t, dir, "test", "rules", "series.yaml")
	for _, group := range spec.Groups {
		for _, rule := range group.Rules {
			if name, _ := rule["alert"].(string); !strings.Contains(string(series), "alertname: "+name) {
				t.Errorf("testdata/rules.yaml does not try %s", name)
			}
		}
	}
}

// TestDashboard has promtool check the queries of the dashboard.
func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../grafana/agepath.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
			GridPos struct{ X, Y, W, H int }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var rules []map[string]any
	for i, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 || panel.Title == "" {
			t.Errorf("panel %d %q shows nothing", i, panel.Title)
		}
		for _, target := range panel.Targets {
			rules = append(rules, map[string]any{"record": "panel", "expr": target.Expr, "labels": map[string]string{"number": string(rune('a' + len(rules)))}})
		}
		for _, other := range dashboard.Panels[:i] {
			a, b := panel.GridPos, other.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("panels %q and %q overlap", panel.Title, other.Title)
			}
		}
	}
	if len(rules) < 10 {
		t.Errorf("%d queries", len(rules))
	}
	dir := t.TempDir()
	writeYAML(t, filepath.Join(dir, "queries.yaml"), map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	promtool(t, dir, "check", "rules", "--lint-fatal", "queries.yaml")
}

// TestRunName wants the transformer run to put the run's name wherever one is wanted, and
// docs/kubernetes.md to show the folder that is rendered here.
func TestRunName(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"run.yaml", "kustomization.yaml"} {
		text, err := os.ReadFile("testdata/collect-s3/" + file)
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.ReplaceAll(string(text), "../../../", "../deploy/k8s/")
		if !strings.Contains(string(document), shown) {
			t.Errorf("docs/kubernetes.md does not show %s of testdata/collect-s3:\n%s", file, shown)
		}
	}
	text, err := os.ReadFile("testdata/submit/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.ReplaceAll(strings.ReplaceAll("    "+strings.TrimSpace(string(text)), "\n", "\n    "), "../../../", "../deploy/k8s/")
	if shown = strings.ReplaceAll(shown, "-quickstart", "-$name"); !strings.Contains(string(document), shown) {
		t.Errorf("docs/kubernetes.md does not show kustomization.yaml of testdata/submit:\n%s", shown)
	}
	for name, times := range map[string]int{"collect": 2, "collect-s3": 2, "keda": 1, "../../overlays/collect": 0} {
		text, err := build(t, "testdata/"+name).AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.Count(string(text), "quickstart-01234567"); have != times || times > 0 && regexp.MustCompile(`\bRUN"|value: RUN\b`).Match(text) {
			t.Errorf("%s names the run %d times, want %d", name, have, times)
		}
	}
}

// TestLongNames wants a run and a folder with the longest names to give every object a name that
// Kubernetes takes. A CronJob adds 11 characters to its Jobs' names, and pods have the name of their
// Job as a label.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := map[string]string{ // a run has at most 40 characters and a digest of 8: runName of package experiment
		"quickstart-01234567": strings.Repeat("a", 40) + "-01234567",
		"-quickstart":         "-" + strings.Repeat("a", 48),
	}
	for _, name := range []string{"collect", "collect-s3", "keda", "submit"} {
		text, err := os.ReadFile("testdata/" + name + "/kustomization.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(text), "kind: Kustomization\n")
		dir := own(t, strings.NewReplacer("../../../", "../deploy/k8s/", "-quickstart", long["-quickstart"]).Replace(after))
		if name != "submit" {
			path := filepath.Join(dir, "run.yaml")
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "quickstart-01234567", long["quickstart-01234567"])), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		found := false
		for _, o := range render(t, dir) {
			most := map[string]int{"CronJob": 52}[o.kind]
			problems := validation.IsDNS1123Label(o.name)
			if o.kind == "ConfigMap" {
				problems = validation.IsDNS1123Subdomain(o.name)
			}
			if len(problems) > 0 || most > 0 && len(o.name) > most {
				t.Errorf("%s: %s: %q", name, o, problems)
			}
			found = found || strings.Contains(o.name, strings.Repeat("a", 40))
		}
		if !found && name != "keda" {
			t.Errorf("%s: no object has the name", name)
		}
	}
}
