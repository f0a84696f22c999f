//go:build unix

package campaign

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// hostile makes messages that nobody sends, from valid ones. None of them can be
// taken for a valid message: what only a wrong number would tell is not among them.
type hostile struct {
	t      testing.TB
	random *rand.Rand
	run    string      // of the last result that was learned or used
	valid  []*nats.Msg // results of runs
	made   int
}

// kindsOfWorkers are the kinds that a worker's user may publish, and
// kindsOfCoordinators those that only a coordinator's may.
var (
	kindsOfWorkers      = []string{"outcome", "index", "chunk", "heartbeat", "attempts", "dead letter"}
	kindsOfCoordinators = []string{"task", "description"}
)

// next returns the messages of the next attack of a kind.
func (h *hostile) next(kind string) []*nats.Msg {
	h.made++
	base := h.valid[h.random.IntN(len(h.valid))]
	parts := strings.Split(base.Subject, ".") // agepath.result.RUN.CELL
	h.run = parts[len(parts)-2]
	cell := parts[len(parts)-1]
	switch kind {
	case "outcome":
		return []*nats.Msg{h.outcome(base, cell)}
	case "index", "chunk":
		return h.object(base, cell, kind)
	case "heartbeat":
		return []*nats.Msg{h.heartbeat()}
	case "attempts":
		records := []string{"", "no record", `{"task":"x"}`, `{"task":0,"failed":-7}`, `{"task":0,"died":9000000000000000000}`, `[[[[`, strings.Repeat("[", 10000)}
		return []*nats.Msg{message("agepath.attempt."+h.run+"."+cell, pick(h, records), nil)}
	case "dead letter":
		msg := message("agepath.dead."+h.run+"."+pick(h, []string{cell, h.foreign(), "x"}), pick(h, []string{"", "no task", strings.Repeat("\xa1", 1000)}), nil)
		msg.Header.Set("Agepath-Time", pick(h, []string{"", "yesterday"}))
		return []*nats.Msg{msg}
	case "task":
		return []*nats.Msg{h.task(cell)}
	case "description":
		return h.description()
	}
	h.t.Fatalf("no kind %s", kind)
	return nil
}

func pick[T any](h *hostile, list []T) T { return list[h.random.IntN(len(list))] }

// foreign returns the identity of a cell that is none of the run.
func (h *hostile) foreign() string {
	return fmt.Sprintf("%016x%016x", h.random.Uint64(), h.random.Uint64())
}

func message(subject, body string, header nats.Header) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Data = []byte(body)
	maps.Copy(msg.Header, header)
	return msg
}

// spoilers change an outcome so that no run may take it.
var spoilers = []func(h *hostile, o *experiment.Outcome){
	func(h *hostile, o *experiment.Outcome) { o.Cell = h.foreign() },
	func(h *hostile, o *experiment.Outcome) { o.Run = "other-12345678" },
	func(h *hostile, o *experiment.Outcome) { o.Kind = "mmd" },
	func(h *hostile, o *experiment.Outcome) { o.Labels.Columns[0].Texts[0] = "<script>alert(1)</script>" },
	func(h *hostile, o *experiment.Outcome) { o.Labels.Columns = o.Labels.Columns[1:] },
	func(h *hostile, o *experiment.Outcome) { o.Labels.Rows = math.MaxInt64 },
	func(h *hostile, o *experiment.Outcome) { o.Labels = experiment.Batch{} },
	func(h *hostile, o *experiment.Outcome) { o.Measures = experiment.Batch{} },
	func(h *hostile, o *experiment.Outcome) { o.Measures.Rows = -1 },
	func(h *hostile, o *experiment.Outcome) {
		o.Measures.Columns[1] = experiment.Vector{Floats: []float64{math.NaN()}}
	},
	func(h *hostile, o *experiment.Outcome) {
		o.Measures.Columns[2] = experiment.Vector{Floats: []float64{math.Inf(-1)}}
	},
	func(h *hostile, o *experiment.Outcome) {
		o.Measures.Columns[1] = experiment.Vector{Texts: []string{"1"}}
	},
	func(h *hostile, o *experiment.Outcome) { o.Measures.Columns[1].Null = make([]bool, 1000) },
	func(h *hostile, o *experiment.Outcome) { o.Status = "fine" },
	func(h *hostile, o *experiment.Outcome) { o.Status = experiment.Failed; o.Labels = experiment.Batch{} },
	func(h *hostile, o *experiment.Outcome) { o.Further = nil },
	func(h *hostile, o *experiment.Outcome) { o.Further = map[string]experiment.Batch{"../x": {}} },
	func(h *hostile, o *experiment.Outcome) {
		o.Further["knots"] = experiment.Batch{Rows: 1 << 40, Columns: make([]experiment.Vector, 13)}
	},
	func(h *hostile, o *experiment.Outcome) { o.Wall = math.NaN() },
	func(h *hostile, o *experiment.Outcome) { o.Attempts = -1 },
	func(h *hostile, o *experiment.Outcome) { peak := int64(math.MinInt64); o.Peak = &peak },
	func(h *hostile, o *experiment.Outcome) { o.Error = strings.Repeat("x", 100<<10) },
	func(h *hostile, o *experiment.Outcome) { o.Worker = strings.Repeat("w", 10<<10) },
}

// bodies are no outcomes; those that are small are large in memory.
var bodies = [][]byte{
	nil, []byte("no outcome"), {0xbf}, {0x9f, 0xff}, bytes.Repeat([]byte{0x81}, 100_000),
	append([]byte{0xa1, 0x08, 0xa2, 0x01, 0x01, 0x02, 0x9a, 0, 0, 0xff, 0xff}, bytes.Repeat([]byte{0xa0}, 0xffff)...),
	{0xa1, 0x08, 0xa2, 0x01, 0x01, 0x02, 0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	{0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
}

// outcome spoils the outcome, its headers, its subject or its bytes.
func (h *hostile) outcome(base *nats.Msg, cell string) *nats.Msg {
	msg := message(base.Subject, string(base.Data), base.Header)
	switch h.random.IntN(6) {
	case 0:
		msg.Data = pick(h, bodies)
	case 1:
		msg.Data = msg.Data[:h.random.IntN(len(msg.Data))]
	case 2:
		key := pick(h, []string{"Agepath-Status", "Agepath-Task", "Agepath-Object"})
		msg.Header.Set(key, pick(h, []string{"<script>", "-1", "18446744073709551615", "99999999999999999999999", h.run + "." + cell + ".not-there"}))
	case 3:
		msg.Subject = "agepath.result." + h.run + "." + pick(h, []string{h.foreign(), strings.ToUpper(cell), "x", "<script>", strings.Repeat("0", 300)})
		if msg.Subject == base.Subject { // digits alone
			msg.Data = nil
		}
	default:
		o, err := queue.DecodeOutcome(base.Data)
		if err != nil {
			h.t.Fatal(err)
		}
		pick(h, spoilers)(h, o)
		if msg.Data, err = queue.EncodeOutcome(o); err != nil {
			h.t.Fatal(err)
		}
		msg.Header.Set("Agepath-Status", string(o.Status))
	}
	return msg
}

// object makes a result whose outcome is an object that is not as it says: its index,
// or a chunk.
func (h *hostile) object(base *nats.Msg, cell, kind string) []*nats.Msg {
	name := fmt.Sprintf("%s.%s.%d", h.run, cell, h.made)
	result := message(base.Subject, "", base.Header)
	result.Header.Set("Agepath-Object", name)
	index := fmt.Sprintf(`{"parts":1,"size":%d}`, len(base.Data))
	if kind == "index" {
		index = pick(h, []string{
			`{"parts":1,"size":9000000000000000000}`, `{"parts":1,"size":-600}`, `{"parts":15000,"size":60000000000}`, `{"parts":-1,"size":1}`,
			`{"parts":9000000000000000000,"size":1}`, `{"parts":1,"size":"x"}`, `[]`, ``, strings.Repeat(" ", 10000), `{"parts":64,"size":268435456}`,
		})
	}
	messages := h.put(name, index, nil)
	if kind == "chunk" {
		body := string(base.Data)
		spoil := pick(h, []func(info map[string]any){
			func(info map[string]any) {
				info["digest"] = "SHA-256=" + base64.URLEncoding.EncodeToString(make([]byte, 32))
			},
			func(info map[string]any) { info["size"] = uint64(math.MaxUint64) },
			func(info map[string]any) { info["size"] = 4 << 20 },
			func(info map[string]any) { info["chunks"] = 1000 },
			func(info map[string]any) { info["nuid"] = ">" },
			func(info map[string]any) { info["nuid"] = "not-there" },
			func(info map[string]any) {
				info["options"] = map[string]any{"link": map[string]any{"bucket": "AGEPATH_OUTCOMES", "name": name + "/000000"}}
			},
			func(info map[string]any) { info["name"] = "x" },
			func(info map[string]any) { delete(info, "nuid") },
		})
		messages = append(messages, h.put(name+"/000000", body, spoil)...)
	}
	return append(messages, result)
}

// put stores an object in the way of the client library; spoil changes its
// description.
func (h *hostile) put(name, body string, spoil func(info map[string]any)) []*nats.Msg {
	return h.putIn("AGEPATH_OUTCOMES", name, body, spoil)
}

func (h *hostile) putIn(bucket, name, body string, spoil func(info map[string]any)) []*nats.Msg {
	nuid := fmt.Sprintf("h%dx%d", h.made, h.random.Uint32())
	info := map[string]any{"name": name, "bucket": bucket, "nuid": nuid, "size": len(body), "chunks": 1, "digest": digest(body)}
	if body == "" {
		info["chunks"] = 0
	}
	if spoil != nil {
		spoil(info)
	}
	text, err := json.Marshal(info)
	if err != nil {
		h.t.Fatal(err)
	}
	meta := message("$O."+bucket+".M."+base64.URLEncoding.EncodeToString([]byte(name)), string(text), nil)
	if bucket == "AGEPATH_DATA" {
		meta.Header.Set("Nats-Rollup", "sub")
	}
	if body == "" {
		return []*nats.Msg{meta}
	}
	return []*nats.Msg{message("$O."+bucket+".C."+nuid, body, nil), meta}
}

func (h *hostile) heartbeat() *nats.Msg {
	name := fmt.Sprintf("h%d", h.made)
	return message("agepath.worker."+name, pick(h, []string{
		"", "no JSON", "[]", strings.Repeat("[", 10000), `{"name":"other","state":"working"}`, `{"name":"` + name + `","state":"fine"}`,
		`{"name":"` + name + `","state":"working","slots":9000000000000000000}`, `{"name":"` + name + `","state":"working","done":-1}`,
		`{"name":"` + name + `","state":"idle","running":[{"run":"<script>","cell":""}]}`,
		`{"name":"` + name + `","state":"idle","version":"` + strings.Repeat("v", 300<<10) + `"}`,
	}), nil)
}

// task makes a task that its cell's spec contradicts, or none.
func (h *hostile) task(cell string) *nats.Msg {
	msg := message("agepath.task."+h.run+"."+pick(h, []string{cell, h.foreign(), "x"}), pick(h, []string{
		"", "no task", strings.Repeat("\x81", 10000), "\xa1\x63run\x7b\x7f\xff\xff\xff\xff\xff\xff\xff",
	}), nil)
	if h.random.IntN(2) == 0 {
		msg.Header.Set("Agepath-Number", pick(h, []string{"x", "0", "18446744073709551615"}))
	}
	return msg
}

// description stores a description of the run that no coordinator writes.
func (h *hostile) description() []*nats.Msg {
	text := pick(h, []string{"no JSON", `{}`, `{"run":"other"}`, `{"run":"` + h.run + `","cells":-5}`, `{"run":"` + h.run + `","cells":1e300}`, strings.Repeat("[", 10000)})
	messages := h.putIn("AGEPATH_DATA", h.run+"/000000", text, nil)
	return append(messages, h.putIn("AGEPATH_DATA", h.run, fmt.Sprintf(`{"parts":1,"size":%d}`, len(text)), nil)...)
}
