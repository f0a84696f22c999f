package command

import (
	// The kinds of experiments.
	_ "github.com/agepath/agepath/experiment/selfpaced/evaluation"
	_ "github.com/agepath/agepath/rehline/benchmark"
	_ "github.com/agepath/agepath/wmmd/embedding"
)
