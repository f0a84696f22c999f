# What is done often, each by one command. "make" lists them.

.DEFAULT_GOAL := help
# Without fused operations arm64 computes the bits of amd64.
ifeq ($(shell go env GOARCH),arm64)
export GOFLAGS := $(shell go env GOFLAGS) -gcflags=all=-d=fmahash=qn
endif

.PHONY: help short full lint generate golden gallery bench release

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

short: ## tests that take a minute on two cores
	go test -short ./...

full: ## every gate, ten minutes: bash .ci/run
	bash .ci/run

lint: ## linters on this system's files, as .golangci.yml sets them
	bash .ci/lint

generate: ## write the assembly of internal/kernel anew
	go generate ./...

golden: ## renew what tests compare with: golden values, tables of documents, scores of README.md
	bash .ci/golden

gallery: ## compute the paper's tables, in hours, with reports that compare them; FLAGS='--datasets DIR --set repeats=5'
	for grid in grids/scripts/*.yaml grids/honest/table*.yaml; do go run ./cmd/coordinator run $$grid --paper --figures 0 $(FLAGS) || exit; done

bench: ## benchmarks beside those of the last release; VERSION=X.Y.Z keeps them
	bash .ci/bench $(VERSION)

release: ## check and tag the commit as VERSION=X.Y.Z, and build its files in out/release
	bash .ci/release $(VERSION)
