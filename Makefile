# Everything here needs Go alone, unless a comment says otherwise.

GO ?= go

# The race detector needs a C compiler; without one the tests run without it.
RACE := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race)

REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
# The newest tag, else one that cannot be taken for a release.
VERSION  ?= $(shell git describe --tags --dirty 2>/dev/null || echo 0.0.0-dev+g$$(echo $(REVISION) | cut -c1-7))
BRANCH   ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
VERSION_PACKAGE := github.com/prometheus/common/version
LDFLAGS  := -s -w -X $(VERSION_PACKAGE).Version=$(VERSION) \
	-X $(VERSION_PACKAGE).Revision=$(REVISION) -X $(VERSION_PACKAGE).Branch=$(BRANCH)
BUILD    := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)'

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build
build: ## the static binary of this platform in bin/
	$(BUILD) -o bin/dpu-exporter ./cmd/dpu-exporter

# The image is made of the binaries of its platforms. ENGINE is podman or buildah:
# neither has a daemon. Nothing is pulled.
ENGINE  ?= podman
# A tag has no plus sign.
IMAGE   ?= dpu-exporter:$(subst +,-,$(VERSION))
ARCHIVE ?= bin/dpu-exporter-image.tar

# A list of that name would only grow: it goes first. And the platforms share no
# layer of the engine's cache.
.PHONY: image
image: image-engine bin/linux-amd64/dpu-exporter bin/linux-arm64/dpu-exporter ## the image for amd64 and arm64: IMAGE in the store of ENGINE, and the OCI archive ARCHIVE
	@$(ENGINE) manifest rm $(IMAGE) >/dev/null 2>&1 || true
	$(ENGINE) build --layers=false --platform linux/amd64,linux/arm64 --manifest $(IMAGE) \
		--build-arg VERSION='$(VERSION)' --build-arg REVISION='$(REVISION)' .
	rm -f $(ARCHIVE)
	$(ENGINE) manifest push --all $(IMAGE) oci-archive:$(ARCHIVE):$(IMAGE)

.PHONY: image-engine
image-engine:
	@command -v $(ENGINE) >/dev/null || { echo "make image: no $(ENGINE) here: apt-get install podman, or name another with ENGINE=" >&2; exit 1; }

bin/linux-%/dpu-exporter: always ## the static binary of another platform: make bin/linux-arm64/dpu-exporter
	GOOS=linux GOARCH=$* $(BUILD) -o $@ ./cmd/dpu-exporter

.PHONY: always
always:

# A module of its own, so that what reads queries and dashboards stays out of the program's.
MONITORING := test/monitoring

.PHONY: test
test: ## all tests, never from the cache: some drive a binary that the cache does not know of
	@[ -n "$(RACE)" ] || echo "no C compiler: testing without the race detector"
	$(GO) test $(RACE) -count=1 -timeout 15m ./...
	cd $(MONITORING) && $(GO) test $(RACE) -count=1 -timeout 15m ./...

# The lab is a virtual machine of Debian's packages; test/lab/README.md says what
# is real in it. RUN and LAB_PACKAGES choose the tests, LAB_TIMEOUT ends them.
# LAB_ARGS are arguments for them, LAB_CMDLINE is added to the kernel's command line:
# make lab RUN=Storm LAB_ARGS='-storm 20m' LAB_TIMEOUT=30m LAB_CMDLINE=slab_debug=FZPU
# LAB_KERNEL=debug boots what lab-debug-kernel has built.
RUN ?= .
LAB_PACKAGES ?= ./test/lab
LAB_TIMEOUT ?= 10m
LAB_ARGS ?=

.PHONY: lab
lab: build bin/lab ## tests in a guest where devlink, RDMA and Open vSwitch are real: make lab RUN=REGEXP
	@bin/lab build
	CGO_ENABLED=0 $(GO) test -v -count=1 -p 1 -tags lab -timeout $(LAB_TIMEOUT) -run '$(RUN)' -exec '$(CURDIR)/bin/lab exec' $(LAB_PACKAGES) $(if $(LAB_ARGS),-args $(LAB_ARGS))

.PHONY: lab-shell
lab-shell: build bin/lab ## a prompt in the guest, with dpu-exporter on the path
	@bin/lab shell

.PHONY: lab-debug-kernel
lab-debug-kernel: bin/lab ## a kernel with lockdep and KASAN for the lab, once, in half an hour: make lab LAB_KERNEL=debug
	@bin/lab debug-kernel

.PHONY: lab-clean
lab-clean: bin/lab ## removes the guest; the next one takes the newest packages
	@bin/lab clean

.PHONY: bin/lab
bin/lab:
	@CGO_ENABLED=0 $(GO) build -o bin/lab ./test/lab/cmd/lab

.PHONY: lint
lint: ## gofmt, vet and a short strict list of linters (built from source at the first run)
	$(GO) run $(GOLANGCI_LINT) run ./...
	cd $(MONITORING) && $(GO) run $(GOLANGCI_LINT) run ./...

.PHONY: docs
docs: ## docs/metrics.md from the table of metrics
	$(GO) run ./cmd/dpu-exporter metrics --describe=markdown > docs/metrics.md

.PHONY: bench
bench: ## the figures of docs/benchmarks.md; as root, with prometheus-node-exporter installed
	$(GO) test -run '^$$' -bench . -benchtime 2s ./metric ./internal/rtnl ./internal/ethtool ./inventory ./collector ./test/bench
