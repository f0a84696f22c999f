# What is done often, each by one command. "make" lists them.

.DEFAULT_GOAL := help
.PHONY: help short full lint generate golden bench release

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

short: ## tests that take a minute and a half on two cores
	go test -short ./...

full: ## every gate, a quarter of an hour: bash .ci/run
	bash .ci/run

lint: ## linters on this system's files, as .golangci.yml sets them
	bash .ci/lint

generate: ## write the assembly of internal/kernel anew
	go generate ./...

golden: ## renew what tests compare with: golden values, tables of documents, scores of README.md
	bash .ci/golden

bench: ## benchmarks beside those of the last release; VERSION=X.Y.Z keeps them
	bash .ci/bench $(VERSION)

release: ## check and tag the commit as VERSION=X.Y.Z
	bash .ci/release $(VERSION)
