//go:build amd64.v3

package experiment

const fusingLevel = "/v3"
