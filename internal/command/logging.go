package command

import (
	"io"
	"log/slog"

	"github.com/spf13/pflag"
)

type logging struct{ level, format string }

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

const jsonFormat = "json"

func (l *logging) addTo(flags *pflag.FlagSet) {
	Choice(flags, &l.level, "log-level", "info", "minimum `level` that is logged", "debug", "info", "warn", "error")
	Choice(flags, &l.format, "log-format", "text", "`format` of the log", "text", jsonFormat)
}

func (l *logging) isJSON() bool { return l.format == jsonFormat }

func (l *logging) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: logLevels[l.level]}
	if l.isJSON() {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
