# isolator: build and install. test/Makefile, which is included at the end, has the tests and checks. See README.md.

VERSION := 0.1.0
PREFIX ?= /usr/local
STATIC_PREFIX := /usr
DATADIR := $(PREFIX)/share/isolator
DOCDIR := $(PREFIX)/share/doc/isolator
B ?= build

CC ?= cc
CFLAGS ?= $(if $(SANITIZE),-O1,-O2) -g
HARDENING := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
	-Werror=implicit-function-declaration -Wimplicit-fallthrough -Wundef -Wpointer-arith
ifdef SANITIZE
B := $(B)/sanitize
HARDENING := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
SANITIZE_LDFLAGS := -fsanitize=$(SANITIZE)
endif
# The flags that are always needed are separate, so that CFLAGS on the command line does not replace them.
ALL_CFLAGS := -std=c11 -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -pthread -Isrc -I$(B) \
	-DISOLATOR_VERSION='"$(VERSION)"' -DISOLATOR_DATADIR='"$(DATADIR)"' $(WARNINGS) $(HARDENING) $(CFLAGS)
ALL_LDFLAGS := -pthread -pie -Wl,-z,relro,-z,now $(SANITIZE_LDFLAGS) $(LDFLAGS)
# What writes archives, for src/base/tar_writer.h: libtar if it is installed, else our own. make TAR=own or TAR=libtar
# decides. Without libtar, nothing can compile what uses it.
TAR := $(if $(shell $(CC) -E -include libtar.h -x c -o /dev/null /dev/null 2>/dev/null && echo yes),libtar,own)
$(if $(filter libtar own,$(TAR)),,$(error TAR is 'libtar' or 'own', not '$(TAR)'))
WITHOUT := $(if $(filter own,$(TAR)),src/base/tar_writer_libtar.c)
UNUSED := $(or $(WITHOUT),src/base/tar_writer_own.c)
LIBS := $(if $(WITHOUT),,-ltar) -ljansson -lyaml -lm
# isolator-tls, src/tls, is the only program that links OpenSSL; without its headers it is left out. make TLS= leaves it out.
TLS := $(if $(shell $(CC) -E -include openssl/ssl.h -x c -o /dev/null /dev/null 2>/dev/null && echo yes),isolator-tls)
$(B)/isolator-tls: private LIBS := -lssl -lcrypto
# The prompt of `isolator session`.
TERMINAL_LIBS := # what libedit needs if it is static
$(B)/isolator $(B)/bare/isolator: private LIBS += -ledit $(TERMINAL_LIBS)

# The layers: the folders of src, each of which includes only itself and those to its left (make check-layers). cli and mcp
# do not know each other. Each is an archive. supervisor is a program of its own, for which a part of base is compiled too;
# as an archive it is for the unit tests.
CHAINS := base<-docker<-config<-network,tools,compare<-request<-container<-run<-judge<-prepare,service<-cli,mcp base<-supervisor \
	$(if $(TLS),base<-docker<-config<-network<-tls)
comma := ,
layers_of = $(subst <-, ,$(subst $(comma), ,$(1)))
LAYERS := $(sort $(call layers_of,$(CHAINS)))
# left_of_LAYER: the layers to its left, the nearest first. What a layer links: its own archive and theirs, in that order.
$(foreach chain,$(CHAINS),$(eval left :=)$(foreach rank,$(subst <-, ,$(chain)), \
	$(foreach layer,$(call layers_of,$(rank)),$(eval left_of_$(layer) := $(left)))$(eval left := $(call layers_of,$(rank)) $(left))))
linked = $(foreach layer,$(1) $(left_of_$(1)),$(B)/$(layer).a)
MAINS := src/cli/isolator.c src/mcp/isolator_mcp.c src/supervisor/supervisor.c src/tls/isolator_tls.c
sources_of = $(wildcard src/$(1)/*.c src/$(1)/*/*.c)
objects = $(patsubst src/%.c,$(B)/%.o,$(filter-out $(MAINS) $(UNUSED),$(call sources_of,$(1))))
MAN_PAGES := $(wildcard man/*.[1-9])

# Prints the file that each command makes; with V=1 the command itself.
Q := $(if $(V),,@)
making = $(if $(V),,@echo "  $(1) $(or $(2),$@)")
# A make on all cores.
build := $(MAKE) --no-print-directory -j $(shell nproc)
git := git -c safe.directory=$(CURDIR)

# All files are built in $(B), so a target whose name begins with a letter is none.
.PHONY: $(shell sed -nE 's/^([a-z][a-z0-9 -]*):([^=]|$$).*/\1/p' Makefile test/Makefile)
.DELETE_ON_ERROR:

all: $(B)/isolator $(B)/isolator-mcp $(TLS:%=$(B)/%) $(MAN_PAGES:%=$(B)/%) ## build the programs and the manual pages (the default)
	$(if $(TLS),,@echo "  without isolator-tls, which needs OpenSSL (package libssl-dev)")

help: ## print this list
	@echo "usage: make [TARGET] [VARIABLE=VALUE]"
	@awk -F ':.* ## ' 'FNR == 1 { print "\n" heading } /^[a-z0-9 -]+:.* ## / { printf "  %-14s %s\n", $$1, $$2 }' \
		heading='Build and install:' Makefile heading='Test and check:' test/Makefile

# Both have the manual pages, which are made of what the programs print: so each is linked without them first.
$(B)/isolator $(B)/bare/isolator: $(B)/cli/isolator.o $(call linked,cli)
$(B)/isolator-mcp $(B)/bare/isolator-mcp: $(B)/mcp/isolator_mcp.o $(call linked,mcp)
$(B)/isolator $(B)/isolator-mcp: $(B)/manual.o
$(B)/bare/isolator $(B)/bare/isolator-mcp: $(B)/bare/manual.o
$(B)/isolator-tls: $(B)/tls/isolator_tls.o $(if $(TLS),$(call linked,tls))
$(B)/isolator $(B)/isolator-mcp $(B)/bare/isolator $(B)/bare/isolator-mcp $(B)/isolator-tls:
	@mkdir -p $(@D)
	$(call making,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

define archive
$(B)/$(1).a: $(call objects,$(1))
	$(Q)rm -f $$@ && $(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach layer,$(LAYERS),$(eval $(call archive,$(layer))))

$(B)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call making,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What depends on a setting is built again if that changes: each of these files has the value of one.
$(B)/datadir: private setting = $(DATADIR)
$(B)/tar: private setting = $(TAR)
$(B)/supervisor/compilers: private setting = $(supervisor_compilers)
$(B)/datadir $(B)/tar $(B)/supervisor/compilers: FORCE
	@mkdir -p $(@D)
	@echo '$(setting)' | cmp -s - $@ || echo '$(setting)' >$@
FORCE:
$(B)/config/config_load.o $(B)/config/config_values.o $(B)/mcp/isolator_mcp.o: $(B)/datadir
$(B)/base.a: $(B)/tar

# The manual pages, with the options of the programs, which run here for that.
$(B)/man/%: man/% man/options.awk $(B)/bare/isolator $(B)/bare/isolator-mcp
	@mkdir -p $(@D)
	$(Q)awk -v bin=$(B)/bare -f man/options.awk $< >$@

# Files that are built in, byte for byte, as strings of C: cppcheck needs more than a minute for the same as a list of
# numbers. Without a file it reads stdin.
as_strings = od -An -v -w1024 -tx1 $(1) | sed 's/ \(..\)/\\x\1/g; s/.*/"&"/'
# The manual pages as text, with the places of this PREFIX: {name, text}, see src/config/manual.h.
MANUAL ?= $(B)/manual.c
$(B)/static/manual.c: private PREFIX := $(STATIC_PREFIX)
$(B)/manual.c $(B)/static/manual.c: $(MAN_PAGES:%=$(B)/%) $(B)/datadir
	@mkdir -p $(@D)
	@{ echo '#include "config/manual.h"'; echo 'const struct manual_page manual_pages[] = {'; \
	for page in $(filter %.1 %.5,$^); do \
		name=$${page##*/}; echo "{\"$${name%.*}\","; \
		mandoc -T ascii -O width=78 -I os=isolator $$page | \
			sed -E 's/.\x08//g; s#/usr/local/(bin|libexec|share)#$(PREFIX)/\1#g' | $(call as_strings); echo '},'; \
	done; echo '{0, 0}};'; } >$@
$(B)/bare/manual.c: Makefile
	@mkdir -p $(@D)
	@echo '#include "config/manual.h"' >$@
	@echo 'const struct manual_page manual_pages[] = {{0, 0}};' >>$@
$(B)/manual.o: $(MANUAL)
$(B)/bare/manual.o: $(B)/bare/manual.c
$(B)/manual.o $(B)/bare/manual.o: src/config/manual.h
	$(call making,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $(filter %.c,$^)
# JSON files: the configuration, the schema of results, the definitions of the tools and the profile for podman.
JSON_HEADERS := $(patsubst %,$(B)/%.h,default_config results_schema execute_code close_session search_tools wait_job podman_seccomp)
$(B)/docker/engine_kind.o: $(B)/podman_seccomp.h
$(B)/podman_seccomp.h: src/docker/podman_seccomp.json
$(B)/config/config_load.o: $(B)/default_config.h
$(B)/default_config.h: isolator_config.json
$(B)/cli/config_command.o: $(B)/results_schema.h
$(B)/results_schema.h: share/isolator_results.schema.json
TOOL_HEADERS := $(patsubst %,$(B)/%.h,execute_code close_session search_tools wait_job)
$(B)/mcp/tool.o: $(TOOL_HEADERS)
$(TOOL_HEADERS): $(B)/%.h: src/mcp/%.json
$(JSON_HEADERS): $(B)/%.h: Makefile
	@mkdir -p $(@D)
	$(Q){ echo 'static const char $*[] ='; $(call as_strings,$(filter %.json,$^)); echo ';'; } >$@
# The drivers of interpreters that stay, and what makes Node.js use the proxy, without whole lines of comment and the
# indentation of JavaScript. Inside a text of several lines that would change the text, so there can be none: a line has an
# even number of backticks.
$(B)/config/drivers.o: $(B)/driver_texts.h
$(B)/driver_texts.h: src/drivers/python.py src/drivers/javascript.js src/drivers/node_proxy.js src/drivers/tools.py src/drivers/tools.js \
		src/drivers/call.py src/drivers/call.js src/drivers/preload.py src/drivers/shell.sh Makefile
	@mkdir -p $(@D)
	@awk '!/^ *\/\// { broken = /\\$$/; gsub(/\\./, ""); if (gsub(/`/, "") % 2 || broken) { found = 1; \
		print FILENAME ":" FNR ": a text cannot span lines here: the build removes the indentation; use \\n" } } \
		END { exit found }' $(filter %.js,$^) >&2
	@{ echo 'static const struct { const char *placeholder, *text; } drivers[] = {'; \
	echo '{"{python_driver}",'; sed '/^ *#/d' src/drivers/python.py | $(call as_strings); echo '},'; \
	echo '{"{javascript_driver}",'; sed 's/^ *//; /^\/\//d' src/drivers/javascript.js | $(call as_strings); echo '},'; \
	echo '};'; echo 'static const char node_proxy[] ='; \
	sed 's/^ *//; /^\/\//d' src/drivers/node_proxy.js | $(call as_strings); echo ';'; \
	echo 'static const char tools_python[] ='; sed '/^ *#/d' src/drivers/tools.py | $(call as_strings); echo ';'; \
	echo 'static const char tools_javascript[] ='; sed 's/^ *//; /^\/\//d' src/drivers/tools.js | $(call as_strings); echo ';'; \
	echo 'static const char call_python[] ='; sed '/^ *#/d' src/drivers/call.py | $(call as_strings); echo ';'; \
	echo 'static const char shell[] ='; sed '/^ *#/d' src/drivers/shell.sh | $(call as_strings); echo ';'; \
	echo 'static const char preload_python[] ='; sed '/^ *#/d' src/drivers/preload.py | $(call as_strings); echo ';'; \
	echo 'static const char call_javascript[] ='; sed 's/^ *//; /^\/\//d' src/drivers/call.js | $(call as_strings); echo ';'; } >$@
# The snippets that are built in and the attacks of `isolator selftest`, as {name, text}: rows FILES SUFFIX-TO-CUT-OFF.
rows = for file in $(1); do echo "{\"$$(basename "$$file" $(2))\","; $(call as_strings,"$$file"); echo '},'; done; echo '};'
SNIPPETS := $(sort $(wildcard prompts/*))
$(B)/request/snippets.o: $(B)/snippet_texts.h
$(B)/snippet_texts.h: $(SNIPPETS) prompts Makefile
	@mkdir -p $(@D)
	@{ echo 'static const struct snippet { const char *name, *text; } built_in[] = {'; $(call rows,$(SNIPPETS)); } >$@
ATTACKS := $(sort $(wildcard test/abuse/*.py))
$(B)/cli/attack.o: $(B)/attacks.h
$(B)/attacks.h: $(ATTACKS) test/abuse Makefile
	@mkdir -p $(@D)
	@{ echo 'static const struct { const char *name, *text; } attacks[] = {'; $(call rows,$(ATTACKS),.py); } >$@

# The supervisor, process 1 of each container: a static program for each architecture, embedded in both programs. With
# musl it has at most 160 KB. Where musl-gcc (package musl-tools) is missing, the C library of the compiler is used, which
# makes it larger, and make says so. Another architecture needs its cross compiler (on Debian gcc-aarch64-linux-gnu and
# libc6-dev-arm64-cross): make SUPERVISORS="x86_64 aarch64".
MACHINE := $(shell uname -m)
MUSL_CC ?= musl-gcc
MUSL := # the directory of the compilers of share/packaging/musl, for static programs
SUPERVISORS ?= $(MACHINE)
SUPERVISOR_SOURCES := $(call sources_of,supervisor) $(foreach name,untar strbuf strvec error memory loop sealed_lines sha256 base64 timer,src/base/$(name).c)
SUPERVISOR_CFLAGS := -std=c11 -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -DNDEBUG -Isrc $(WARNINGS) \
	-pthread -Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables
SUPERVISOR_LDFLAGS := -static -pthread -Wl,--gc-sections -Wl,-z,noseparate-code -s
# Pages of ARM have up to 64 KB, and the file a hole of that size in front of what is read-only after the start: three tables
# of the C library.
supervisor_ldflags_aarch64 := -Wl,-z,norelro
supervisor_ldflags_x86_64 :=
musl_or_cc = $(or $(shell command -v $(MUSL_CC)),$(CC))
supervisor_cc = $(if $(MUSL),$(MUSL)/$(1).musl/cc,$(if $(filter $(MACHINE),$(1)),$(musl_or_cc),$(1)-linux-gnu-gcc))
supervisor_compilers := $(foreach machine,$(SUPERVISORS),$(machine) $(call supervisor_cc,$(machine)))
supervisor_kb = $(if $(findstring musl,$(1)),160,1024)
define supervisor
$(B)/supervisor/$(1)/%.o: src/%.c $(B)/supervisor/compilers Makefile
	@mkdir -p $$(@D)
	$(Q)$(2) $(SUPERVISOR_CFLAGS) -MMD -MP -c -o $$@ $$<
$(B)/supervisor/$(1).elf: $(SUPERVISOR_SOURCES:src/%.c=$(B)/supervisor/$(1)/%.o)
	$$(call making,LD)
	$(Q)$(2) $(SUPERVISOR_LDFLAGS) $(supervisor_ldflags_$(1)) -o $$@ $$^
	@[ $$$$(wc -c <$$@) -le $$$$(($(call supervisor_kb,$(2)) * 1024)) ] || \
		{ echo "$$@ has $$$$(wc -c <$$@) bytes, more than $(call supervisor_kb,$(2)) KB" >&2; exit 1; }
	$(if $(findstring musl,$(2)),,@echo "  $$@: $$$$(($$$$(wc -c <$$@) / 1024)) KB, with the C library of \
	$(2)$(if $(filter $(MACHINE),$(1)), since there is no musl-gcc (package musl-tools))")
endef
$(foreach machine,$(SUPERVISORS),$(eval $(call supervisor,$(machine),$(call supervisor_cc,$(machine)))))
$(B)/container/delivery.o: $(B)/supervisors.h
$(B)/supervisors.h: $(SUPERVISORS:%=$(B)/supervisor/%.elf)
	@{ for machine in $(SUPERVISORS); do \
		echo "static const unsigned char supervisor_$$machine[] ="; \
		$(call as_strings,$(B)/supervisor/$$machine.elf); echo ';'; \
	done; \
	echo 'static const struct supervisor_binary { const char *machine; const unsigned char *bytes; size_t size; } supervisors[] = {'; \
	for machine in $(SUPERVISORS); do \
		echo "{\"$$machine\", supervisor_$$machine, sizeof supervisor_$$machine - 1},"; \
	done; echo '};'; } >$@

GENERATED := $(JSON_HEADERS) $(patsubst %,$(B)/%.h,driver_texts snippet_texts attacks supervisors)

packages: ## install the libraries and tools to build with
	@test/setup packages
setup: packages ## set up an engine with images; as root or with sudo
	@test/setup engine

# Static programs, which need no other file and no C library: for MACHINES, in build/static/MACHINE, each with the
# supervisors of all of these. share/packaging/musl makes their compilers and libraries. The manual pages come from the
# programs that run here.
MACHINES ?= $(MACHINE)
STATIC_WERROR := # make check sets it
STATIC := $(foreach machine,$(MACHINES),$(B)/static/$(machine))
static-packages: packages
	@MACHINES='$(MACHINES)' test/setup static
static: static-packages ## build static programs, for the MACHINES x86_64 and aarch64
	+@$(build) $(STATIC)
	@for program in isolator isolator-mcp; do ln -sf $(firstword $(MACHINES))/$$program $(B)/static/$$program; done
$(B)/static/%.musl/cc: share/packaging/musl
	$(call making,MUSL)
	$(Q)share/packaging/musl $* $(@D)
# Without the libraries, which the supervisor does not need.
$(B)/compilers/%.musl/cc: share/packaging/musl
	$(call making,MUSL)
	$(Q)share/packaging/musl $* $(@D) compiler
$(STATIC): $(B)/static/%: FORCE $(MACHINES:%=$(B)/static/%.musl/cc) $(B)/static/manual.c
	+@$(MAKE) --no-print-directory B=$(B)/static/$*.build MUSL=$(abspath $(B))/static CC=$(abspath $@).musl/cc \
		AR=$*-linux-gnu-ar LDFLAGS='-Wl,--gc-sections -s' \
		CFLAGS='-O2 -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables $(STATIC_WERROR)' \
		TERMINAL_LIBS=-lncurses PREFIX=$(STATIC_PREFIX) MANUAL=$(B)/static/manual.c SUPERVISORS='$(MACHINES)' \
		$(B)/static/$*.build/isolator $(B)/static/$*.build/isolator-mcp
	@mkdir -p $@
	@for program in isolator isolator-mcp; do \
		cp $(B)/static/$*.build/$$program $(B)/static/$*.musl/LICENSES $@ && \
		{ [ $$(wc -c <$@/$$program) -le 2621440 ] || { echo "$@/$$program has more than 2.5 MB" >&2; exit 1; }; }; done

# Another make builds, since the build needs the packages.
demo: ## set up, build, and run three programs
	+@test/demo $(B)/isolator $(build) all

# The installed files, as SOURCE:PLACE, for install and uninstall alike. BIN has the programs.
BIN ?= $(B)
INSTALLED := $(foreach program,isolator isolator-mcp,$(BIN)/$(program):$(PREFIX)/bin/$(program) \
		share/completions/isolator.bash:$(PREFIX)/share/bash-completion/completions/$(program) \
		share/completions/isolator.fish:$(PREFIX)/share/fish/vendor_completions.d/$(program).fish) \
	$(TLS:%=$(B)/%:$(PREFIX)/libexec/isolator/isolator-tls) \
	share/completions/_isolator:$(PREFIX)/share/zsh/site-functions/_isolator \
	$(foreach page,$(MAN_PAGES),$(B)/$(page):$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	$(foreach file,README.md SECURITY.md LICENSE,$(file):$(DOCDIR)/$(file)) \
	isolator_config.json:$(DATADIR)/isolator_config.json \
	$(foreach file,$(wildcard share/examples/*.py share/examples/cluster/*),$(file):$(DOCDIR)/$(file:share/%=%)) \
	$(foreach file,$(wildcard share/formats/[!_]*) share/formats/_batch.py,$(file):$(DATADIR)/$(file:share/%=%)) \
	$(foreach schema,config results,share/isolator_$(schema).schema.json:$(DATADIR)/isolator_$(schema).schema.json)

# The manual pages name the installed places.
install: all ## install below PREFIX (/usr/local), or DESTDIR/PREFIX
	@for pair in $(INSTALLED); do \
		source=$${pair%%:*} place="$(DESTDIR)$${pair#*:}" mode=644; \
		case $$source in $(BIN)/isolator*|$(B)/isolator-tls|share/formats/[!_]*) mode=755 ;; esac; \
		install -D -m $$mode "$$source" "$$place" || exit 1; \
		case $$source in $(B)/man/*) sed -Ei 's#/usr/local/(bin|libexec|share)#$(PREFIX)/\1#g' "$$place" || exit 1 ;; esac; \
	done
# isolator's own directories are removed too, unless other files are in them.
uninstall: ## remove what install has installed
	@for pair in $(INSTALLED); do rm -f "$(DESTDIR)$${pair#*:}" || exit 1; done
	@for own in $(PREFIX)/libexec/isolator $(DATADIR)/formats $(DATADIR) $(DOCDIR)/examples/cluster $(DOCDIR)/examples $(DOCDIR); do \
		rmdir "$(DESTDIR)$$own" 2>/dev/null || [ ! -d "$(DESTDIR)$$own" ] || echo "  left: $(DESTDIR)$$own"; \
	done

# The sources of the commit that is checked out; the same bytes each time.
DIST := isolator-$(VERSION)
dist: ## make a source archive
	@mkdir -p $(B)
	$(call making,DIST,$(B)/$(DIST).tar.gz)
	$(Q)$(git) archive --format=tar --prefix=$(DIST)/ HEAD >$(B)/$(DIST).tar
	$(Q)gzip -9nf $(B)/$(DIST).tar
# A Debian package, installed below /usr, built in a directory of its own.
deb: ## make a Debian package
	@rm -rf $(B)/deb/debian
	+@$(build) B=$(B)/deb PREFIX=/usr DESTDIR=$(B)/deb/debian/isolator install
	@share/packaging/deb $(B)/deb $(VERSION) $(B)
# Made of the static programs, for MACHINES, or of those in PROGRAMS.
PROGRAMS ?= $(B)/static
npm: ## make npm packages
bundles: ## make MCP bundles, the entry of the MCP registry and a plugin of Claude Code
wheels: ## make wheels, which have the programs and the Python client
archives: ## make archives and Debian packages of the static programs
npm bundles wheels archives: $(if $(filter $(B)/static,$(PROGRAMS)),static)
	+$(Q)MAKE='$(MAKE)' share/packaging/$@ $(PROGRAMS) $(VERSION) $(B)/$@
# All that is published, with the time of the commit: the same commit gives the same bytes.
release: export SOURCE_DATE_EPOCH ?= $(shell $(git) log -1 --format=%ct)
release: ## make all that is published, for both architectures, in build/release
	+@$(MAKE) --no-print-directory MACHINES='x86_64 aarch64' dist archives wheels npm bundles
	@rm -rf $(B)/release
	@mkdir $(B)/release
	@cp $(B)/$(DIST).tar.gz $(foreach kind,archives wheels npm bundles,$(B)/$(kind)/isolator*[-_]$(VERSION)[-_.]*) \
		$(B)/bundles/server.json $(B)/release
	@cd $(B)/release && sha256sum * >SHA256SUMS
	$(call making,RELEASE,$(B)/release)
clean: ## remove what was built
	rm -rf build


include test/Makefile

-include $(shell find $(B) -type f -name '*.d' 2>/dev/null)
