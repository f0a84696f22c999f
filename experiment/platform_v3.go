//go:build amd64.v3

package experiment

// fusingLevel is the level of a build for GOAMD64=v3 or more.
const fusingLevel = "/v3"
