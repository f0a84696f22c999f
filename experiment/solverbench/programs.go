package solverbench

import "embed"

// programFiles are the files of the programs.
var programFiles embed.FS

// programs are the solvers from outside that come with this program.
var programs []program
