# isolator: build, check, install. See README.md.

VERSION := 0.1.0
PREFIX ?= /usr/local
STATIC_PREFIX := /usr
DATADIR := $(PREFIX)/share/isolator
DOCDIR := $(PREFIX)/share/doc/isolator
B ?= build

CC ?= cc
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
CLANG_TIDY ?= clang-tidy
CPPCHECK ?= cppcheck
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
LIBS := $(if $(WITHOUT),,-ltar) -ljansson -lm
# The prompt of `isolator session`.
TERMINAL_LIBS := # what libedit needs if it is static
$(B)/isolator $(B)/bare/isolator: private LIBS += -ledit $(TERMINAL_LIBS)

# The layers, from left to right. Each is an archive; a program links its own layer and those to its left.
# check-layers checks the includes.
# supervisor is a program of its own, for which a part of base is compiled too; as an archive it is for the unit tests.
LAYERS := base supervisor docker config run service cli mcp
left_of_base :=
left_of_supervisor := base
left_of_docker := base
left_of_config := docker base
left_of_run := config docker base
left_of_service := run config docker base
left_of_cli := service run config docker base
left_of_mcp := service run config docker base
SOURCES := $(filter-out $(WITHOUT),$(foreach layer,$(LAYERS),$(wildcard src/$(layer)/*.c)))
HEADERS := $(foreach layer,$(LAYERS),$(wildcard src/$(layer)/*.h))
MAINS := src/cli/isolator.c src/mcp/isolator_mcp.c src/supervisor/supervisor.c
objects = $(patsubst src/%.c,$(B)/%.o,$(filter-out $(MAINS) $(UNUSED),$(wildcard src/$(1)/*.c)))

# With libtar there is one more: it compares the two writers.
UNIT_SOURCES := $(filter-out $(if $(WITHOUT),%/base_tar_writers.c),$(wildcard test/unit/*.c))
FUZZ_SOURCES := $(wildcard test/fuzz/*.c)
FORMATTED := $(SOURCES) $(HEADERS) $(UNIT_SOURCES) $(FUZZ_SOURCES) $(wildcard test/unit/*.h test/fuzz/*.h test/fixtures/*.c)
UNIT_TESTS := $(UNIT_SOURCES:test/unit/%.c=$(B)/unit/%)
E2E_TESTS := $(wildcard test/e2e/*.t test/e2e/*.mjs)
MAN_PAGES := $(wildcard man/*.[1-9])

# Prints the file that each command makes; with V=1 the command itself.
Q := $(if $(V),,@)
making = $(if $(V),,@echo "  $(1) $(or $(2),$@)")

.PHONY: all help demo static static-packages check check-quick check-roots check-release test soak check-unit check-e2e check-format check-layers check-shape check-words check-headers check-musl format bench setup \
	packages test-packages test-images lint-packages lint lint-recent lint-cppcheck unit-tests sanitized-tests asan tsan coverage fuzz \
	fuzz-targets fuzz-link install uninstall dist deb npm bundles wheels archives release clean FORCE
.DELETE_ON_ERROR:

all: $(B)/isolator $(B)/isolator-mcp $(MAN_PAGES:%=$(B)/%) ## build isolator, isolator-mcp and the manual pages (the default)

help: ## print this list
	@echo "usage: make [TARGET] [VARIABLE=VALUE]"
	@sed -nE 's/^([a-z0-9 -]+):.* ## (.*)/\1=\2/p' Makefile | while IFS== read -r target text; do printf '  %-14s %s\n' "$$target" "$$text"; done

# Both have the manual pages, which are made of what the programs print: so each is linked without them first.
$(B)/isolator $(B)/bare/isolator: $(B)/cli/isolator.o $(foreach layer,cli $(left_of_cli),$(B)/$(layer).a)
$(B)/isolator-mcp $(B)/bare/isolator-mcp: $(B)/mcp/isolator_mcp.o $(foreach layer,mcp $(left_of_mcp),$(B)/$(layer).a)
$(B)/isolator $(B)/isolator-mcp: $(B)/manual.o
$(B)/bare/isolator $(B)/bare/isolator-mcp: $(B)/bare/manual.o
$(B)/isolator $(B)/isolator-mcp $(B)/bare/isolator $(B)/bare/isolator-mcp:
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

# The files that contain the data directory are built again if it changes.
$(B)/config/config_load.o $(B)/config/config_values.o $(B)/mcp/isolator_mcp.o: $(B)/datadir
$(B)/datadir: FORCE
	@mkdir -p $(@D)
	@echo '$(DATADIR)' | cmp -s - $@ || echo '$(DATADIR)' >$@
FORCE:
# base has the other writer of archives if that changes.
$(B)/base.a: $(B)/tar
$(B)/tar: FORCE
	@mkdir -p $(@D)
	@echo '$(TAR)' | cmp -s - $@ || echo '$(TAR)' >$@

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
		mandoc -T ascii -O width=78 -I os=isolator $$page | sed -E 's/.\x08//g; s#/usr/local/(bin|share)#$(PREFIX)/\1#g' | $(call as_strings); echo '},'; \
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
# JSON files: the configuration and the definition of the tool.
embed = { echo 'static const char $(1)[] ='; $(call as_strings,$<); echo ';'; } >$@
$(B)/config/config_load.o: $(B)/default_config.h
$(B)/default_config.h: isolator_config.json Makefile
	@mkdir -p $(@D)
	$(Q)$(call embed,default_config)
$(B)/cli/config_command.o: $(B)/results_schema.h
$(B)/results_schema.h: share/isolator_results.schema.json Makefile
	@mkdir -p $(@D)
	$(Q)$(call embed,results_schema)
TOOLS := execute_code close_session
$(B)/mcp/tool.o: $(TOOLS:%=$(B)/%.h)
$(TOOLS:%=$(B)/%.h): $(B)/%.h: src/mcp/%.json Makefile
	@mkdir -p $(@D)
	$(Q)$(call embed,$*)
# The drivers of interpreters that stay, without whole lines of comment and the indentation of JavaScript. Inside a text of
# several lines that would change the text, so there can be none: a line has an even number of backticks.
$(B)/config/drivers.o: $(B)/driver_texts.h
$(B)/driver_texts.h: src/drivers/python.py src/drivers/javascript.js Makefile
	@mkdir -p $(@D)
	@awk '!/^ *\/\// { broken = /\\$$/; gsub(/\\./, ""); if (gsub(/`/, "") % 2 || broken) { found = 1; \
		print FILENAME ":" FNR ": a text cannot span lines here: the build removes the indentation; use \\n" } } \
		END { exit found }' src/drivers/javascript.js >&2
	@{ echo 'static const struct { const char *placeholder, *text; } drivers[] = {'; \
	echo '{"{python_driver}",'; sed '/^ *#/d' src/drivers/python.py | $(call as_strings); echo '},'; \
	echo '{"{javascript_driver}",'; sed 's/^ *//; /^\/\//d' src/drivers/javascript.js | $(call as_strings); echo '},'; \
	echo '};'; } >$@
# The snippets that are built in, as {name, text}.
SNIPPETS := $(sort $(wildcard prompts/*))
$(B)/config/snippets.o: $(B)/snippet_texts.h
$(B)/snippet_texts.h: $(SNIPPETS) prompts Makefile
	@mkdir -p $(@D)
	@{ echo 'static const struct snippet { const char *name, *text; } built_in[] = {'; \
	for file in $(SNIPPETS); do echo "{\"$$(basename "$$file")\","; $(call as_strings,"$$file"); echo '},'; done; \
	echo '};'; } >$@
# The attacks of `isolator selftest`, as {name, text}.
ATTACKS := $(sort $(wildcard test/abuse/*.py))
$(B)/cli/attack.o: $(B)/attacks.h
$(B)/attacks.h: $(ATTACKS) test/abuse Makefile
	@mkdir -p $(@D)
	@{ echo 'static const struct { const char *name, *text; } attacks[] = {'; \
	for file in $(ATTACKS); do \
		echo "{\"$$(basename "$$file" .py)\","; $(call as_strings,"$$file"); echo '},'; \
	done; echo '};'; } >$@


# The supervisor, process 1 of each container: a static program for each architecture, embedded in both programs. With
# musl it has at most 160 KB. Where musl-gcc (package musl-tools) is missing, the C library of the compiler is used, which
# makes it larger, and make says so. Another architecture needs its cross compiler (on Debian gcc-aarch64-linux-gnu and
# libc6-dev-arm64-cross): make SUPERVISORS="x86_64 aarch64".
MACHINE := $(shell uname -m)
MUSL_CC ?= musl-gcc
MUSL := # the directory of the compilers of share/packaging/musl, for static programs
SUPERVISORS ?= $(MACHINE)
SUPERVISOR_SOURCES := $(wildcard src/supervisor/*.c) $(foreach name,untar strbuf strvec error memory loop,src/base/$(name).c)
SUPERVISOR_CFLAGS := -std=c11 -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -DNDEBUG -Isrc $(WARNINGS) \
	-pthread -Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
SUPERVISOR_LDFLAGS := -static -pthread -Wl,--gc-sections -Wl,-z,noseparate-code -s
supervisor_cc = $(if $(MUSL),$(MUSL)/$(1).musl/cc,$(if $(filter $(MACHINE),$(1)),$(or $(shell command -v $(MUSL_CC)),$(CC)),$(1)-linux-gnu-gcc))
supervisor_compilers := $(foreach machine,$(SUPERVISORS),$(machine) $(call supervisor_cc,$(machine)))
supervisor_kb = $(if $(findstring musl,$(1)),160,1024)
define supervisor
$(B)/supervisor/$(1)/%.o: src/%.c $(B)/supervisor/compilers Makefile
	@mkdir -p $$(@D)
	$(Q)$(2) $(SUPERVISOR_CFLAGS) -MMD -MP -c -o $$@ $$<
$(B)/supervisor/$(1).elf: $(SUPERVISOR_SOURCES:src/%.c=$(B)/supervisor/$(1)/%.o)
	$$(call making,LD)
	$(Q)$(2) $(SUPERVISOR_LDFLAGS) -o $$@ $$^
	@[ $$$$(wc -c <$$@) -le $$$$(($(call supervisor_kb,$(2)) * 1024)) ] || \
		{ echo "$$@ has $$$$(wc -c <$$@) bytes, more than $(call supervisor_kb,$(2)) KB" >&2; exit 1; }
	$(if $(findstring musl,$(2)),,@echo "  $$@: $$$$(($$$$(wc -c <$$@) / 1024)) KB, with the C library of \
	$(2)$(if $(filter $(MACHINE),$(1)), since there is no musl-gcc (package musl-tools))")
endef
$(foreach machine,$(SUPERVISORS),$(eval $(call supervisor,$(machine),$(call supervisor_cc,$(machine)))))
$(B)/run/delivery.o: $(B)/supervisors.h
$(B)/supervisors.h: $(SUPERVISORS:%=$(B)/supervisor/%.elf)
	@{ for machine in $(SUPERVISORS); do \
		echo "static const unsigned char supervisor_$$machine[] ="; \
		$(call as_strings,$(B)/supervisor/$$machine.elf); echo ';'; \
	done; \
	echo 'static const struct supervisor_binary { const char *machine; const unsigned char *bytes; size_t size; } supervisors[] = {'; \
	for machine in $(SUPERVISORS); do \
		echo "{\"$$machine\", supervisor_$$machine, sizeof supervisor_$$machine - 1},"; \
	done; echo '};'; } >$@
# They are built again if other ones are wanted, or with other compilers.
$(B)/supervisor/compilers: FORCE
	@mkdir -p $(@D)
	@echo '$(supervisor_compilers)' | cmp -s - $@ || echo '$(supervisor_compilers)' >$@

GENERATED := $(B)/default_config.h $(B)/results_schema.h $(B)/driver_texts.h $(TOOLS:%=$(B)/%.h) $(B)/attacks.h $(B)/snippet_texts.h $(B)/supervisors.h

# A unit test test/unit/LAYER_MODULE.c links its layer and those to the left of it; register.awk adds the main(). The code
# of the test itself is not optimized, which takes a third of the time to compile.
TEST_CFLAGS = $(filter-out -O% -D_FORTIFY_SOURCE=%,$(ALL_CFLAGS)) -O0 -Itest/unit -DTEST_PROGRAMS='"$(abspath $(B))/unit"'
unit_layer = $(firstword $(subst _, ,$(1)))
define unit_test
$(B)/unit/$(1): $(B)/unit/$(1).c $(foreach layer,$(call unit_layer,$(1)) $(left_of_$(call unit_layer,$(1))),$(B)/$(layer).a)
	$$(call making,CC)
	$(Q)$(CC) $$(TEST_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -o $$@ $$< $$(filter %.a,$$^) -lcmocka $(LIBS)
endef
$(foreach test,$(UNIT_SOURCES:test/unit/%.c=%),$(eval $(call unit_test,$(test))))
$(B)/unit/%.c: test/unit/%.c test/unit/register.awk
	@mkdir -p $(@D)
	$(Q)awk -f test/unit/register.awk $< >$@
# What their docker commands run to read a frame. It starts thousands of times, so it has no sanitizer.
$(UNIT_TESTS): | $(B)/unit/take_frame
$(B)/unit/take_frame: test/fixtures/take_frame.c src/supervisor/protocol.h
	@mkdir -p $(@D)
	$(call making,CC)
	$(Q)$(CC) -std=c11 -D_XOPEN_SOURCE=700 -Isrc $(WARNINGS) -O1 -o $@ $<

# The fuzz targets, for clang's libFuzzer, and the unit tests with sanitizers: built by clang in a directory of their own,
# once for both. Fuzz targets may link all layers.
FUZZ_SECONDS ?= 64
FUZZ_TARGETS := $(FUZZ_SOURCES:test/fuzz/%.c=$(B)/bin/%)
SANITIZED_TESTS := $(UNIT_TESTS:$(B)/%=$(B)/fuzz/%)
by_clang = $(MAKE) --no-print-directory CC=clang CFLAGS="-O1 -gline-tables-only" SANITIZE=fuzzer-no-link,address,undefined B=$(B)/fuzz
fuzz-targets:
	+@$(by_clang) fuzz-link
sanitized-tests:
	+@$(by_clang) fuzz-link unit-tests
fuzz-link: $(FUZZ_TARGETS)
$(B)/bin/%: test/fuzz/%.c $(foreach layer,cli mcp supervisor $(left_of_mcp),$(B)/$(layer).a)
	@mkdir -p $(@D)
	$(call making,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -fsanitize=fuzzer -MMD -MP -o $@ $(filter %.c %.a,$^) $(LIBS)
fuzz: packages test-packages ## build the fuzz targets
	+@$(build) fuzz-targets
	@FUZZ_PROGRAMS=$(B)/fuzz/bin FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=0 FUZZ_KEEP=$(B)/fuzz/found test/e2e/fuzz.t

packages: ## install the libraries and tools to build with
	@test/setup packages
test-packages: ## install the tools of the tests
	@test/setup tests
lint-packages: ## install the tools of lint
	@test/setup lint
test-images: setup
	@test/setup images
	@test/setup languages
setup: packages ## set up an engine with images; as root or with sudo
	@test/setup engine

# Static programs, which need no other file and no C library: for MACHINES, in build/static/MACHINE, each with the
# supervisors of all of these. share/packaging/musl makes their compilers and libraries. The manual pages come from the
# programs that run here.
MACHINES ?= $(MACHINE)
STATIC := $(foreach machine,$(MACHINES),$(B)/static/$(machine))
static-packages: packages
	@MACHINES='$(MACHINES)' test/setup static
static: static-packages ## build static programs, for the MACHINES x86_64 and aarch64
	+@$(build) $(STATIC)
	@for program in isolator isolator-mcp; do ln -sf $(firstword $(MACHINES))/$$program $(B)/static/$$program; done
$(B)/static/%.musl/cc: share/packaging/musl
	$(call making,MUSL)
	$(Q)share/packaging/musl $* $(@D)
$(STATIC): $(B)/static/%: FORCE $(MACHINES:%=$(B)/static/%.musl/cc) $(B)/static/manual.c
	+@$(MAKE) --no-print-directory B=$(B)/static/$*.build MUSL=$(abspath $(B))/static CC=$(abspath $@).musl/cc AR=$*-linux-gnu-ar CFLAGS='-O2 -ffunction-sections -fdata-sections' \
		LDFLAGS='-Wl,--gc-sections -s' TERMINAL_LIBS=-lncurses PREFIX=$(STATIC_PREFIX) MANUAL=$(B)/static/manual.c SUPERVISORS='$(MACHINES)' \
		$(B)/static/$*.build/isolator $(B)/static/$*.build/isolator-mcp
	@mkdir -p $@
	@for program in isolator isolator-mcp; do \
		cp $(B)/static/$*.build/$$program $(B)/static/$*.musl/LICENSES $@ && \
		{ [ $$(wc -c <$@/$$program) -le 2097152 ] || { echo "$@/$$program has more than 2 MB" >&2; exit 1; }; }; done

# A make on all cores.
build := $(MAKE) --no-print-directory -j $(shell nproc)
# The same beside a job that mostly waits.
build_beside := $(MAKE) --no-print-directory -j $(shell expr $$(nproc) + 1)
TESTED ?= $(abspath $(B))/isolator
run_tests = ISOLATOR=$(TESTED) FUZZ_PROGRAMS=$(abspath $(B))/fuzz/bin test/run
# These targets run the setup first, then another make for the build, which needs the setup.
demo: setup ## set up, build, and run three programs
	+@$(build) all
	@test/demo $(B)/isolator

# How many files of tests run at a time; what took longest in the last run here, or else by test/seconds, starts first.
# A comma keeps two apart: both attack, and would take from each other what they measure.
WORKERS ?= 4
run_ordered = SUITE_TIMES="test/seconds $(B)/seconds" $(run_tests) -j $(WORKERS)
APART := test/e2e/abuse.t,test/e2e/guards.t
comma := ,
ENGINE_TESTS = $(APART) $(filter-out $(subst $(comma), ,$(APART)),$(E2E_TESTS))

# All tests; unit tests only with sanitizers. Packages are installed first, since only one apt-get can run at a time. The
# images of the tests, which wait for the network, are made beside lint and the builds. An engine that hangs (Docker 20.10
# does, rarely) is restarted.
test: check
check: packages test-packages lint-packages static-packages ## set up, build, lint, and run every test
	+@$(build_beside) test-images lint-recent all $(STATIC) check-format check-layers check-shape check-words check-headers check-musl sanitized-tests
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-24} SUITE_SECONDS=900 RESTART_ENGINE='test/setup restart' $(run_ordered) $(ENGINE_TESTS) $(SANITIZED_TESTS)
# Build, unit tests, layers, the shape of the code, its words, and the end-to-end cases that need no container engine, in
# about 45 s; without root, network or engine. lib.sh puts a stand-in for docker on PATH. The cases of isolator-mcp need
# Node.js. More suites run at a time than in the check, since most of them wait.
QUICK_WORKERS ?= 12
QUICK_TESTS = $(shell grep -lE '^test_case --quick' test/e2e/*.t)
QUICK_NODE_TESTS = $(shell command -v node >/dev/null && grep -lwE '^ *quickCase' test/e2e/*.mjs)
check-quick: ## build, and run the tests that need no engine; in about 45 s
	+@$(build) all check-layers check-shape check-words unit-tests
	@$(if $(WITHOUT),echo "check-quick: without libtar: test/unit/base_tar_writers.c is left out")
	@command -v node >/dev/null || echo "check-quick: there is no Node.js: test/e2e/*.mjs are left out"
	@QUICK=1 SUITE_SECONDS=300 SUITE_TIMES="test/seconds-quick $(B)/seconds-quick" \
		$(run_tests) -j $(QUICK_WORKERS) $(QUICK_TESTS) $(QUICK_NODE_TESTS) $(UNIT_TESTS)
# The same in clean roots of Debian 12, 13 and the next one, or of the suites in ROOTS.
check-roots: ## build, and run check-quick, in clean roots of Debian releases; as root
	@test/roots $(ROOTS)
check-release: check-roots test-images ## run what a release needs beside check and soak; as root
	@test/release
# What takes hours: the end-to-end tests with sanitizers, coverage, and the long forms of kills, endurance and fuzzing.
soak: export UNSTEADY := 20
soak: export SOAK := 1
soak: asan tsan coverage lint ## run what takes hours: sanitizers, coverage, long fuzzing
	+@$(build) all fuzz-targets
	@SUITE_SECONDS=100000 KILLS=5000 ENDURANCE=20000 AT_ONCE=50 FUZZ_SECONDS=3600 FUZZ_SEED=0 FUZZ_KEEP=$(abspath $(B))/fuzz/found \
		ISOLATOR=$(abspath $(B))/isolator FUZZ_PROGRAMS=$(abspath $(B))/fuzz/bin \
		test/run -j 2 test/e2e/kills.mjs,test/e2e/endurance.mjs test/e2e/fuzz.t
check-unit: packages ## build and run the unit tests
	+@$(build) $(UNIT_TESTS)
	@test/run $(UNIT_TESTS)
check-e2e: setup test-packages test-images ## run the end-to-end tests
	+@$(build) all fuzz-targets
	@$(run_ordered) $(ENGINE_TESTS)
unit-tests: $(UNIT_TESTS)

# The unit tests and the end-to-end tests with sanitizers. The fuzz targets have them anyway. resources.t takes away the
# descriptors, processes and addresses that a sanitizer needs. Only isolator-mcp, batch and selftest have several threads.
asan: sanitizers := address,undefined
asan: watched = $(filter-out %/fuzz.t %/resources.t,$(E2E_TESTS))
tsan: sanitizers := thread
tsan: watched = $(filter %/sessions.mjs %/test_command.t %/abuse.t test/e2e/batch% test/e2e/mcp_%,$(E2E_TESTS))
asan tsan: setup test-packages test-images ## run the tests with sanitizers: address and undefined behaviour, threads
	+@$(build) SANITIZE=$(sanitizers) B=$(B)/$@ all unit-tests
	@test/sanitized $(B)/$@ $(UNIT_SOURCES:test/unit/%.c=$(B)/$@/unit/%) $(watched)

# How many lines of src the tests run, without the fuzz targets and resources.t, where a program cannot write its counts.
# Built without optimization, which would merge lines.
COVERAGE_MIN ?= 90
coverage: setup test-packages test-images ## tell how many lines the tests run
	+@$(build) B=$(B)/$@ CFLAGS="-O0 -g --coverage" HARDENING=-fPIE LDFLAGS=--coverage all unit-tests
	@find $(B)/$@ -name '*.gcda' -delete
	@for program in isolator isolator-mcp; do $(B)/$@/$$program --version >/dev/null; done
	@chmod -R a+rwX $(B)/$@ # some tests run them as another user, who has to write the counts too
	@ISOLATOR=$(abspath $(B)/$@)/isolator test/run $(UNIT_SOURCES:test/unit/%.c=$(B)/$@/unit/%) \
		$(filter-out %/fuzz.t %/resources.t,$(E2E_TESTS))
	@test/coverage $(B)/$@ $(COVERAGE_MIN)

bench: setup ## measure isolator beside other ways to do the same
	@test/setup languages
	+@$(build) all
	@ISOLATOR=$(abspath $(B))/isolator BENCH_SVG=share/speed.svg test/bench.mjs

# A folder includes itself and those to its left, with the folder in each include. Only src/docker has Go templates
# (strings with {{).
check-layers: $(GENERATED) ## check that the layers include only what is to their left
	@! grep -nE '"[^"]*\{\{' $(filter-out src/docker/%,$(SOURCES) $(HEADERS)) /dev/null || \
		{ echo "check-layers: a Go template outside src/docker" >&2; exit 1; }
	@WITHOUT='$(WITHOUT)' PREPROCESS='$(CC) -E $(filter -std=% -D_% -I%,$(ALL_CFLAGS))' test/check-layers base docker config run service cli,mcp
	@WITHOUT='$(WITHOUT)' PREPROCESS='$(CC) -E $(filter -std=% -D_% -I%,$(ALL_CFLAGS))' test/check-layers base supervisor
check-shape: ## check the lengths of functions, files and layers, and for circles of files
	@test/check-shape
check-words: ## check comments, messages and documents for words that plain English does not need
	@test/check-words
# A header compiles alone.
check-headers: $(HEADERS:src/%.h=$(B)/headers/%.ok)
$(B)/headers/%.ok: src/%.h $(HEADERS)
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) -fsyntax-only -x c $< && touch $@
# Nothing is used that only glibc has: each file compiles with musl's headers alone. The headers of the two libraries are
# linked one by one, since glibc's are in the same directory.
check-musl: $(SOURCES:src/%.c=$(B)/musl/%.ok)
$(B)/musl/%.ok: src/%.c $(HEADERS) $(GENERATED) $(B)/musl/include
	@mkdir -p $(@D)
	@$(MUSL_CC) $(ALL_CFLAGS) -Werror -isystem $(B)/musl/include -fsyntax-only $< && touch $@
$(B)/musl/include: Makefile
	@mkdir -p $@
	@printf '#include <%s>\n' jansson.h $(if $(WITHOUT),,libtar.h) histedit.h | $(CC) -M -x c - | tr -s ' \\' '\n' | \
		grep -E '/(jansson(_config)?|libtar(_listhash)?|histedit)\.h$$' | xargs -I HEADER ln -sf HEADER $@
	@touch $@
# With clang-format 14: other versions differ.
check-format: ## check the format of the sources
	@test/check-format '$(CLANG_FORMAT)' $(FORMATTED)
format: ## format the sources
	@$(CLANG_FORMAT) -i $(FORMATTED)

# The checks of .clang-tidy, one file at a time; and cppcheck, which reads all files at once.
# `make check` gives clang-tidy only what changed in the last 10 commits and since; cppcheck reads everything.
tidied = $(patsubst src/%.c,$(B)/lint/%.ok,$(filter $(SOURCES),$(sort $(1:.h=.c))))
changed_files = $(sort $(shell $(git) log -n 10 --name-only --format= && $(git) diff --name-only HEAD))
lint: packages lint-packages ## run clang-tidy, cppcheck, shellcheck and others
	+@$(build) lint-cppcheck $(call tidied,$(SOURCES))
lint-recent:
	+@$(MAKE) --no-print-directory lint-cppcheck \
		$(call tidied,$(if $(shell $(git) rev-parse HEAD 2>/dev/null),$(changed_files),$(SOURCES)))
$(B)/lint/%.ok: src/%.c $(HEADERS) $(GENERATED) .clang-tidy Makefile
	@mkdir -p $(@D)
	@$(CLANG_TIDY) --quiet $< -- $(ALL_CFLAGS) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@
# cppcheck defines no architecture, and the supervisor's filter needs one.
# varFuncNullUB: a plain NULL ends variadic arguments here; the compiler checks that it is there (sentinel).
lint-cppcheck: $(GENERATED)
	@$(CPPCHECK) --quiet --std=c11 --enable=warning,performance,portability --suppress=varFuncNullUB \
		--error-exitcode=1 -D__x86_64__ $(filter -I% -D%,$(ALL_CFLAGS)) src

# The installed files, as SOURCE:PLACE, for install and uninstall alike. BIN has the programs.
BIN ?= $(B)
INSTALLED := $(foreach program,isolator isolator-mcp,$(BIN)/$(program):$(PREFIX)/bin/$(program) \
		share/completions/isolator.bash:$(PREFIX)/share/bash-completion/completions/$(program) \
		share/completions/isolator.fish:$(PREFIX)/share/fish/vendor_completions.d/$(program).fish) \
	share/completions/_isolator:$(PREFIX)/share/zsh/site-functions/_isolator \
	$(foreach page,$(MAN_PAGES),$(B)/$(page):$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	$(foreach file,README.md SECURITY.md LICENSE,$(file):$(DOCDIR)/$(file)) \
	isolator_config.json:$(DATADIR)/isolator_config.json \
	$(foreach file,$(wildcard share/examples/*),$(file):$(DOCDIR)/examples/$(notdir $(file))) \
	$(foreach schema,config results,share/isolator_$(schema).schema.json:$(DATADIR)/isolator_$(schema).schema.json)

# The manual pages name the installed places.
install: all ## install below PREFIX (/usr/local), or DESTDIR/PREFIX
	@for pair in $(INSTALLED); do \
		source=$${pair%%:*} place="$(DESTDIR)$${pair#*:}" mode=644; \
		case $$source in $(BIN)/isolator*) mode=755 ;; esac; \
		install -D -m $$mode "$$source" "$$place" || exit 1; \
		case $$source in $(B)/man/*) sed -Ei 's#/usr/local/(bin|share)#$(PREFIX)/\1#g' "$$place" || exit 1 ;; esac; \
	done
# isolator's own directories are removed too, unless other files are in them.
uninstall: ## remove what install has installed
	@for pair in $(INSTALLED); do rm -f "$(DESTDIR)$${pair#*:}" || exit 1; done
	@for own in $(DATADIR) $(DOCDIR)/examples $(DOCDIR); do \
		rmdir "$(DESTDIR)$$own" 2>/dev/null || [ ! -d "$(DESTDIR)$$own" ] || echo "  left: $(DESTDIR)$$own"; \
	done

# The sources of the commit that is checked out; the same bytes each time.
DIST := isolator-$(VERSION)
git := git -c safe.directory=$(CURDIR)
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
	@cp $(B)/$(DIST).tar.gz $(foreach kind,archives wheels npm bundles,$(B)/$(kind)/isolator*[-_]$(VERSION)[-_.]*) $(B)/bundles/server.json $(B)/release
	@cd $(B)/release && sha256sum * >SHA256SUMS
	$(call making,RELEASE,$(B)/release)
clean: ## remove what was built
	rm -rf build

-include $(shell find $(B) -type f -name '*.d' 2>/dev/null)
