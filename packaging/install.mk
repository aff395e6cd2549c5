# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Installation. The Makefile includes this file.
#
# DESTDIR is prepended to every path. If DESTDIR is set, make runs no depmod, because the scripts of the
# package run it after the installation. INSTALL_MOD_PATH is the root of another system: make puts the
# module there and runs depmod for this root.

PREFIX ?= /usr/local
bindir := $(DESTDIR)$(PREFIX)/bin
libdir := $(DESTDIR)$(PREFIX)/lib/krping
mandir := $(DESTDIR)$(PREFIX)/share/man
docdir := $(DESTDIR)$(PREFIX)/share/doc/krping
bashdir := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
includedir := $(DESTDIR)$(PREFIX)/include/krping

# kbuild installs modules below INSTALL_MOD_PATH
INSTALL_MOD_PATH ?= $(DESTDIR)
INSTALL_MOD_DIR ?= extra
# The release of the kernel, as in the name of its modules' directory. Do not read it from
# include/config/kernel.release, which in Debian's headers has another release.
release = $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null),$(error KDIR=$(KDIR) has no include/generated/utsrelease.h: KDIR is the directory of a kernel's headers))
moddir = $(INSTALL_MOD_PATH)/lib/modules/$(release)
# For other modules: krdma.h and the symbols of the module that was built for this kernel.
builddir = $(libdir)/build/$(release)

version := $(shell sed -n 's/^\#define KRPING_VERSION "\(.*\)"/\1/p' krping/version.h)

# the command, and the programs that the command and its users call
commands := $(wildcard scripts/krping)
programs := scripts/sweep scripts/plot scripts/report scripts/softrdma scripts/hardware-report
pages := $(if $(commands),krping.1) rdma_krping.4 krping-options.7

# Debian's kernels are configured to sign modules, but their headers lack the key: kbuild would
# print errors and install the module unsigned. So kbuild does not sign without that key. The
# variables MODULE_SIG_KEY and MODULE_SIG_CERT sign the module after its installation.
no-sign = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)

#: make install [PREFIX=...]  the command, awk programs, manuals, documents, completion, and the module
.PHONY: install
install: install-tools modules_install

#: make install-tools         the same without the module
.PHONY: install-tools
install-tools: man
	install -d $(libdir)/awkit
	install -m 755 $(programs) $(libdir)
	install -m 644 scripts/lib.sh $(libdir)
	install -m 755 $(wildcard awkit/*) $(libdir)/awkit
	$(if $(commands),install -d $(bindir))
	$(if $(commands),install -m 755 $(commands) $(bindir))
	$(if $(wildcard scripts/krping.d),cp -R scripts/krping.d/. $(libdir))
	for page in $(pages); do \
		install -D -m 644 build/man/$$page $(mandir)/man$${page##*.}/$$page || exit; \
	done
	install -D -m 644 packaging/completion/krping.bash $(bashdir)/krping
	install -D -m 644 packaging/completion/_krping $(zshdir)/_krping
	packaging/install-documents $(PREFIX) $(docdir)

#: make modules_install       the module for the kernel of KDIR, and krdma.h for other modules
# kbuild succeeds even if it installs nothing, for instance without modules.order. So remove the
# installed module first, and then check for the new one.
.PHONY: modules_install
modules_install: modules
	rm -f $(moddir)/$(INSTALL_MOD_DIR)/rdma_krping.ko*
	$(MAKE) -C $(KDIR) M=$(CURDIR)/krping $(no-sign) INSTALL_MOD_PATH=$(INSTALL_MOD_PATH) \
		INSTALL_MOD_DIR=$(INSTALL_MOD_DIR) DEPMOD=true modules_install
	@ls $(moddir)/$(INSTALL_MOD_DIR)/rdma_krping.ko* >/dev/null 2>&1 || { \
		echo "modules_install: $(moddir)/$(INSTALL_MOD_DIR) has no rdma_krping.ko" >&2; exit 1; }
	$(if $(MODULE_SIG_KEY),$(sign) $(moddir)/$(INSTALL_MOD_DIR)/rdma_krping.ko)
	$(depmod)
	install -D -m 644 krping/krdma.h $(includedir)/krdma.h
	install -D -m 644 krping/Module.symvers $(builddir)/Module.symvers
	ln -sf ../../../../include/krping/krdma.h $(builddir)/krdma.h

depmod = $(if $(DESTDIR),,PATH=$$PATH:/usr/sbin:/sbin depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) $(release))
sign = $(KDIR)/scripts/sign-file sha256 $(MODULE_SIG_KEY) \
	$(or $(MODULE_SIG_CERT),$(error MODULE_SIG_KEY needs MODULE_SIG_CERT, the certificate of the key))

#: make uninstall             remove the files of make install, for the kernel of KDIR
.PHONY: uninstall
uninstall:
	rm -f $(bindir)/krping $(bashdir)/krping $(zshdir)/_krping $(includedir)/krdma.h
	rm -f $(foreach page,krping.1 rdma_krping.4 krping-options.7,$(mandir)/man$(subst .,,$(suffix $(page)))/$(page))
	rm -f $(moddir)/$(INSTALL_MOD_DIR)/rdma_krping.ko*
	rm -rf $(libdir) $(docdir)
	rmdir --ignore-fail-on-non-empty $(includedir) 2>/dev/null || :
	$(depmod)

#: make man                   the manual pages, in build/man
# The rows of krping-options(7) are those of the table in Documentation/options.md, which
# make options-table writes, and the SYNOPSIS of krping(1) is that of krping COMMAND --help. The
# date is that of the sources, so that a build is repeatable.
.PHONY: man
man: $(patsubst %,build/man/%,$(pages))

build/man/%: packaging/man/% packaging/man/fill Documentation/options.md krping/main.c
	@mkdir -p $(@D)
	packaging/man/fill $(version) $< >$@.tmp
	@mv $@.tmp $@

build/man/krping.1: $(commands) $(wildcard scripts/krping.d/*.sh) $(programs)
