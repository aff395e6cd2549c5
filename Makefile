# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# krping: RDMA ping/pong from inside the kernel. `make help` lists the targets.

# The kernel to build for: the running one if its headers are here, else
# Debian's kernel of this release, which the virtual machine boots as well.
# make computes the value when a target first needs it, because scripts/kernel may fetch a package.
ifeq ($(origin KDIR),undefined)
KDIR = $(eval KDIR := $$(or $$(wildcard /lib/modules/$$(shell uname -r)/build),$$(shell scripts/kernel stock headers)))$(KDIR)
endif

.DEFAULT_GOAL := modules

.PHONY: help
help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

#: make run                   a server and a client, in a virtual machine
.PHONY: run
run:
	scripts/run

#: make run-disk              a file system on another machine's memory, in two virtual machines
.PHONY: run-disk
run-disk:
	scripts/disk-demo

#: make check                 all tests but the longest
# UNTIL skips the subjects that would begin after this time, in seconds since 1970.
.PHONY: check
check:
	tests/run $(if $(UNTIL),--until $(UNTIL))

#: make check-fast            a minute: changed files, unit tests, one guest
# CHANGED is the commit to compare with: by default where the branch left its upstream.
CHANGED ?= $(shell git merge-base HEAD '@{upstream}' 2>/dev/null || echo HEAD)
fast-subjects := static unit grammar-rejected stats negotiate outcomes-peer \
		 hostile-requests effects-posts
.PHONY: check-fast
check-fast:
	CHANGED=$(CHANGED) tests/run --device rxe $(fast-subjects)

#: make check-lab             on a software device that does DMA, with and without an IOMMU
# Each group of switches makes the lab device similar to a kind of hardware, for ordinary subjects.
lab-subjects := modes remote-memory latency-modes bandwidth-modes
.PHONY: check-lab
check-lab:
	tests/run lab/
	tests/run --device lab guest/
	tests/run --device lab:iommu guest/ completions mappings unnamed-posts
	tests/run --device lab:bounce guest/
	tests/run --device lab:flush_twice=1 disk-reconnect disk-openers krdma sessions
	tests/run --device lab:hns,map_sleeps,map_pages,map_offset $(lab-subjects) fast-registration
	tests/run --device lab:max_sge=1,max_sge_rd=1,max_reads=1 $(lab-subjects) disk
	tests/run --device lab:page_sizes=4096,vectors=1,no_atomics $(lab-subjects) bandwidth-threads
	tests/run --device lab:mr_entries=32 modes remote-memory latency-modes
	tests/run --device lab:vectors=64,hold=8,hold_us=200,backward=1,shuffle=1 $(lab-subjects) stride
	tests/run --device lab:sq_bytes=65536,max_qp_wr=600,max_cqe=1400,inline_first $(lab-subjects) latency-buffers
	tests/run --device lab:cq_entries=1400,reg_no_atomic modes remote-memory bandwidth-modes disk

#: make check-conform         drivers that break one rule each, which conform has to find; 45 minutes
.PHONY: check-conform
check-conform: modules
	tests/run vm-conform
	tests/check-conform

#: make check-debug           with KASAN, lockdep and the like, and with faults; hours
.PHONY: check-debug
check-debug:
	tests/check-debug

#: make check-deep            static, command, kernels, fresh, upgrade, machines, rt, lab, conform, debug, mutants and large; a day
.PHONY: check-deep
check-deep:
	tests/check-deep

#: make check-command         the command krping under dash, bash and busybox, trace-cmd and bpftrace; half an hour
.PHONY: check-command
check-command:
	tests/check-command

#: make check-fresh           a new user's first steps: packages, a new Debian, a comparison; five minutes if nothing else runs
.PHONY: check-fresh
check-fresh:
	tests/check-fresh

#: make check-upgrade         a kernel upgrade of this new user, for which dkms builds the module; ten minutes
.PHONY: check-upgrade
check-upgrade:
	tests/check-upgrade

#: make check-kernels         on kernels from 5.10 to 7.x; hours
.PHONY: check-kernels
check-kernels:
	tests/check-kernels

#: make check-large           an export of 4 GiB, 1,000 disks; half an hour, 9 GiB of memory
.PHONY: check-large
check-large:
	tests/check-large

#: make check-machines        on s390x (big-endian), ppc64el (64K pages) and arm64; an hour
.PHONY: check-machines
check-machines:
	tests/check-machines

#: make check-rt              on kernels with PREEMPT_RT, one of them with lockdep; an hour
.PHONY: check-rt
check-rt:
	tests/check-rt

#: make coverage              the lines of the module that the tests run
.PHONY: coverage
coverage:
	tests/coverage

#: make soak [SECONDS=600]    random tests at once, disturbed, with KASAN and the like
SECONDS ?= 600
.PHONY: soak
soak:
	tests/soak --seconds $(SECONDS)

#: make mutants               plant bugs, one at a time, which the tests have to find; hours
.PHONY: mutants
mutants:
	tests/mutants/run

#: make options-table         write the options into Documentation/options.md and for scripts/krping
.PHONY: options-table
options-table:
	@mkdir -p build
	@$(MAKE) -s -C tests/unit table >build/options-table
	sed -i -e '/^<!-- options: begin/,/^<!-- options: end/{//!d' -e '}' \
		-e '/^<!-- options: begin/r build/options-table' Documentation/options.md
	@echo '# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB' >build/options-help
	@$(MAKE) -s -C tests/unit help >>build/options-help
	cp build/options-help scripts/krping.d/options
	scripts/completion

#: make conform-table         write the tables of the cases and of case x patch into Documentation/conformance.md
.PHONY: conform-table
conform-table:
	@mkdir -p build
	tests/check-conform --table >build/conform-table
	sed -i -e '/^<!-- controls: begin/,/^<!-- controls: end/{//!d' -e '}' \
		-e '/^<!-- controls: begin/r build/conform-table' Documentation/conformance.md
	awk -f tests/conform/cases.awk tests/conform/cases >build/conform-cases
	sed -i -e '/^<!-- cases: begin/,/^<!-- cases: end/{//!d' -e '}' \
		-e '/^<!-- cases: begin/r build/conform-cases' Documentation/conformance.md

#: make fuzz                  fuzz the options and the wire for a minute
.PHONY: fuzz
fuzz:
	scripts/deps fuzz
	$(MAKE) -C tests/unit fuzz

#: make bench                 measure beside perftest and rping (run it alone)
.PHONY: bench
bench:
	scripts/bench

#: make bench-exact           instructions per operation, compared with the baseline
#: make bench-exact UPDATE=1  and write them into the baseline; the commit gives the reason
.PHONY: bench-exact
bench-exact:
	@mkdir -p build/exact
	scripts/bench --exact >build/exact/figures.tsv
	tests/exact/compare $(if $(UPDATE),--update) tests/exact/baseline.tsv build/exact/figures.tsv

# pahole makes a module's BTF from vmlinux. If one of the two is missing, build without BTF.
no-btf = $(if $(and $(shell command -v pahole),$(wildcard $(KDIR)/vmlinux)),,CONFIG_DEBUG_INFO_BTF_MODULES=)

# The RDMA stack of MLNX_OFED or DOCA replaces the kernel's modules: build against the headers and
# symbol versions of the stack that is installed in OFED_DEFAULT. OFED= builds against the kernel's.
OFED_DEFAULT ?= /usr/src/ofa_kernel/default
OFED ?= $(if $(filter /lib/modules/%,$(KDIR)),$(wildcard $(OFED_DEFAULT)))
ofed = $(if $(OFED),KRPING_OFED=$(ofed-dir) KBUILD_EXTRA_SYMBOLS=$(ofed-dir)/Module.symvers)
ofed-dir = $(or $(and $(wildcard $(OFED)/include/rdma/ib_verbs.h),$(wildcard $(OFED)/Module.symvers),$(abspath $(OFED))),$(error OFED=$(OFED) has no include/rdma/ib_verbs.h or no Module.symvers))

#: make modules [KDIR=...] [OFED=...]   build krping/rdma_krping.ko
.PHONY: modules
modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/krping $(no-btf) $(ofed) modules

include packaging/install.mk
include packaging/package.mk

#: make load, make unload     into and out of the running kernel, as root
.PHONY: load unload
load: modules
	modprobe -a ib_core rdma_cm
	insmod krping/rdma_krping.ko

unload:
	rmmod rdma_krping

#: make compile_commands.json, make tags    for editors
.PHONY: compile_commands.json tags
compile_commands.json: modules
	scripts/compile-commands "$(KDIR)" >$@

tags:
	ctags -R krping tests --exclude='*.mod.c'

#: make clean                 remove what was built here
.PHONY: clean
clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/krping clean
	rm -rf build
