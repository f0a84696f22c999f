//go:build race

package run

// raceDetector says that the race detector takes memory beside what cells take.
const raceDetector = true
