#!/usr/bin/env bash
# The library of these tests, lib.sh: a case that must fail fails and says why; --run, --list and --loops.
# shellcheck source=test/e2e/lib.sh disable=SC2016 # the dollars in single quotes are for the inner test file
. "$(dirname "$0")/lib.sh"

# inner TEXT [ARG...]: runs a test file of these cases, without an engine; sets $out and $status. In TEXT @case stands
# for test_case, so that --list does not take it for a case of this file. $quick is the variable QUICK.
quick=1
inner() {
    mkdir -p "$scratch/test/e2e"
    cp test/e2e/lib.sh "$scratch/test/e2e"
    printf '%s\n' '. "$(dirname "$0")/lib.sh"' "${1//@case/test_case}" finish >"$scratch/test/e2e/inner.t"
    shift
    out=$(env -u ISOLATOR QUICK=$quick bash "$scratch/test/e2e/inner.t" "$@" 2>&1)
    status=$?
}

three="@case --quick 'first [one]' && {
    is 1 1 one
}
@case --quick \"second's\" && {
    is 1 1 one
}
@case 'third, with an engine' && {
    is 1 1 one
}"

test_case --quick 'cases pass, and those that need an engine are left out' && {
    inner "$three"
    is "$status|$out" "0|ok 1 - first [one]
ok 2 - second's
# cases: 2, assertions: 2
1..2" "two of three"
}

test_case --quick 'without QUICK all run, those that need no engine before the others and with the stand-in' && {
    quick=
    all="uses_engine=no
@case 'engine' && {
    is \"\$ISOLATOR_CONFIG\" \"$ISOLATOR_CONFIG\" 'the configuration of this test'
    hasnt \"\$PATH\" \"\$scratch\" 'the PATH of this test'
}
@case --quick 'quick' && {
    has \"\$ISOLATOR_CONFIG\" quick.json 'the configuration of the stand-in'
    has \"\$PATH\" \"\$scratch/stand-in:\" 'the stand-in'
}"
    inner "$all"
    is "$status|$out" "0|ok 2 - quick
# cases: 1, assertions: 2
1..1
ok 1 - engine
# cases: 1, assertions: 2
1..1" "both"
    inner "$all" --run engine
    is "$status|$out" "0|ok 1 - engine
# cases: 1, assertions: 2
1..1" "one"
    inner "$all" --run 2
    is "$status|$out" "0|ok 2 - quick
# cases: 1, assertions: 2
1..1" "the other"
    inner "${all/quick.json/wrong}"
    is "$status|$(grep -c '^ok\|^not ok' <<<"$out")" "1|2" "the status of the first counts too"
    quick=1
}

test_case --quick 'a failing assertion prints its line, its name and what it saw' && {
    inner 'check_two() { is "$1" 2 "a helper"; }
@case --quick "failing" && {
    is 1 2 "one is two"
    has abc d "a part"
    hasnt abc b "not a part"
    within 4 1 3 "a range"
    ok 1 "a status"
    memory 499 1000 "a peak"
    is 3 3 "three"
    check_two 3
}'
    is "$status|$out" "1|not ok 1 - failing
# inner.t, line 4: one is two
#   got:      1
#   expected: 2
# inner.t, line 5: a part
#   got:     abc
#   without: d
# inner.t, line 6: not a part
#   got:  abc
#   with: b
# inner.t, line 7: a range
#   got 4, not from 1 to 3
# inner.t, line 8: a status
# inner.t, line 9: a peak
#   got 499, not from 500 to 1000
# inner.t, line 2, called from line 11: a helper
#   got:      3
#   expected: 2
# cases: 1, assertions: 8
1..1" "each failure is printed"
}

test_case --quick 'expect compares a text with a here document, and prints the differences' && {
    inner '@case --quick "equal" && {
    expect "$(printf "one\n  two\n")" "two lines" <<\END
one
  two
END
    expect "" "nothing" <<\END
END
    printf "one\n" >"$scratch/input"
    expect "one $((1 + 1))" "an expansion" <<END
$(<"$scratch/input") 2
END
    is "$case_assertions" 3 "each counts once"
}'
    is "$status|$out" "0|ok 1 - equal
# cases: 1, assertions: 4
1..1" "texts that are equal"
    inner 'check_none() {
    expect "$1" "a helper" <<\END
END
}
@case --quick "failing" && {
    expect "$(printf "one\nthree\nfour")" "three lines" <<\END
one
two
four
END
    check_none found
    expect "" "a line" <<\END
line
END
    expect "line" "an empty line more" <<\END
line

END
    is 1 1 "the case goes on"
}'
    is "$status|$out" "1|not ok 1 - failing
# inner.t, line 7: three lines
#   --- expected
#   +++ found
#   @@ -1,3 +1,3 @@
#    one
#   -two
#   +three
#    four
# inner.t, line 3, called from line 12: a helper
#   --- expected
#   +++ found
#   @@ -0,0 +1 @@
#   +found
# inner.t, line 13: a line
#   --- expected
#   +++ found
#   @@ -1 +0,0 @@
#   -line
# inner.t, line 16: an empty line more
#   --- expected
#   +++ found
#   @@ -1,2 +1 @@
#    line
#   -
# cases: 1, assertions: 5
1..1" "texts that differ"
    inner '@case --quick "in a pipe" && {
    echo x | while read -r x; do expect "$x" "lost" <<\END
y
END
    done
}'
    has "$out" "an assertion ran in a subshell, where it does not count" "in a subshell it does not count"
}

test_case --quick 'a case may be a string' && {
    inner "@case --quick 'a string' '
    x=1
    is \"\$x\" 2 \"one is two\"
'"
    is "$status|$out" "1|not ok 1 - a string
# inner.t, line 2: one is two
#   got:      1
#   expected: 2
# cases: 1, assertions: 1
1..1" "its body runs"
}

test_case --quick 'a case that asserts nothing fails' && {
    inner '@case --quick "empty" && {
    true
}'
    has "$status|$out" "1|not ok 1 - empty" "no assertion"
    has "$out" "the case made no assertion" "the reason"
    inner '@case --quick "in a pipe" && {
    echo x | while read -r x; do is "$x" y "lost"; done
}'
    has "$status|$out" "1|" "an assertion in a subshell: the status"
    has "$out" "an assertion ran in a subshell, where it does not count" "an assertion in a subshell: the reason"
}

test_case --quick 'a file that ends early, or skips a case, fails' && {
    inner '@case --quick "unset" && {
    is "$no_such_variable" 1 one
}'
    hasnt "$out" "1.." "an unset variable ends the file without a plan"
    inner "if false; then
@case --quick 'skipped' && {
    is 1 1 one
}
fi"
    is "$status|$out" "1|Bail out! $scratch/test/e2e/inner.t lists 1 cases, but came to 0" "a case that is not reached"
    inner "is 1 1 one
@case --quick 'late' && {
    is 1 1 one
}"
    is "$status|$out" "1|Bail out! inner.t, line 2: this assertion stands outside of every case: one" "an assertion before the first case"
}

test_case --quick 'SIGTERM, as at a time limit: the case and the line that waited' && {
    inner '@case --quick "waits" && {
    is 1 1 one
    sleep 100 &
    pid=$!
    (sleep 0.5; kill -TERM $$; kill $pid) &
    await
}'
    is "$status|$out" "143|not ok 1 - waits
# inner.t, line 7: SIGTERM during this case" "what it says"
}

test_case --quick '--run selects cases by number or title' && {
    for pattern in 1 1,3 1-1 '[one' FIRST 'f*one'; do
        inner "$three" --run "$pattern"
        is "$status|$out" "0|ok 1 - first [one]
# cases: 1, assertions: 1
1..1" "--run $pattern"
    done
    inner "$three" --run=second
    is "$status|$out" "0|ok 2 - second's
# cases: 1, assertions: 1
1..1" "--run=second"
    inner "$three" --run none
    is "$status|$out" "1|Bail out! no case matches 'none'; $scratch/test/e2e/inner.t --list shows all" "a pattern without a match"
}

test_case --quick '--list prints the titles, and wrong options are refused' && {
    inner "$three" --list
    is "$status|$(tr -s ' \t' ' ' <<<"$out")" "0| 1 first [one]
 2 second's
 3 third, with an engine" "--list"
    for option in --run --run= --runn x --loops --loops=0 --loops=x; do
        inner "$three" "$option"
        is "$status|$out" "2|usage: $scratch/test/e2e/inner.t [--list] [--run NUMBER|PATTERN] [--loops N]" "$option"
    done
}

test_case --quick '--loops runs the selected cases again until one fails' && {
    inner "$three" --loops 2 --run 2
    is "$status|$out" "0|# loop 1 of 2
ok 2 - second's
# cases: 1, assertions: 1
1..1
# loop 2 of 2
ok 2 - second's
# cases: 1, assertions: 1
1..1" "twice"
    inner "@case --quick 'once' && {
    echo x >>$scratch/times
    is \$(wc -l <$scratch/times) 1 one
}" --loops=9
    is "$status|$(grep -v '#  ' <<<"$out")" "1|# loop 1 of 9
ok 1 - once
# cases: 1, assertions: 1
1..1
# loop 2 of 9
not ok 1 - once
# inner.t, line 4: one
# cases: 1, assertions: 1
1..1" "the second time fails"
}

finish
