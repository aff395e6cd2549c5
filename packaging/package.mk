# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Packages. The Makefile includes this file.

# the files from which dkms builds the module
dkms-files := Makefile COPYING packaging/install.mk packaging/package.mk packaging/dkms-symvers \
	krping/Kbuild krping/Kconfig $(wildcard krping/*.[ch] krping/conform/*.[ch])

#: make dkms-source           a source tree for dkms, below $(DESTDIR)/usr/src
srcdir = $(DESTDIR)/usr/src/krping-$(version)
.PHONY: dkms-source
dkms-source:
	rm -rf $(srcdir)
	install -d $(srcdir)/packaging $(srcdir)/krping/conform
	for file in $(dkms-files); do cp -p $$file $(srcdir)/$$file || exit; done
	sed 's/#MODULE_VERSION#/$(version)/' packaging/dkms.conf >$(srcdir)/dkms.conf

# The packages are built from the files that git tracks or does not ignore or, without a
# repository, from all files but build/.
files = $(shell git ls-files -co --exclude-standard 2>/dev/null || find . -type f ! -path './build/*')
stage := build/package/krping-$(version)

.PHONY: stage
stage:
	rm -rf build/package
	mkdir -p $(stage)
	tar -c --ignore-failed-read $(files) | tar -x -C $(stage)

#: make deb                   build/package: krping and krping-dkms for Debian, and their source package
.PHONY: deb
deb: stage
	cp -R packaging/debian $(stage)/debian
	cd $(stage) && dpkg-buildpackage -us -uc
	@ls build/package/*.dsc build/package/*.deb

#: make rpm                   build/package/*.rpm: the same for Fedora and its kin
.PHONY: rpm
rpm: stage
	tar -czf $(stage).tar.gz -C build/package krping-$(version)
	rpmbuild --nodeps -ba --define '_topdir $(CURDIR)/build/package/rpm' \
		--define '_sourcedir $(CURDIR)/build/package' \
		--define '_rpmdir $(CURDIR)/build/package' --define '_srcrpmdir $(CURDIR)/build/package' \
		--define '_rpmfilename %%{name}-%%{version}-%%{release}.%%{arch}.rpm' \
		$(RPMFLAGS) packaging/krping.spec
	@ls build/package/*.rpm
