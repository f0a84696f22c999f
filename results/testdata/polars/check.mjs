// Reads the files of DIR with polars and compares shapes, types, nulls and
// values with EXPECTED, a JSON that the Go test wrote.
//
//     node check.mjs DIR EXPECTED
//
// Integers and times are compared as decimal texts, floats by their bits.

import fs from 'node:fs'
import path from 'node:path'
import pl from 'nodejs-polars'

const [dir, expected] = process.argv.slice(2)
const problems = []

const bits = (x) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  // All NaNs are one: JavaScript does not keep their payload.
  return Number.isNaN(x) ? 'nan' : view.getBigUint64(0).toString(16).padStart(16, '0')
}

const orNull = (f) => (x) => (x === null || x === undefined ? null : f(x))
const floats = (series) => series.toArray().map(orNull(bits))
const texts = (series) => series.toArray().map(orNull((x) => x))
const integers = (series) => texts(series.cast(pl.Int64).cast(pl.Utf8))
const lists = (series) => series.toArray().map(orNull((list) => Array.from(list, bits)))

const readers = {
  'DataType(Int64)': integers,
  'DataType(Float64)': floats,
  'DataType(String)': texts,
  'DataType(Datetime(us,UTC))': integers,
  'DataType(List(DataType(Float64)))': lists,
}

function compare(name, frame, table) {
  const columns = frame.getColumns()
  if (frame.height !== table.rows || columns.length !== table.columns.length) {
    problems.push(`${name}: shape ${frame.height} x ${columns.length}, want ${table.rows} x ${table.columns.length}`)
    return
  }
  columns.forEach((series, j) => {
    const want = table.columns[j]
    const type = series.dtype.toString()
    const at = `${name}: column ${want.name}`
    if (series.name !== want.name || type !== want.type) {
      problems.push(`${at}: is ${series.name} of type ${type}, want ${want.type}`)
      return
    }
    const nulls = want.values.filter((x) => x === null).length
    if (series.nullCount() !== nulls) {
      problems.push(`${at}: ${series.nullCount()} nulls, want ${nulls}`)
    }
    const values = readers[type](series)
    want.values.forEach((value, i) => {
      if (JSON.stringify(values[i]) !== JSON.stringify(value)) {
        problems.push(`${at}: row ${i} is ${JSON.stringify(values[i])}, want ${JSON.stringify(value)}`)
      }
    })
  })
}

let values = 0
for (const [name, table] of Object.entries(JSON.parse(fs.readFileSync(expected, 'utf8')))) {
  const file = fs.readFileSync(path.join(dir, name))
  compare(name, pl.readIPC(file), table)
  // Behind the magic and its padding the file is a stream.
  compare(`${name} as a stream`, pl.readIPCStream(file.subarray(8)), table)
  values += table.rows * table.columns.length
}
for (const problem of problems.slice(0, 20)) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`polars agrees on ${values} values`)
