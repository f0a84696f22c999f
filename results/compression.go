package results

import (
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Compression is how files of tables are compressed: the buffers of Arrow files, the pages
// of Parquet files. "" is [ZSTD].
type Compression string

// Compressions that files of tables can have. Not every reader of Arrow files takes each.
const (
	ZSTD         Compression = "zstd"
	LZ4          Compression = "lz4" // LZ4 frames, in Parquet files LZ4_RAW
	Uncompressed Compression = "none"
)

// Compressions lists them, the default first.
var Compressions = []string{string(ZSTD), string(LZ4), string(Uncompressed)}

// codecs are the codecs of Arrow's batches, -1 for none.
var codecs = map[int8]Compression{codecNone: Uncompressed, codecLZ4: LZ4, codecZSTD: ZSTD}

// options returns those of a writer of Arrow files.
func (c Compression) options() []ipc.Option {
	switch c {
	case Uncompressed:
		return nil
	case LZ4:
		return []ipc.Option{ipc.WithLZ4()}
	}
	return []ipc.Option{ipc.WithZstd()}
}
