#!/usr/bin/env bash
# test/run: how it counts suites, and what runs again. The suites here are made for it. And how unit tests register
# themselves, and the commands of the Makefiles.
# shellcheck source=test/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
uses_engine=no
unset RESTART_ENGINE UNSTEADY

# suite NAME BODY: an executable; $times says how often it has run, this time included.
suite() {
    mkdir -p "$scratch/suites"
    printf '#!/bin/bash\necho "$*" >>"$0.runs"\ntimes=$(wc -l <"$0.runs")\n%s\n' "$2" >"$scratch/suites/$1"
    chmod +x "$scratch/suites/$1"
}

# run_suites SUITE...: sets out and status; the paths of the suites are cut off.
run_suites() {
    out=$(test/run "${@/#/$scratch/suites/}" 2>&1)
    status=$?
    out=${out//$scratch\/suites\//}
}

# The arguments of each time that a suite has run, in one line.
runs_of() { paste -sd '|' "$scratch/suites/$1.runs"; }

last_line() { printf '%s\n' "${out##*$'\n'}"; }

TWO='[ "$times" != 1 ] || { echo "ok 1 - first"; echo "not ok 2 - second"; echo "# got: x"; echo "1..2"; exit 1; }'

test_case --quick 'suites that pass are counted' && {
    suite a.t 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
    suite unit 'echo 1..1; echo "ok 1 - c"'
    run_suites a.t unit
    is "$status $(last_line)" "0 3 passed, 0 failed" "the last line"
    is "$(runs_of a.t) $(runs_of unit)" " " "each has run once"
}

test_case --quick 'a failed case that passes three times when it runs again is unsteady' && {
    suite once.t "$TWO"'; echo "ok 2 - second"; echo 1..1'
    suite good.t 'echo "ok 1 - a"; echo 1..1'
    run_suites once.t good.t
    is "$status $(last_line)" "0 3 passed, 0 failed" "the last line"
    has "$out" "unsteady: once.t: 2 - second" "it stands by name"
    has "$out" "FAILED, 1 of 2 tests" "the first result is shown"
    has "$out" "# got: x" "and why"
    is "$(runs_of once.t)" "|--run 2|--run 2|--run 2" "only the failed case runs again"
}

test_case --quick 'a case that fails once more has failed' && {
    suite twice.t "$TWO"'; [ "$times" != 3 ] || { echo "not ok 2 - second"; echo 1..1; exit 1; }; echo "ok 2 - second"; echo 1..1'
    run_suites twice.t
    is "$status $(last_line)" "1 1 passed, 1 failed" "the last line"
    hasnt "$out" "unsteady" "it is not called unsteady"
    is "$(runs_of twice.t)" "|--run 2|--run 2" "it ends there"
}

test_case --quick 'some cases of a suite' && {
    suite some.t "$TWO"'; echo "ok 2 - second"; echo 1..1'
    run_suites some.t:1+2
    is "$status $(last_line)" "0 2 passed, 0 failed" "the last line"
    has "$out" "some.t:1+2 " "the result says which cases"
    is "$(runs_of some.t)" "--run 1,2|--run 2|--run 2|--run 2" "these run, and of them the failed case runs again"
}

test_case --quick 'a unit test runs again as a whole' && {
    suite unit_again "$TWO"'; echo "ok 1 - first"; echo "ok 2 - second"; echo 1..2'
    run_suites unit_again
    is "$status $(last_line)" "0 2 passed, 0 failed" "the last line"
    is "$(runs_of unit_again)" "|||" "without options"
}

test_case --quick 'UNSTEADY: another number of times, or none' && {
    suite five.t "$TWO"'; echo "ok 2 - second"; echo 1..1'
    UNSTEADY=5 run_suites five.t
    is "$status $(runs_of five.t)" "0 |--run 2|--run 2|--run 2|--run 2|--run 2" "five times"
    suite none.t "$TWO"
    UNSTEADY=fail run_suites none.t
    is "$status $(last_line) $(runs_of none.t)" "1 1 passed, 1 failed " "not at all"
}

# never TITLE NAME BODY: this suite fails, and does not run again.
never() {
    suite "$2" "$3"
    run_suites "$2"
    is "$status $(runs_of "$2")" "1 " "$1"
}

test_case --quick 'what can be no accident does not run again' && {
    fails='echo "not ok 1 - a"'
    ends='echo 1..1; exit 1'
    never "a suite that dies" dies.t "$fails; kill -SEGV \$\$"
    never "a suite without a plan" plan.t "$fails; exit 1"
    never "AddressSanitizer" asan.t "$fails; echo '==1==ERROR: AddressSanitizer: overflow' >&2; $ends"
    never "UndefinedBehaviorSanitizer" ubsan.t "$fails; echo '# x.c:1: runtime error: shift'; $ends"
    never "a container is left" container.t "$fails; echo '# line 1: no container is left'; $ends"
    never "something remains" remains.t "$fails; echo '# line 1: no container remains'; $ends"
    for name in abuse.t guards.t lifeline.t fuzz.t kills.mjs jobs_kills.mjs fault_matrix.mjs; do
        never "$name" "$name" "$fails; $ends"
    done
}

test_case --quick 'processes of isolator that a suite leaves are killed, and no others' && {
    mkdir -p "$scratch/suites"
    cp "$(command -v sleep)" "$scratch/suites/isolator-mcp"
    for name in isolator-mcp sleep; do
        [ "$name" = sleep ] && program=sleep || program=$scratch/suites/isolator-mcp
        suite "$name.t" "setsid $program 600 >/dev/null 2>&1 & echo \$! >\$0.pid; until read -r name <\"/proc/\$!/comm\" && [ \"\$name\" = $name ]; do sleep 0.1; done; echo 'ok 1 - a'; echo 1..1"
        run_suites "$name.t"
        pid=$(<"$scratch/suites/$name.t.pid")
        state=$(cut -d ' ' -f 3 "/proc/$pid/stat" 2>/dev/null)
        is "$status $([[ ${state:-Z} == Z ]] && echo killed || echo lives)" "0 $([ "$name" = sleep ] && echo lives || echo killed)" "$name"
        kill "$pid" 2>/dev/null
    done
}

# started SUITE...: runs these, one at a time; prints which started in which order. Each has a line in the file "started".
started() {
    rm -f "$scratch/suites/started"
    run_suites "$@"
    paste -sd ' ' "$scratch/suites/started"
}

test_case --quick 'what took longest starts first' && {
    for name in one two three four; do
        suite "$name.t" "echo $name >>\${0%/*}/started; [ $name\$times != three1 ] || sleep 2.1; echo 'ok 1 - a'; echo 1..1"
    done
    printf '%s\n' "1 $scratch/suites/one.t" "7 $scratch/suites/two.t" >"$scratch/seconds"
    export SUITE_TIMES="$scratch/seconds $scratch/learned"
    is "$(started one.t two.t three.t four.t)" "two one three four" "by the file; what is not in it comes last"
    has "$(cat "$scratch/learned")" " $scratch/suites/three.t" "the times of this run are written"
    is "$(awk '$1 < 2' "$scratch/learned")" "" "without the short ones"
    echo "3 $scratch/suites/three.t" >"$scratch/learned"
    is "$(started one.t two.t three.t four.t)" "two three one four" "and are used the next time"
    echo "6 $scratch/suites/one.t" >>"$scratch/seconds"
    echo "3 $scratch/suites/three.t" >"$scratch/learned"
    is "$(started two.t "one.t,$scratch/suites/three.t")" "one three two" "those that are kept apart take as long as both"
    unset SUITE_TIMES
}

test_case --quick 'TMPDIR: where the suites make their files' && {
    suite place.t 'echo "${TMPDIR-none}" >>"$0.places"; echo "ok 1 - a"; echo 1..1'
    TMPDIR=$scratch run_suites place.t
    is "$status $(cat "$scratch/suites/place.t.places")" "0 $scratch" "the place that was named"
    (unset TMPDIR; run_suites place.t)
    within "$(sed 1d "$scratch/suites/place.t.places" | grep -cxE '/dev/shm|none')" 1 1 "or memory, if there is enough"
}

test_case --quick '--fresh: a copy of the tree without what setup and npm write' && {
    suite fresh.t 'find -L . -type f | sort >"$0.seen"; : >new; echo "ok 1 - a"; echo 1..1'
    mkdir -p "$scratch/own"/{build/engine,.git,src,test/mcp/node_modules}
    touch "$scratch/own"/{build/isolator,build/engine/test.json,.git/config,src/a.c,test/mcp/node_modules/b}
    is "$(run=$PWD/test/run && cd "$scratch/own" && "$run" --fresh "$scratch/suites/fresh.t" >/dev/null; echo $?; ls)" $'0\nbuild\nsrc\ntest' \
        "the tree stays as it is"
    is "$(paste -sd ' ' "$scratch/suites/fresh.t.seen")" "./build/isolator ./src/a.c" "the copy"
}

# register LINE...: a unit test of these lines; sets out and status.
register() {
    printf '%s\n' "$@" >"$scratch/unit.c"
    out=$(awk -f test/unit/register.awk "$scratch/unit.c" 2>&1)
    status=$?
}

test_case --quick 'unit tests register themselves' && {
    register 'CASE(unit__b)' '#if X' 'CASE_WITH(unit__a, set_up(fixture, ","))' '#endif' 'static int help(int x)'
    is "$status $(sed -n '/run_module/,$p' <<<"$out" | tr -s ' \n' ' ')" "0 static int run_module(void) { const struct CMUnitTest tests[] = {\
 cmocka_unit_test(unit__b), #if X cmocka_unit_test(unit__a), #endif }; return cmocka_run_group_tests(tests, NULL, NULL); } MODULE(unit) " "in their order"
    register 'static int set_up_group(void **state)' 'CASE(unit__a)'
    has "$out" "cmocka_run_group_tests(tests, set_up_group, NULL)" "what runs before the first"
    is "$(sed -n 2p <<<"$out")" "#line 1 \"$scratch/unit.c\"" "messages of the compiler name the file itself"
}

test_case --quick 'what looks like a unit test and is none is an error' && {
    for line in 'CASE(unit_a)' 'CASES(unit__a)' 'static void unit__a(void **state)' 'static void unit__a(void)' \
        'static int set_up(void **state)' 'static void set_up_group(void **state)'; do
        register 'CASE(unit__b)' "$line"
        is "$status" 1 "$line"
        has "$out" "unit.c:2: this is neither a test nor set_up_group(); a test is CASE(MODULE__CASE)" "$line"
    done
    register 'static int help(int x)'
    is "$status" 1 "a file without tests"
    has "$out" "unit.c: there is no test; a test is CASE(MODULE__CASE)" "a file without tests"
}

test_case --quick 'the table of suites that may be left out has what they name' && {
    while read -r suite paths; do
        for path in $paths; do
            ok "$([ -e "$path" ]; echo $?)" "$suite: $path exists"
        done
        while read -r path; do
            found=
            for known in $paths; do
                [[ $path/ != "$known"/* ]] || found=yes
            done
            is "$path $found" "$path yes" "$suite names it, and the table has it"
        done < <(grep -ohE '(share/(examples|formats|packaging)|test/(e2e|fixtures)|src)/[a-zA-Z0-9_./-]*[a-zA-Z0-9]|test/setup' "$suite" |
            grep -v '^share/.*[0-9]$' | sort -u)
    done < <(test/seldom --table)
}

# left_out: what test/seldom prints in a copy of the sources with a history of its own.
left_out() { (cd "$scratch/history" && env -u FULL test/seldom | paste -s -d ' '); }
# commit_at TIME: commits everything there.
commit_at() {
    GIT_COMMITTER_DATE=$1 git -C "$scratch/history" -c user.name=test -c user.email=test@localhost commit -q --all --allow-empty -m test
}

test_case 'suites are left out if nothing that they test was touched lately' && {
    mkdir -p "$scratch/history/test" "$scratch/history/share/examples/cluster" "$scratch/history/src/drivers"
    cp test/seldom "$scratch/history/test"
    touch "$scratch/history/share/examples/cluster/one.sh" "$scratch/history/src/drivers/one.py"
    is "$(left_out)" "" "none without a history"
    git -C "$scratch/history" init -q
    git -C "$scratch/history" add .
    is "$(left_out)" "" "none while what all use is new"
    commit_at "$(date -d '4 days ago' --iso-8601=seconds)"
    all="test/e2e/each_language.t test/e2e/install.t test/e2e/cluster.t test/e2e/jobs_ssh.t"
    is "$(left_out)" "$all" "all, four days later"
    is "$(cd "$scratch/history" && FULL=1 test/seldom)" "" "none with FULL=1"
    echo changed >"$scratch/history/share/examples/cluster/one.sh"
    is "$(left_out)" "test/e2e/each_language.t test/e2e/jobs_ssh.t" "not those of a file that has changed"
    commit_at "$(date -d '2 days ago' --iso-8601=seconds)"
    is "$(left_out)" "test/e2e/each_language.t test/e2e/jobs_ssh.t" "nor after its commit"
    echo changed >"$scratch/history/src/drivers/one.py"
    commit_at "$(date --iso-8601=seconds)"
    is "$(left_out)" "test/e2e/jobs_ssh.t" "each by its own files"
}

test_case 'make: each command names only variables that are set' && {
    for target in check-quick check check-e2e soak bench deb; do
        is "$(env -u MAKEFLAGS -u MFLAGS make -n --warn-undefined-variables "$target" 2>&1 | sed -n "s/.*undefined variable //p" |
            grep -vxE "'([12]|V|DESTDIR|LDFLAGS|SANITIZE|SANITIZE_LDFLAGS)'" | sort -u)" "" "make $target"
    done
    has "$(env -u MAKEFLAGS -u MFLAGS make -n check-quick 2>&1)" "test/run --fresh -j " "the suites are listed"
}

finish
