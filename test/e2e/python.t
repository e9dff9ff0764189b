#!/usr/bin/env bash
# The Python package: its tests in test/python, its types, and the wheel.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $scratch and its like
. "$(dirname "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/src/python ISOLATOR_PIDS=$scratch/pids

# The Python that has pytest and mypy: that of the system, which need not be the first of PATH.
python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import ensurepip, mypy, pytest' 2>/dev/null || python=$(command -v "$candidate")
done
[ -n "$python" ] || { echo "Bail out! no Python has mypy, pytest and venv; run: test/setup tests"; exit 1; }

# The program that the package starts notes its process, by which lib.sh finds what is left behind.
mkdir "$scratch/program"
: >"$ISOLATOR_PIDS"
printf '%s\n' '#!/bin/sh' "echo \$\$ >>'$ISOLATOR_PIDS'" "exec '$ISOLATOR' \"\$@\"" >"$scratch/program/isolator"
chmod +x "$scratch/program/isolator"
export ISOLATOR_PROGRAM=$scratch/program/isolator
check_at_end() { is "$(find src/python test/python share/examples -name '__pycache__')" "" "no bytecode is in the tree"; }

# passes FILE: asserts that all tests of test/python/FILE.py pass.
passes() {
    "$python" -W error -m pytest -q -p no:cacheprovider --basetemp="$scratch/pytest" "test/python/$1.py" >"$scratch/log" 2>&1
    status=$?
    own_pids=" $(paste -s -d ' ' "$ISOLATOR_PIDS") "
    ok $status "test/python/$1.py" || diag "$(tail -n 60 "$scratch/log")"
}

# typed FILE...: asserts that mypy finds nothing, for the oldest Python that is supported.
typed() {
    out=$(MYPYPATH=$PWD/src/python "$python" -m mypy --strict --python-version 3.9 --cache-dir="$scratch/mypy" "$@" 2>&1)
    has "$out" "Success: no issues found" "mypy --strict $*"
}

# make_wheel DIRECTORY: makes a wheel of the programs, and prints its path.
make_wheel() {
    make_programs "$scratch/programs/x86_64"
    SOURCE_DATE_EPOCH=1700000000 share/packaging/wheels "$scratch/programs" 1.2.3 "$1" | sed 's/^  PACKAGE //'
}

test_case 'requests and results are those of isolator' && { passes test_results; }
test_case 'programs that fail, print nonsense or do not end' && { passes test_stream; }
test_case 'types: the package and the examples' && {
    typed src/python/isolator share/examples/{agent,code_tool,reward,scorer,server}.py
}

test_case 'types: a call with a wrong argument' && {
    printf '%s\n' 'import isolator' 'isolator.run("1", langauge="python")' 'x: int = isolator.run("1").stdout' >"$scratch/wrong.py"
    out=$(MYPYPATH=$PWD/src/python "$python" -m mypy --strict --cache-dir="$scratch/mypy" "$scratch/wrong.py")
    has "$out" 'Unexpected keyword argument "langauge"' "the argument"
    has "$out" 'expression has type "str", variable has type "int"' "the result"
}

test_case 'python -m isolator runs the program' && {
    is "$("$python" -m isolator --version)" "$("$ISOLATOR" --version)" "the version"
    "$python" -m isolator run --no-such-option >"$scratch/out" 2>&1
    is "$?" 2 "the exit status"
    is "$(ISOLATOR_PROGRAM=/nonexistent "$python" -m isolator doctor 2>&1)" "isolator: cannot execute ISOLATOR_PROGRAM \
'/nonexistent': set ISOLATOR_PROGRAM to its path, install the wheel of isolator-sandbox for this machine, or add its \
directory to PATH" "without the program"
}

test_case 'the client with an engine' && { passes test_client; }
test_case 'the client of asyncio with an engine' && { passes test_aio; }
test_case 'workspaces with an engine' && { passes test_workspaces; }
test_case 'the examples' && { passes test_examples; }

test_case 'the wheel: the same bytes in each directory, and its files' && {
    first=$(make_wheel "$scratch/one")
    second=$(umask 077 && make_wheel "$scratch/another one")
    is "${first##*/}" "isolator_sandbox-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl" "its name"
    ok "$(cmp -s "$first" "$second"; echo $?)" "the same bytes"
    is "$("$python" -c '
import sys, zipfile
for one in zipfile.ZipFile(sys.argv[1]).infolist():
    if not one.filename.startswith("isolator/"):
        print(oct(one.external_attr >> 16)[4:], one.filename.replace("isolator_sandbox-1.2.3", "V"), *one.date_time)
' "$first")" "0755 V.data/scripts/isolator 2023 11 14 22 13 20
0755 V.data/scripts/isolator-mcp 2023 11 14 22 13 20
0644 V.dist-info/METADATA 2023 11 14 22 13 20
0644 V.dist-info/RECORD 2023 11 14 22 13 20
0644 V.dist-info/WHEEL 2023 11 14 22 13 20
0644 V.dist-info/licenses/LICENSE 2023 11 14 22 13 20
0644 V.dist-info/licenses/LICENSES 2023 11 14 22 13 20" "its files, modes and times"
    is "$(share/packaging/wheels /nonexistent 1.2.3 "$scratch" 2>&1)" \
        "share/packaging/wheels: there are no programs in '/nonexistent': build them with \`make static\`" "without the programs"
}

test_case 'the wheel in an environment of its own, without a network' && {
    unset ISOLATOR_PROGRAM PYTHONPATH
    "$python" -m venv "$scratch/environment"
    wheel=$(make_wheel "$scratch/installed")
    "$scratch/environment/bin/pip" install -q --no-index --disable-pip-version-check "$wheel" >"$scratch/log" 2>&1
    ok $? "pip install" || diag "$(cat "$scratch/log")"
    own=$scratch/environment/bin/python
    cd "$scratch" || exit 1
    is "$("$own" -c 'import isolator; print(isolator.find_program())')" "$scratch/environment/bin/isolator" "its program"
    is "$("$own" -m isolator --version)" "$("$ISOLATOR" --version)" "python -m isolator --version"
    is "$("$own" -c 'import isolator; print(isolator.run("print(6 * 7)", "python").stdout, end="")')" 42 "a program runs"
    is "$("$own" -m pip check)" "No broken requirements found." "pip check"
    cd - >/dev/null || exit 1
}

finish
