# Every target works as the first command on a fresh clone. `make help` lists them.

MODULES := . cmd/tenon examples benchmarks otel
DIR     ?=
OUT     ?= thumbs
WORKERS ?=
FUZZTIME ?= 2000x
PROGRAMS ?= 10s

.DEFAULT_GOAL := help
.PHONY: help run test unit race programs build lint generate check-generated fuzz bench pressure report mutants soak clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## thumbnails in worker processes (DIR=~/Pictures OUT=./thumbs WORKERS=2; samples without DIR)
	@./scripts/run.sh '$(DIR)' '$(OUT)' '$(WORKERS)'

test: build check-generated lint unit race ## everything: what a change has to pass

build: ## vet, and build for every system
	@./scripts/each-module.sh '$(MODULES)' go vet ./...
	@./scripts/build-everywhere.sh

lint: ## gofmt, staticcheck
	@./scripts/lint.sh '$(MODULES)'

generate: ## run the generator over all contracts
	@./scripts/each-module.sh '$(MODULES)' go generate ./...

check-generated: ## are the generated code and BENCHMARKS.md up to date?
	@./scripts/check-generated.sh

# One command for all modules keeps the processors busy at the end of each. Its
# tests are not vetted again: `make build` vets everything.
unit: ## tests of all modules, with random programs for PROGRAMS (10s)
	@TENON_PROGRAMS=$(PROGRAMS) go test -count=1 -vet=off $(MODULES:%=./%/...)

race: ## tests of the library under the race detector, but for the long ones of links and rings
	@TENON_PROGRAMS=$(PROGRAMS) CGO_ENABLED=1 go test -count=1 -race -vet=off $$(go list ./... | grep -Ev '/(linktest|ring)$$')

programs: ## random programs of calls and losses over every link, for PROGRAMS, and again with -race
	@TENON_PROGRAMS=$(PROGRAMS) go test -count=1 -timeout 0 -run '^TestPrograms$$' .
	@TENON_PROGRAMS=$(PROGRAMS) CGO_ENABLED=1 go test -count=1 -timeout 0 -race -run '^TestPrograms$$' .

fuzz: ## every fuzz target for FUZZTIME (2000x, or a time such as 30s); `make test` runs their seeds
	@./scripts/fuzz.sh '$(MODULES)' $(FUZZTIME)

bench: ## ours beside the peers, under pressure, and the ring alone; writes BENCHMARKS.md (a quarter of an hour)
	@cd benchmarks && go run . -json results.json && go run . -streams -json results.json && go run ./pressure -json results.json && go run ./ring -json results.json
	@$(MAKE) --no-print-directory report

pressure: ## polling where the machine has other things to do; writes BENCHMARKS.md
	@cd benchmarks && go run ./pressure -json results.json
	@$(MAKE) --no-print-directory report

report: ## write BENCHMARKS.md and its plots from benchmarks/results.json
	@cd benchmarks && go run ./report results.json ..

mutants: ## break the code in many small ways; each must turn a named test red
	@./scripts/mutants.sh

soak: ## the long forms of the tests: programs, races, kills, leaks (hours)
	@TENON_SOAK=1 go test -count=1 -timeout 4h ./...

clean: ## remove ./thumbs, where `make run` writes; a folder that OUT named is yours
	@rm -rf thumbs
