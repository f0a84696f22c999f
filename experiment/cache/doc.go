// Package cache keeps the outcomes of computed cells on this machine, by the identities
// of the cells, for runs to come. What it keeps can be lost without harm: whatever cannot
// be read is as if it were not there, and is reported.
//
// # Files
//
// Outcomes are in segments, files that are only appended to. A segment is a sequence of
// blocks, and a block holds the outcomes of some cells:
//
//	"AOC1"
//	number of outcomes, bytes of the packed body, bytes of the body (uint32 each)
//	CRC-32C of the packed body, CRC-32C of all before it and of the table (uint32 each)
//	the table: of each outcome the key (16 bytes) and its bytes in the body (uint32)
//	the body: the outcomes as they travel ([queue.EncodeOutcome]), packed by ZSTD
//
// Numbers are little-endian. A table says what is in a block without unpacking it: a
// million outcomes take some thousand reads.
//
// # Processes
//
// Each process that writes has a lane, a number whose lock it holds, and appends to the
// lane's newest segment, LL-NNNNNN.outcomes. So there are as many files that are not full
// as there were processes at a time. Readers take no lock. What a killed process left of
// a block is skipped by readers, and cut off by the next process that takes the lane.
//
// # Size
//
// Beyond the limit the segment goes of which nothing was used for the longest time. Its
// file's modification time says when that was.
package cache
