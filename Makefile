# Blaise. `make` alone says what there is.
export CGO_ENABLED ?= 0
GO       ?= go
# Tests start real processes and databases: more packages at once than this
# measure the machine, not the code.
PARALLEL ?= 2
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS   = -s -w -X main.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help build try test test-all test-agents check bench chaos mutants screenshots states release image neighbours clean

help: ## what can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## bin/blaise, bin/runner and bin/blaise-shim, static
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/blaise ./cmd/blaise
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/runner ./cmd/runner
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/blaise-shim ./cmd/shim

try: build ## see it work: a whole session on a real repository, step by step
	@$(GO) run ./internal/try bin/blaise

test: ## the tests that need only Go and git
	$(GO) vet ./...
	PARALLEL=$(PARALLEL) scripts/test.sh ./...

test-all: ## all tests; installs and starts PostgreSQL, a browser and two agents where it can
	PARALLEL=$(PARALLEL) scripts/test-all.sh

test-agents: ## real agents through Blaise, installed at pinned versions; ARGS=-update writes docs/agents.md
	scripts/test-agents.sh $(ARGS)

check: ## format, vet and the rules of the house
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/runner
	$(GO) test ./internal/house

bench: build ## measure against the floor, write docs/benchmarks.md; 1 if a goal is missed
	$(GO) run ./internal/bench -bin bin -out docs/benchmarks.md

LIVES ?= 500
FOR   ?= 15m

chaos: ## thousands of lives with faults at every step; LIVES, FOR and CHAOS='-seed 7 -faults wire' bound it
	$(GO) run ./internal/chaos -lives $(LIVES) -for $(FOR) $(CHAOS)

mutants: ## take out the lines that requirements stand on, one by one: a test must fail; ONLY=A19,X2
	$(GO) run ./internal/mutants -only '$(ONLY)'

screenshots: ## pictures of the dashboard in a real browser, into docs/screenshots
	@mkdir -p docs/screenshots
	BLAISE_SCREENSHOTS=$(CURDIR)/docs/screenshots $(GO) test -count=1 -run Screenshots ./dashboard

states: ## write docs/states.md anew from the tables
	$(GO) test . -run States -update

release: ## dist/: archives for linux and darwin, an image, what is in them, SHA256SUMS; the same bytes for the same commit
	rm -rf dist
	$(GO) run ./internal/release -version $(VERSION) -at $$(git log -1 --format=%ct) -out dist $(RELEASE)

image: ## the control plane as a container image from scratch, loaded into the engine of DOCKER_HOST
	$(MAKE) release RELEASE="-platforms linux/$(shell $(GO) env GOARCH)"
	gunzip -c dist/*.image.tar.gz | docker load

neighbours: ## an earlier version (OLD=commit, else the last tag) and this one work together, live
	scripts/neighbours.sh $(ARGS)

clean: ## remove bin and dist
	rm -rf bin dist
