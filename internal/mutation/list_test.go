package mutation

import "slices"

// mutations are grouped by what they take away. Each takes a check, an order or a
// limit; those of one group have the tests of their packages.
var mutations = slices.Concat(wire, order, durability, reuse, limits, secrets)

// wire has the checks of what comes in over NATS.
var wire = []mutation{
	{"gate: another run's outcome", "experiment/run/gate.go", `case o.Run != g.plan.Run:`, `case false:`, gateTests},
	{"gate: a cell that is not planned", "experiment/run/gate.go", "	case !ok:\n", "	case false && !ok:\n", gateTests},
	{"gate: long texts", "experiment/run/gate.go", `len(text) > most {`, `len(text) > most && false {`, gateTests},
	{"gate: impossible attempts", "experiment/run/gate.go", `case o.Attempts < 0 || o.Attempts > mostAttempts:`, `case false:`, gateTests},
	{"gate: impossible times", "experiment/run/gate.go", `case !duration(o.Wall) || `, `case `, gateTests},
	{"gate: rows of other tables", "experiment/run/gate.go", `g.tables.FitsRows(o)); err != nil {`, `g.tables.FitsRows(o)); err != nil && false {`, gateTests},
	{"gate: another kind", "experiment/run/gate.go", `if o.Kind != g.plan.Kind {`, `if false {`, gateTests},
	{"gate: labels of other columns", "experiment/run/gate.go", `if err := g.tables.FitsLabels(&o.Labels); err != nil {`, `if err := g.tables.FitsLabels(&o.Labels); err != nil && false {`, gateTests},
	{"gate: another cell's labels", "experiment/run/gate.go", `if g.hash(&o.Labels) != cell.labels {`, `if false {`, gateTests},
	{"gate: a further table is missing", "experiment/run/gate.go", `if _, ok := o.Further[name]; !ok {`, `if _, ok := o.Further[name]; !ok && false {`, gateTests},
	{"gate: numbers that are none", "experiment/run/gate.go", `err := g.tables.Finite(&o.Measures, o.Further); err`, `err := error(nil); err`, gateTests},
	{"gate: a cell without an end", "experiment/run/gate.go", `return g.again[key] >= mostAgain`, `return g.again[key] > mostAgain`, gateTests},
	{"queue: the body is another cell's", "experiment/queue/sift.go", `case outcome.Run != runOf(subject) || outcome.Cell != cellOf(subject):`, `case false:`, strayTests},
	{"queue: the status is not the header's", "experiment/queue/sift.go", `case string(outcome.Status) != header.Get(statusHeader):`, `case false:`, strayTests},
	{"queue: the number of a task", "experiment/queue/sift.go", `return number, err == nil && number <= maxNumber`, `return number, err == nil`, strayTests},
	{"queue: a large outcome of another cell", "experiment/queue/result.go", `if !strings.HasPrefix(name, runOf(subject)+"."+cellOf(subject)+".") {`, `if !strings.HasPrefix(name, "") {`, "./experiment/queue LargeOutcomeOfAnother"},
	{"queue: an index of any size", "experiment/queue/object.go", `if i.Size < 0 || i.Size > most {`, `if i.Size < 0 {`, "./experiment/queue IndexOnTheWire"},
	{"queue: an index of any parts", "experiment/queue/object.go", `int64(i.Parts) != want {`, `int64(i.Parts) != want && false {`, "./experiment/queue IndexOnTheWire"},
	{"queue: an object of any size", "experiment/queue/object.go", `case info.Size > uint64(most):`, `case false:`, "./experiment/queue IndexOnTheWire"},
	{"queue: an object's chunks that are not there", "experiment/queue/object.go", `have != uint64(info.Chunks) {`, `have != uint64(info.Chunks) && false {`, "./experiment/queue IndexOnTheWire"},
	{"queue: a message that takes memory", "experiment/queue/codec.go", `if room < 0 {`, `if false {`, "./experiment/queue DecodingTakesLittle"},
	{"queue: impossible counts of attempts", "experiment/queue/attempts.go", `slices.Min(all) < 0 || slices.Max(all) > mostTimes {`, `slices.Min(all) < 0 && slices.Max(all) > mostTimes {`, "./experiment/queue RecordOfAttempts"},
	{"task: the identity is not that of the cell", "experiment/task.go", `cell != t.Cell {`, `cell == "" {`, "./experiment/run TasksOnTheWire"},
	{"task: the data are not those of the cell", "experiment/task.go", `{"data sets", t.Data, own.Data}, `, ``, "./experiment/run TasksOnTheWire"},
	{"task: a digest that is none", "experiment/queue/delivery.go", `if err := ValidName(digest); err != nil {`, `if err := ValidName(digest); err != nil && false {`, "./experiment/run TasksOnTheWire"},
	{"task: the files are not those of the cell", "experiment/task.go", `{"files", t.Files, own.Files}, `, ``, "./experiment/run TasksOnTheWire"},
	{"task: a file's digest that is none", "experiment/queue/delivery.go", `return fmt.Errorf("file of a command: digest %w", err)`, `continue`, "./experiment/run TasksOnTheWire"},
	{"command: a worker that allows none", "experiment/run/upload.go", `if host == nil {`, `if host == nil && false {`, "./experiment/run CommandsRefused"},
	{"command: a file of another digest", "experiment/outside/host.go", `have != file.Digest {`, `have != file.Digest && false {`, "./experiment/outside Files"},
	{"command: a cached file of another digest", "experiment/run/upload.go", `have != digest {
		return nil, fmt.Errorf("the file of`, `false {
		return nil, fmt.Errorf("the file of`, "./experiment/run TamperedFile"},
	{"command: orphans", "experiment/outside/host.go", `	EndMarked(s.mark)
`, ``, "./experiment/outside Forks"},
	{"worker: another subject's heartbeat", "experiment/queue/presence.go", `string(workerTopic)+token(p.Name) != subject || `, ``, "./experiment/run WorkersOnTheWire"},
	{"worker: slots without a bound", "experiment/queue/presence.go", `p.Slots < 0 || p.Slots > mostSlots || `, ``, "./experiment/run WorkersOnTheWire"},
	{"description: of another run", "experiment/run/description.go", `case d.Run != run:`, `case false:`, "./experiment/run DescriptionOnTheWire"},
	{"data: a data set of another digest", "experiment/run/diskcache.go", `if have := set.Digest(); have != digest {`, `if have := set.Digest(); false && have != digest {`, "./experiment/run DatasetDigest|DiskCache|CacheTrouble"},
}

const (
	gateTests  = "./experiment/run TestGate$"
	strayTests = "./experiment/run Strays"
)

// order has what comes before what, and what is done once.
var order = []mutation{
	{"bucket: the manifest is sent first", "cmd/coordinator/place.go", `return 3`, `return -1`, "./cmd/coordinator CollectIntoStore"},
	{"bucket: another run's folder", "cmd/coordinator/place.go", `if m.Run != run {`, `if m.Run != run && false {`, "./cmd/coordinator CollectIntoStore"},
	{"bucket: parts of an interrupted upload", "internal/bucket/bucket.go", `if err := f.client.RemoveIncompleteUpload(ctx, f.bucket, key); err != nil {`, `if err := error(nil); err != nil {`, "./internal/bucket KilledSender"},
	{"bucket: an object of another digest", "internal/bucket/bucket.go", `want != "" && want != digest`, `want != "" && false`, "./internal/bucket DamagedObject"},
	{"queue: the list of before the wait is fresh", "experiment/queue/puller.go", `pauses := p.runs.due()`, `pauses := time.Duration(0)`, "./experiment/queue PullWaitsForTheNextList"},
	{"queue: acknowledged before the result is confirmed", "experiment/queue/result.go", `err := r.confirm(ctx, r.send(msg), resultsStream)`, `err := r.send(msg).err`, "./experiment/queue Done|Result|Redelivery|Broken"},
	{"queue: a result is not looked for", "experiment/queue/result.go", `return ok && of >= task, nil`, `return ok && of >= task && false, nil`, "./experiment/queue Result|PutBack|Again|Lost|Done"},
	{"queue: a result of this very task does not count", "experiment/queue/result.go", `return ok && of >= task, nil`, `return ok && of > task, nil`, "./experiment/queue Result|PutBack|Again|Lost|Done"},
	{"queue: a cell is queued twice", "experiment/queue/streams.go", `tasks.DiscardNewPerSubject = true`, `tasks.DiscardNewPerSubject = false`, "./experiment/queue Publish"},
	{"queue: a cell has two results", "experiment/queue/streams.go", `MaxMsgsPerSubject: 1,`, `MaxMsgsPerSubject: 2,`, "./experiment/queue Results|Publish|Ensure|Record"},
	{"queue: a lost delivery is settled", "experiment/queue/delivery.go", `	_, err := d.puller.queue.attempts.record(ctx, d.run, d.cell, d.number, func(t *attemptCounts) {`, `	_, err := d.puller.queue.attempts.record(ctx, d.run, d.cell, d.number+1, func(t *attemptCounts) {`, "./experiment/queue Release|Dead|Lost"},
	{"queue: streams that discard by size", "experiment/queue/streams.go", `{"max_bytes", unlimited(want.MaxBytes), unlimited(have.MaxBytes), `, `{"max_bytes", 0, 0, `, "./experiment/queue Ensure"},
	{"queue: streams that discard by age", "experiment/queue/streams.go", `{"max_age", want.MaxAge, have.MaxAge, `, `{"max_age", 0, 0, `, "./experiment/queue Ensure"},
}

// durability has what makes files survive a crash.
var durability = []mutation{
	{"disk: the bytes of a file are not synced", "internal/disk/disk.go", `		err = file.Sync()
`, `		err = error(nil)
`, "./results FaultyDiskReplace"},
	{"disk: the name of a file is not synced", "internal/disk/disk.go", `	return d.SyncDir(filepath.Dir(path))
`, `	return nil
`, "./results FaultyDiskReplace"},
	{"results: streams are not synced", "results/segment.go", "			err = stream.flush()\n		}\n		if err == nil {\n			err = stream.out.sync()", "			err = stream.flush()\n		}\n		if err == nil {\n			err = stream.out.buffered.Flush()", powerTests},
	{"results: the names of streams are not synced", "results/segment.go", `if err := w.disk.SyncDir(w.dir); err != nil {`, `if err := error(nil); err != nil {`, powerTests},
	{"results: the cells of a batch come first", "results/segment.go", `	for k, stream := range w.streams {
		if k == len(w.streams)-1 && w.batches == 0 {`, `	for k, stream := range slices.Backward(w.streams) {
		if k == 0 && w.batches == 0 {`, "./results CellsOfBatch"},
	{"results: compacted files are not synced", "internal/disk/disk.go", `		err = file.Sync()
`, `		err = error(nil)
`, powerTests},
	{"results: cells.arrow is renamed first", "results/compact.go", `	for _, table := range written {
		if err := s.rename(fileName(table, number)); err != nil {
			return err
		}
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	if err := s.rename(fileName(s.rows.cells().Name, number)); err != nil {
		return err
	}
`, `	if err := s.rename(fileName(s.rows.cells().Name, number)); err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	for _, table := range written {
		if err := s.rename(fileName(table, number)); err != nil {
			return err
		}
	}
`, powerTests},
	{"results: the folder is not synced before cells.arrow", "results/compact.go", `	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	if err := s.rename(fileName(s.rows.cells().Name, number)); err != nil {
`, `	if err := s.rename(fileName(s.rows.cells().Name, number)); err != nil {
`, powerTests},
	{"results: streams go before cells.arrow is synced", "results/compact.go", `		return err
	}
	return s.disk.SyncDir(s.dir)
}

// removeReplaced deletes`, `		return err
	}
	return nil
}

// removeReplaced deletes`, powerTests},
	{"results: cells leave cells.arrow last", "results/compact.go", `		s.untrimmed = true
`, ``, powerTests},
	{"results: cells that come back are not kept in the former files meanwhile", "results/compact.go", `return former(slot, at) || at == inFormer })`, `return former(slot, at) })`, powerTests},
	{"results: files without rows go last", "results/compact.go", `	if err := s.remove(withoutRows...); err != nil {
		return err
	}
`, `	defer func() { s.remove(withoutRows...) }()
`, powerTests},
	{"results: what a killed process left is not synced", "results/recover.go", `	if err := reader.file.Sync(); err != nil {`, `	if err := error(nil); err != nil {`, powerTests},
	{"results: a torn batch of another table counts", "results/recover.go", `s.wholeBatches(ctx, table, number, whole)`, `s.wholeBatches(ctx, table, number, math.MaxInt)`, "./results Torn|Zeroed|Power"},
	{"results: a missing companion is not missed", "results/recover.go", `if !slices.Contains(finals, table) {`, `if false {`, "./results Torn|Companion|Store|Missing"},
	{"results: damage is not looked for", "results/reader.go", `		case err == nil:
			_, err = t.wanted.decode(t.file, m)
`, ``, "./results Torn|Zeroed|Damage"},
}

// reuse has what keeps outcomes of other runs from being taken for what they are not.
var reuse = []mutation{
	{"reuse: failures are taken", "experiment/run/reuse.go", `!o.Status.Computed() || `, ``, "./experiment/run ShareNoFailures"},
	{"reuse: cells to compute again are taken", "experiment/run/reuse.go", `t.retry.wants(o.Status, o.Short) || `, ``, "./experiment/run ReuseRetry"},
	{"reuse: tables that the grid does not keep", "experiment/run/reuse.go", `own.Further = map[string]experiment.Batch{}`, `own.Further = o.Further`, "./experiment/run TestReuse$"},
	{"reuse: outcomes are not checked", "experiment/run/reuse.go", `switch err := t.gate.check(&own); {`, `switch err := error(nil); {`, "./experiment/run TestReuse$"},
	{"reuse: another plan's labels", "experiment/run/reuse.go", `		o.Labels = task.Labels
`, ``, "./experiment/run TestReuse$"},
	{"reuse: the run that computed a cell", "experiment/run/reuse.go", `own.Origin, own.Run = cmp.Or(o.Origin, o.Run), t.gate.plan.Run`, `own.Origin, own.Run = cmp.Or(o.Run, o.Origin), t.gate.plan.Run`, "./experiment/run TestShare$"},
	{"reuse: scores that are no knot's", "experiment/selfpaced/consistent.go", `have != want`, `false`, "./experiment/run TestGate$"},
	{"reuse: results of cells that their run does not plan", "experiment/run/reuse.go", `origin.check(outcome); err != nil`, `error(nil); origin == nil || err != nil`, "./experiment/run ShareForeign"},
	{"reuse: tasks of shared cells stay", "experiment/run/reuse.go", `if shared > 0 && !k.fresh {`, `if false {`, "./experiment/run ShareQueued"},
	{"reuse: the number of a result", "experiment/queue/result.go", `number := w.number(cell)`, `number := uint64(0)`, "./experiment/queue ResultWriter"},
	{"results: only rows say what a cell was computed for", "experiment/cells.go", `if _, ok := o.Further[t.Further[i].Name]; ok {`, `if o.Further[t.Further[i].Name].Rows > 0 {`, "./results Needed"},
	{"results: outcomes of files of two runs", "results/outcomes.go", `reader.metadata[MetadataRun] != cells.metadata[MetadataRun] {`, `false {`, "./results BetweenGrids"},
	{"results: superseded outcomes", "results/each.go", `ok && e.source == at {`, `ok && e != nil {`, "./results EachOutcome"},
	{"reuse: programs without a version", "experiment/run/folders.go", `folder.Build == f.Build`, `true`, "./experiment/run FoldersTakes"},
	{"reuse: folders that others can write", "experiment/run/reuse.go", `err = disk.CheckOwn(folder.Dir)`, `err = error(nil)`, "./experiment/run ReuseOthers"},
}

const powerTests = "./results PowerFailures|DiskFaults"

// limits has bounds that are off by one or gone.
var limits = []mutation{
	{"queue: what fails each time is tried again", "experiment/queue/delivery.go", `	last := outcome.Repeats || limit > 0`, `	last := limit > 0`, "./experiment/queue FailRepeats"},
	{"queue: raised limits come too late for what is in flight", "experiment/queue/delivery.go", `	case raised:`, `	case raised && false:`, "./experiment/queue LimitsOfTasks"},
	{"queue: tasks of a paused run are taken", "experiment/queue/orders.go", `	if from.heard.Load().Paused {`, `	if from.heard.Load().Paused && false {`, "./experiment/queue Pause"},
	{"queue: one attempt too many", "experiment/queue/delivery.go", "		last = limit > 0 && t.Failed >= limit", "		last = limit > 0 && t.Failed > limit", "./experiment/queue FailCounts|FailThen"},
	{"queue: one death too many", "experiment/queue/attempts.go", `return t.silent(delivery) >= deaths && `, `return t.silent(delivery) > deaths && `, "./experiment/queue Dead|Lost"},
	{"queue: one certain death too few", "experiment/queue/attempts.go", `t.Died >= deaths-1`, `t.Died >= deaths-2`, "./experiment/queue Dead|Lost"},
	{"command: processes that left their parents count", "experiment/outside/host.go", `usage(roots, h.Alone)`, `usage(roots, false)`, "./experiment/run TestCommands$"},
	{"command: the folder of a killed slot stays", "experiment/run/process.go", `		disk.RemoveLeft(outside.FolderPrefix)
`, `		_ = disk.RemoveLeft
`, "./cmd/worker Killed"},
	{"command: the folder of a killed worker stays", "experiment/run/worker.go", `disk.RemoveLeft(outside.FolderPrefix) //`, `_ = disk.RemoveLeft //`, "./cmd/worker Killed"},
	{"command: folders that others can write are removed", "internal/disk/temporary.go", `!isPrivate(old) {`, `false {`, "./cmd/worker Killed"},
	{"dataset: rows without a bound", "experiment/dataset/table.go", `if err := t.fits(len(t.lines) + 1); err != nil {`, `if err := t.fits(0); err != nil {`, "./experiment/dataset Limits"},
	{"dataset: labels without a bound", "experiment/dataset/words.go", `n == t.limits.columns {`, `false {`, "./experiment/dataset Limits"},
	{"dataset: a pipe is opened", "internal/disk/os.go", `!info.Mode().IsRegular()`, `false`, "./cmd/coordinator Irregular"},
	{"dataset: the grid's limit is not asked", "experiment/selfpaced/check.go", `source.Memory = p.Grid.Limits.Memory`, `source.Memory = 0`, "./cmd/coordinator ManyShort"},
	{"dataset: a boundary's last digits count", "experiment/dataset/noise.go", `math.Round(math.Abs(score) / boundaryPrecision)`, `math.Abs(score)`, "./experiment/dataset LastDigits"},
	{"dataset: ties go by the row", "experiment/dataset/noise.go", `end > take`, `false`, "./experiment/dataset DrawsTies"},
	{"cell: any version of the noise", "experiment/selfpaced/cell.go", `cs.Version != noiseVersion(cs.Noise)`, `false`, "./experiment/selfpaced DecodeCell"},
}

// secrets has what keeps passwords and formulas out of outputs.
var secrets = []mutation{
	{"servers: tokens are shown", "experiment/queue/servers.go", `shown.User = url.User("xxxxx")`, `shown.User = server.User`, "./experiment/queue Servers$|Token"},
	{"servers: errors of net/url are shown", "experiment/queue/servers.go", `return nil, errors.New("cannot be read")`, `return nil, err`, "./internal/command NoSecret"},
	{"servers: a path is let in", "experiment/queue/servers.go", `case server.Path != "" && server.Path != "/", `, `case false, `, "./internal/command NoSecret"},
	{"secrets: files that everybody reads", "internal/command/nats.go", `case mode&0o004 != 0:`, `case false:`, "./internal/command Exposed"},
	{"secrets: commands read the environment of those above them", "internal/command/hide_linux.go", `	if hidden {
`, `	if true {
`, "./internal/command Hide"},
	{"csv: formulas", "results/csv.go", `text = "'" + text`, `_ = text`, "./results NoFormulas"},
}
