#!/usr/bin/env bash
# isolator test --problem: problem packages of Kattis and ICPC, their limits, validators, submissions and what is refused.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# put PATH TEXT: writes a file of the package, with its directories.
put() {
    mkdir -p "$scratch/$(dirname "$1")"
    printf '%b' "$2" >"$scratch/$1"
}
# figures: the table without its times and the time limit, and with single spaces.
figures() { sed -E '/^time limit /d; s/ +[0-9]+ ms/ T/g; s/ +/ /g; s/give --language.*/.../; s/ $//'; }
# problem PACKAGE [ARG...]: tests it, with a row for each submission.
problem() { isolator test --table --problem "$scratch/$1" "${@:2}"; }
# submissions EXPRESSION: a Perl expression about each result %$r, one a line.
submissions() {
    perl -MJSON::PP -e '
        my $expression = shift;
        print join "\n", map { our $r = JSON::PP->new->utf8->decode($_); eval $expression } <STDIN>' "$1" <"$scratch/out"
}
members='join " ", map { $_ // "-" } @{$r}{qw(submission expected verdict)}, $r->{asExpected} // "-"'

# A package whose programs double a number.
put double/problem.yaml 'name: Double\nvalidator_flags: case_sensitive float_tolerance 1e-3\n'
put double/.timelimit '0.5\n'
put double/data/sample/1.in '1\n'
put double/data/sample/1.ans 'Twice 2.0\n'
put double/data/secret/1.in '4\n'
put double/data/secret/1.ans 'Twice 8.0\n'
put double/data/invalid_input/1.in 'x\n'
double='read -r n; echo "Twice $((n * 2))"'
put double/submissions/accepted/double.ash "$double\n"

# ---- packages that are refused

test_case --quick 'command lines that are refused' && {
    wrong() {
        isolator test "${@:2}"
        is "$status|$out|$err" "2||isolator: $1" "isolator test ${*:2}"
    }
    for option in --tests\ t --dir\ d --entrypoint\ e --compare\ float --ignore-case --tolerance\ 1 --checker\ c --validator\ v \
        --interactor\ i --interactive-validator\ i --stop-on-failure -; do
        # shellcheck disable=SC2086 # an option and its value
        wrong "--problem and ${option%% *} cannot be used together; the package says what is tested, and how" --problem p $option
    done
    wrong "--json and --table cannot be used together" --problem p --json --table
    wrong "cannot open the directory 'p/q': No such file or directory" --problem p/q
}

test_case --quick 'packages that are refused' && {
    # refused FILE TEXT MESSAGE: the package with this file; the message begins with its path.
    refused() {
        rm -rf "$scratch/bad"
        cp -R "$scratch/double" "$scratch/bad"
        put "bad/$1" "$2"
        problem bad
        is "$status|$out|$err" "2||isolator: '$scratch/bad$3" "$1: $2"
    }
    new='problem_format_version: 2025-09\n'
    refused problem.yaml 'type: multi-pass\n' "/problem.yaml': type: isolator cannot judge a multi-pass problem"
    refused problem.yaml 'type: [scoring, submit-answer]\n' "/problem.yaml': type: isolator cannot judge a submit-answer problem"
    refused problem.yaml 'validation: custom multi-pass\n' "/problem.yaml': validation: isolator cannot judge a multi-pass problem"
    refused data/secret/test_group.yaml 'static_validation_score: pass-fail\n' "/data/secret/test_group.yaml': static_validation_score:\
 isolator has no static validation, so verdicts and scores would be wrong; remove the key"
    refused data/testdata.yaml 'output_validator_flags: {name: v, flags: x}\n' \
        "/data/testdata.yaml': output_validator_flags: must be a string, since isolator runs only one output validator"
    refused data/testdata.yaml 'grading: custom\n' \
        "/data/testdata.yaml': grading: '$scratch/bad/graders' must have one grader, a file or a directory, and has none"
    refused problem.yaml 'a: [\n' "/problem.yaml': line 2: did not find expected node content"
    refused problem.yaml 'limits: {memory: much}\n' "/problem.yaml': limits: memory: must be a whole number from 1 to 1e9"
    refused problem.yaml 'limits: {memory: 5}\n' "': limits: memory must be from 6 to 16777216 MB"
    refused domjudge-problem.ini '; timelimit=1\ntimelimit = "x"\n' "/domjudge-problem.ini': timelimit: must be a number of seconds greater than 0"
    refused .timelimit 'soon\n' "/.timelimit': must be a number of seconds greater than 0"
    refused problem.yaml 'validator_flags: fast\n' "/data': validator_flags: 'fast' is no argument of the default validator"
    refused problem.yaml 'validation: custom\n' "/output_validators' must have one validator, a file or a directory, and has none"
    refused problem.yaml 'validation: custom interactive\n' \
        "/output_validators' must have one validator, a file or a directory, and has none"
    for value in '5' '{a b: 1}' '{a: [1]}' '{a: {tex: 1}}'; do
        refused problem.yaml "${new}constants: $value\n" "/problem.yaml': constants: must be a mapping$([ "$value" = 5 ] || echo ' of names to texts, numbers, or mappings with a value')"
    done
    refused problem.yaml "${new}constants: {a: {value: 1, tex: [2]}}\n" "/problem.yaml': constants: a: the variants must be texts"
    refused problem.yaml "$new"'type: interactive\n' "/output_validator': there is no validator, which an interactive problem needs"
    refused submissions/submissions.yaml 'accepted: {permitted: [OK]}\n' \
        "/submissions/submissions.yaml': 'accepted': permitted and required must be sequences of AC, WA, TLE and RTE"
    refused submissions/submissions.yaml 'accepted: {language: [c]}\n' \
        "/submissions/submissions.yaml': 'accepted': language and entrypoint must be strings"
    refused data/secret/2.in '5\n' "/data/secret/2.in': there is no expected output; add '$scratch/bad/data/secret/2.out', or\
 check only the exit status with --no-expected"
    refused data/testdata.yaml 'accept_score: 5\n' \
        "/data/testdata.yaml': grader_flags needs ignore_sample, or a sum 'on_reject: continue', since isolator counts all tests"
    rm "$scratch/bad/problem.yaml"
    problem bad
    is "$err" "isolator: cannot open '$scratch/bad/problem.yaml': No such file or directory" "no problem.yaml"
    truncate -s 2M "$scratch/bad/problem.yaml"
    problem bad
    is "$err" "isolator: '$scratch/bad/problem.yaml' is larger than 1048576 bytes" "a large one"
}

test_case --quick 'validators and submissions that are refused' && {
    rm -rf "$scratch/bad"
    cp -R "$scratch/double" "$scratch/bad"
    put bad/problem.yaml 'validation: custom\n'
    put bad/output_validators/v/build 'exit\n'
    problem bad
    is "$status|$err" "2|isolator: '$scratch/bad/output_validators/v' has the script build, which isolator does not run; it runs\
 sources of a language of the configuration" "a script"
    for script in build run; do
        rm -rf "$scratch/bad/output_validator"
        put bad/problem.yaml 'problem_format_version: 2025-09\n'
        mv "$scratch/bad/output_validators" "$scratch/elsewhere"
        put bad/output_validator/$script 'exit\n'
        problem bad
        is "$status|$err" "2|isolator: '$scratch/bad/output_validator' has the script $script, which isolator does not run; it runs\
 sources of a language of the configuration" "$script alone"
        mv "$scratch/elsewhere" "$scratch/bad/output_validators"
    done
    rm -r "$scratch/bad/output_validator"
    put bad/problem.yaml 'validation: custom\n'
    put bad/output_validators/w/v.py ''
    problem bad
    is "$err" "isolator: '$scratch/bad/output_validators' must have one validator, a file or a directory, and has several" "two"
    rm -r "$scratch/bad/output_validators"
    mkdir "$scratch/bad/output_validators"
    ln -s /etc/passwd "$scratch/bad/output_validators/v.py"
    problem bad
    is "$err" "isolator: '$scratch/bad/output_validators/v.py' is a link that leads out of the package" "a link"
    rm "$scratch/bad/output_validators/v.py"
    mkfifo "$scratch/bad/output_validators/v.py"
    problem bad
    is "$err" "isolator: '$scratch/bad/output_validators/v.py' is neither a regular file nor a directory" "a pipe"
    put bad/problem.yaml ''
    rm -r "$scratch/bad/submissions"
    mkdir -p "$scratch/bad/submissions/accepted"
    ln -s /etc/passwd "$scratch/bad/submissions/accepted/x.py"
    problem bad
    is "$status|$err" "2|isolator: '$scratch/bad/submissions' has no submissions" "only a link"
    rmdir "$scratch/bad/submissions/accepted" 2>/dev/null || rm -r "$scratch/bad/submissions"
    problem bad
    is "$err" "isolator: cannot open the directory '$scratch/bad/submissions': No such file or directory" "no directory"
}

test_case --quick 'links that lead out of the package' && {
    put outside/file.py 'x: 1\n'
    # out PATH TARGET [FILE]: the package with a link there; FILE is what is tested.
    out() {
        rm -rf "$scratch/bad"
        cp -R "$scratch/double" "$scratch/bad"
        rm -rf "${scratch:?}/bad/$1"
        mkdir -p "$(dirname "$scratch/bad/$1")"
        ln -s "$2" "$scratch/bad/$1"
        problem bad "${@:3}"
        is "$status|$out|$err" "2||isolator: '${3:-$scratch/bad/$1}' is a link that leads out of the package" "$1"
    }
    for file in problem.yaml .timelimit domjudge-problem.ini submissions/submissions.yaml data/testdata.yaml data/sample/1.in data/sample/1.ans \
        data/sample/1.yaml data/sample/1.args; do
        out "$file" "$scratch/outside/file.py"
    done
    for directory in data include submissions output_validator output_validators; do out "$directory" "$scratch/outside"; done
    out data /
    out submissions/accepted/x.py "$scratch/outside/file.py" "$scratch/bad/submissions/accepted/x.py"
    out submissions/accepted/dir "$scratch/outside" "$scratch/bad/submissions/accepted/dir/"
}

# ---- pass-fail

test_case 'the verdicts of all submissions' && {
    cp -R "$scratch/double" "$scratch/all"
    put all/submissions/accepted/dir/main.ash '. ./part.txt\n'
    put all/submissions/accepted/dir/part.txt "$double\n"
    put all/submissions/accepted/lower.ash 'read -r n; echo "twice $((n * 2))"\n'
    put all/submissions/accepted/other.kt 'fun main() {}\n'
    put all/submissions/wrong_answer/near.ash 'read -r n; echo "Twice $n.01"\n'
    put all/submissions/wrong_answer/right.ash "$double\n"
    put all/submissions/time_limit_exceeded/loop.ash 'while :; do :; done\n'
    put all/submissions/run_time_error/fails.ash 'exit 3\n'
    put all/submissions/mine/any.ash 'exit 3\n'
    put all/submissions/README.md 'text\n'
    ln -s double.ash "$scratch/all/submissions/accepted/link.ash"
    problem all
    expect "$status
$(printf '%s\n' "$out" | figures)" "the table" <<'END'
1
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/dir passed passed ok T
accepted/double.ash passed passed ok T
accepted/lower.ash passed wrong-answer differs T first: sample/1 (wrong-answer, line 1 differs: expected 'Twice', found 'twice')
accepted/other.kt passed not tested - - cannot tell the language of 'other.kt'; ...
wrong_answer/near.ash wrong-answer wrong-answer ok T
wrong_answer/right.ash wrong-answer passed differs T
time_limit_exceeded/loop.ash timeout timeout ok T
run_time_error/fails.ash runtime-error runtime-error ok T
mine/any.ash - runtime-error - T first: sample/1 (runtime-error, program exited with status 3)
5 of 7 submissions as expected; 1 without an expectation; 1 not tested
END
    expect "$err" "what is ignored" <<END
isolator: warning: '$scratch/all/submissions': ignored 'accepted/link.ash', which is not a regular file
isolator: warning: '$scratch/all/data': ignored what belongs to no test: invalid_input
END
}

test_case 'tests that do not run after one that is not accepted, and --all' && {
    put breaks/problem.yaml 'name: Yes\n'
    put breaks/.timelimit '2\n'
    put breaks/data/testdata.yaml 'on_reject: continue\n'
    put breaks/data/sample/testdata.yaml 'on_reject: break\n'
    put breaks/data/secret/testdata.yaml 'on_reject: break\n'
    put breaks/data/secret/2-group/testdata.yaml 'on_reject: continue\n'
    for test in sample/1 sample/2 secret/10 secret/2 secret/2-group/1 secret/2-group/2 secret/3; do
        put breaks/data/$test.in "$(tr -d /- <<<"$test")\n"
        put breaks/data/$test.ans 'yes\n'
    done
    # which tests they ran: "name" not accepted, "-name" not run
    ran='join " ", $r->{submission}, $r->{asExpected} // "-", map { $_->{status} eq "passed" ? () : $_->{status} eq "not-run" ? "-$_->{name}" : $_->{name} } @{$r->{tests}}'
    fails() { put "breaks/submissions/$1" "read -r n; case \$n in $2) echo no ;; $3) exit 3 ;; *) echo yes ;; esac\n"; }
    fails accepted/yes.ash none none
    fails wrong_answer/group.ash secret2group1 secret3
    fails wrong_answer/second.ash secret2 'secret2group1 | secret2group2 | secret3'
    fails wrong_answer/ten.ash 'sample1 | secret10' 'sample2 | secret2'
    isolator test --json --problem "$scratch/breaks"
    expect "$status
$(submissions "$ran")" "not accepted, and not run" <<'END'
0
accepted/yes.ash 1
wrong_answer/group.ash 1 secret/2-group/1 -secret/3
wrong_answer/second.ash 1 secret/2 -secret/2-group/1 -secret/2-group/2 -secret/3
wrong_answer/ten.ash 1 sample/1 -sample/2 secret/10 -secret/2 -secret/2-group/1 -secret/2-group/2 -secret/3
END
    is "$(submissions '$r->{tests}[-1]{error}' | tail -1)" "an earlier test is not accepted; judges stop then" "why"
    isolator test --json --problem "$scratch/breaks" --all
    expect "$(submissions "$ran" | sed 1d)" "all tests" <<'END'
wrong_answer/group.ash 0 secret/2-group/1 secret/3
wrong_answer/second.ash 0 secret/2 secret/2-group/1 secret/2-group/2 secret/3
wrong_answer/ten.ash 0 sample/1 sample/2 secret/10 secret/2
END
    for flag in always_accept accept_if_any_accepted; do
        put breaks/data/secret/2-group/testdata.yaml "on_reject: continue\ngrader_flags: $flag\n"
        isolator test --json --problem "$scratch/breaks" "$scratch/breaks/submissions/wrong_answer/group.ash"
        is "$(submissions "$ran")" "wrong_answer/group.ash 0 secret/2-group/1 secret/3" "what such a group has does not end the one above: $flag"
    done
    put breaks/data/testdata.yaml 'grader_flags: ignore_sample\n'
    isolator test --json --problem "$scratch/breaks" "$scratch/breaks/submissions/wrong_answer/ten.ash"
    is "$(submissions "$ran" | cut -d " " -f 3-6)" "sample/1 -sample/2 secret/10 -secret/2" "nor do samples that are ignored"
    put breaks/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_limit: 2}\n'
    rm "$scratch"/breaks/data/testdata.yaml "$scratch"/breaks/data/*/testdata.yaml "$scratch"/breaks/data/*/*/testdata.yaml
    fails time_limit_exceeded/any.ash sample1 secret10
    fails wrong_answer/anew.ash none sample1
    put breaks/submissions/submissions.yaml 'time_limit_exceeded: {permitted: [AC, WA, RTE], required: [RTE]}\n'
    isolator test --json --problem "$scratch/breaks"
    expect "$(submissions "$ran" | grep "^[^ ]*/an\|^[^ ]*/ten")" "the other formats: once nothing more can be expected" <<'END'
wrong_answer/anew.ash 0 sample/1 -sample/2 -secret/10 -secret/2 -secret/2-group/1 -secret/2-group/2 -secret/3
wrong_answer/ten.ash 1 sample/1 -sample/2 -secret/10 -secret/2 -secret/2-group/1 -secret/2-group/2 -secret/3
time_limit_exceeded/any.ash 1 sample/1 secret/10 -secret/2 -secret/2-group/1 -secret/2-group/2 -secret/3
END
    put breaks/problem.yaml 'problem_format_version: 2025-09\n'
    rm "$scratch/breaks/.timelimit"
    isolator test --json --problem "$scratch/breaks"
    is "$(submissions "$ran" | grep ten)" "wrong_answer/ten.ash 0 sample/1 sample/2 secret/10 secret/2" "its times make the time limit"
    isolator test --all --tests "$scratch" x.py
    is "$status|$err" "2|isolator: --all needs --problem" "without a package"
}

test_case 'JSON, and files that are given' && {
    put given.ash 'exit 1\n'
    isolator test --json --problem "$scratch/double" "$scratch/double/submissions/accepted/double.ash" "$scratch/given.ash"
    expect "$status
$(submissions "$members")" "the members" <<END
0
accepted/double.ash passed passed 1
$scratch/given.ash - runtime-error -
END
    is "$(submissions '"$r->{summary}{passed} $r->{tests}[0]{name}"' | head -n 1)" "2 sample/1" "the result follows"
    put given/accepted/other.kt ''
    cp -R "$scratch/double" "$scratch/other"
    cp -R "$scratch/given/accepted" "$scratch/other/submissions"
    isolator test --json --problem "$scratch/other"
    is "$status $(submissions "$members" | tail -n 1)" "0 accepted/other.kt passed - -" "a language that is not known"
    put given/run_time_error/first.ash 'exit 1\n'
    cp -R "$scratch/double" "$scratch/first"
    cp -R "$scratch/given/run_time_error" "$scratch/first/submissions"
    isolator test --json --problem "$scratch/first" "$scratch/first/submissions/run_time_error/first.ash"
    is "$status $(submissions "$members")" "0 run_time_error/first.ash runtime-error runtime-error 1" "all tests run"
}

test_case 'submissions that are not tested' && {
    cp -R "$scratch/double" "$scratch/stopped"
    put stopped/submissions/accepted/endless.ash 'while :; do sleep 1; done\n'
    put stopped/submissions/wrong_answer/one.ash 'echo Twice 1\n'
    for signal in INT TERM; do
        start_isolator test -j 1 --table --timeout 60s --cpu-seconds 60 --problem "$scratch/stopped"
        until_true grep -q '^accepted/double.ash ' "$scratch/out"
        kill -$signal "$pid"
        await
        is "$status $(tail -n 1 <<<"$out")" \
            "$([ $signal = INT ] && echo 130 || echo 143) 1 of 1 submissions as expected; interrupted, 2 not tested" "SIG$signal"
    done
    perl -MJSON::PP -e 'my $config = decode_json(join "", <STDIN>); $config->{languages}{busybox}{image} = "isolator-test/nosuch:1";
        print encode_json($config)' <"$ISOLATOR_CONFIG" >"$scratch/nosuch.json"
    isolator test --json --config "$scratch/nosuch.json" --problem "$scratch/double"
    expect "$status
$(submissions "$members")" "an image that is missing" <<'END'
3
accepted/double.ash passed image-missing -
END
}

test_case 'what helps a submission that fails unexpectedly, and what the engine failed' && {
    cp -R "$scratch/double" "$scratch/lacking"
    put lacking/submissions/accepted/lost.ash 'echo "Network is unreachable" >&2; exit 1\n'
    put lacking/submissions/run_time_error/full.ash 'echo "No space left on device" >&2; exit 1\n'
    problem lacking
    is "$status|$(tail -n +2 <<<"$err")" "1|isolator: $scratch/lacking/submissions/accepted/lost.ash: warning: this container has no network; --allow-host HOST allows a host" \
        "one that fails as expected needs no help"
    faulty "run 1 fail;create * fail" problem double -j 1
    is "$status|$(tail -n 1 <<<"$out")" "3|0 of 0 submissions as expected; 1 not tested, 1 of them since the engine failed" "the engine"
    faulty "run 1 fail;create * fail" problem double -j 1 --retries 1
    is "$status|$(tail -n 1 <<<"$out")" "0|1 of 1 submissions as expected; 1 retry" "--retries"
}

test_case --quick 'submissions that cannot be tested' && {
    cp -R "$scratch/double" "$scratch/none"
    mv "$scratch/none/submissions/accepted/double.ash" "$scratch/none/submissions/accepted/double.kt"
    none="isolator: no submission can be tested, since the configuration has the language of none, such as\
 '$scratch/none/submissions/accepted/double.kt'; give --language, or add the language to the configuration"
    for form in --table --json; do
        isolator test $form --problem "$scratch/none"
        is "$status|$out|$err" "2||$none" "$form"
        isolator test $form --problem "$scratch/none" "$scratch/none/submissions/accepted/double.kt"
        is "$status|$out|$err" "2||$none" "$form, one that is given"
    done
}

test_case 'the languages and entry points of submissions' && {
    cp -R "$scratch/double" "$scratch/languages"
    put languages/submissions/accepted/C.C '#include <iostream>\nint main() { int n; std::cin >> n; std::cout << "Twice " << n * 2; }\n'
    put languages/submissions/accepted/three.py3 'print("Twice", int(input()) * 2)\n'
    put languages/submissions/accepted/perl.pl 'print "Twice ", 2 * <STDIN>;\n'
    put languages/submissions/accepted/old.py '#!/usr/bin/env python2\nprint "Twice", input() * 2\n'
    put languages/submissions/accepted/prolog.pl 'main.\n'
    put languages/submissions/accepted/text.txt "$double\n"
    put languages/submissions/accepted/two.ash "$double\n"
    put languages/submissions/accepted/dir/main.ash 'echo no\n'
    put languages/submissions/accepted/dir/other.ash "$double\n"
    put languages/submissions/accepted/class/Main.java 'class Main { public static void main(String[] a) { } }\n'
    put languages/submissions/accepted/class/Other.java \
        'class Other { public static void main(String[] a) { System.out.println("Twice " + 2 * new java.util.Scanner(System.in).nextInt()); } }\n'
    put languages/submissions/accepted/none/main.ash "$double\n"
    put languages/submissions/submissions.yaml 'accepted/text.txt: {language: busybox}
accepted/two.ash: {language: python2}
accepted/perl.pl: {language: perl}
accepted/d*: {entrypoint: other.ash}
accepted/dir: {entrypoint: main.ash}
accepted/class: {entrypoint: Other}
accepted/none: {entrypoint: ../double.ash}
'
    problem languages --timeout 10s
    expect "$status
$(printf '%s\n' "$out" | figures)" "the table: $err" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/C.C passed passed ok T
accepted/class passed passed ok T
accepted/dir passed passed ok T
accepted/double.ash passed passed ok T
accepted/none passed passed ok T
accepted/old.py passed not tested - - the configuration has no language 'python2', which the package asks for; add it, or ...
accepted/perl.pl passed passed ok T
accepted/prolog.pl passed not tested - - the configuration has no language 'prolog', which the package asks for; add it, or ...
accepted/text.txt passed passed ok T
accepted/three.py3 passed passed ok T
accepted/two.ash passed not tested - - the configuration has no language 'python2', which the package asks for; add it, or ...
8 of 8 submissions as expected; 3 not tested
END
    has "$err" "warning: '$scratch/languages/submissions': ignored the entrypoint '../double.ash', which is not a file of 'accepted/none'" \
        "an entry point elsewhere"
    hasnt "$err" other.ash "a file has no entry point"
    cp "$scratch/languages/submissions/accepted/perl.pl" "$scratch/given.pl"
    problem languages "$scratch/given.pl"
    is "$status $(printf '%s\n' "$out" | figures | sed -n 2p)" "0 $scratch/given.pl - passed - T" "a file that is not of the package is Perl"
    problem languages --language perl "$scratch/languages/submissions/accepted/prolog.pl"
    has "$out" "runtime-error" "--language comes before the package"
}

test_case 'submissions that cannot be read, and --language' && {
    cp -R "$scratch/double" "$scratch/unread"
    put unread/submissions/accepted/two/a.ash ''
    put unread/submissions/accepted/two/b.ash ''
    put unread/submissions/accepted/empty/README ''
    problem unread
    expect "$status
$(printf '%s\n' "$out" | figures | sed 's/: no file .*//; s/; name the .*//')" "a directory with two programs" <<END
1
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed passed ok T
accepted/empty passed not tested - - '$scratch/unread/submissions/accepted/empty' has no program
accepted/two passed input differs - '$scratch/unread/submissions/accepted/two' has several programs: a.ash, b.ash
1 of 2 submissions as expected; 1 not tested
END
    problem unread "$scratch/missing"
    expect "$status
$(printf '%s\n' "$out" | figures)" "a file that is not there" <<END
1
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
$scratch/missing - input differs - cannot open '$scratch/missing': No such file or directory
0 of 1 submissions as expected
END
    put unread/submissions/accepted/double.kt "$double\n"
    problem unread --language busybox "$scratch/unread/submissions/accepted/double.kt"
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "0 1 of 1 submissions as expected" "--language is that of all files"
}

test_case 'what is no test, and the time limit of DOMjudge' && {
    cp -R "$scratch/double" "$scratch/judge"
    for directory in bad invalid_answer other; do put "judge/data/$directory/1.in" 'x\n'; done
    put judge/data/bad/1.ans 'x\n'
    put judge/domjudge-problem.ini "[problem]\nname = timelimit\ntimelimit=9\n timelimit = '1.5'\n"
    put judge/submissions/time_limit_exceeded/loop.ash 'while :; do :; done\n'
    problem judge
    expect "$status
$(printf '%s\n' "$out" | figures)
$err" "only sample and secret have tests" <<END
0
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed passed ok T
time_limit_exceeded/loop.ash timeout timeout ok T
2 of 2 submissions as expected
isolator: warning: '$scratch/judge/data': ignored what belongs to no test: bad, invalid_answer, invalid_input, other
END
    isolator test --json --problem "$scratch/judge" "$scratch/judge/submissions/time_limit_exceeded/loop.ash"
    has "$(submissions '"@{[map { $_->{error} // () } @{$r->{tests}}]}"')" "1.5 s" "the last line before .timelimit"
}

test_case '--packages: links to files elsewhere in a repository' && {
    mkdir "$scratch/repository"
    cp -R "$scratch/double" "$scratch/repository/double"
    put repository/double/problem.yaml 'validation: custom\n'
    put repository/lib/rule.py 'def good(output, answer): return output.split()[0] == "Twice" and float(output.split()[1]) == float(answer.split()[1])\n'
    put repository/double/output_validators/v/main.py 'import sys\nfrom rule import good\nsys.exit(42 if good(sys.stdin.read(), open(sys.argv[2]).read()) else 43)\n'
    ln -s ../../../lib/rule.py "$scratch/repository/double/output_validators/v/rule.py"
    problem repository/double
    has "$out" "double.ash  passed    judge-error" "without it the file is missing"
    problem repository/double --packages "$scratch/repository"
    is "$status $(tail -n 1 <<<"$out")" "0 1 of 1 submissions as expected" "a file of the validator: $out $err"
    put repository/lib/2.in '2\n'
    put repository/lib/2.ans 'Twice 4\n'
    for ending in in ans; do ln -s ../../../lib/2.$ending "$scratch/repository/double/data/secret/2.$ending"; done
    problem repository/double
    is "$status|$err" "2|isolator: '$scratch/repository/double/data/secret/2.in' is a link that leads out of the package" "a test, without it"
    isolator test --json --problem "$scratch/repository/double" --packages "$scratch/repository"
    is "$status $(submissions '$r->{summary}{passed}')" "0 3" "a test"
    ln -sf "$scratch/double/data/secret/1.ans" "$scratch/repository/double/data/secret/2.ans"
    problem repository/double --packages "$scratch/repository"
    is "$status|$err" "2|isolator: '$scratch/repository/double/data/secret/2.ans' is a link that leads out of the package" "a file that is not below it"
    problem repository/double --packages "$scratch/repository/lib"
    is "$status|$err" "2|isolator: --packages: '$scratch/repository/lib' is not above '$scratch/repository/double'" "a directory that is not above"
    problem repository/double --packages "$scratch/nosuch"
    is "$status|$err" "2|isolator: cannot open the directory '$scratch/nosuch': No such file or directory" "one that is not there"
    isolator test --tests "$scratch/double/data" --packages "$scratch" x.ash
    is "$status|$err" "2|isolator: --packages needs --problem" "without a package"
}

test_case 'limits of the package, of the options and of the configuration' && {
    cp -R "$scratch/double" "$scratch/limits"
    put limits/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_limit: 3, memory: 100, output: 100, validation_time: 40}\n'
    put limits/data/secret/1.ans 'Twice 8\n'
    put limits/data/sample/1.ans 'Twice 2\n'
    put limits/submissions/accepted/double.ash "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max >&2\n\
echo quota \$(cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max) >&2\n$double"
    isolator test --json --problem "$scratch/limits"
    has "$(submissions '"$r->{tests}[0]{stderr}"')" 105906176 "the memory of the package, and 1 MB for process 1"
    has "$(submissions '"$r->{tests}[0]{stderr}"')" "quota 100000" "one CPU"
    has "$(submissions '"@{$r->{warnings}}"')" "limits: output: isolator allows 64 MB, not 100" "the output is limited"
    isolator test --json --memory 50 --cpus 0.25 --problem "$scratch/limits"
    has "$(submissions '"$r->{tests}[0]{stderr}"')" "quota 25000" "--cpus"
    has "$(submissions '"$r->{tests}[0]{stderr}"')" 53477376 "an option comes before it"
    perl -MJSON::PP -e 'my $config = decode_json(join "", <STDIN>); $config->{maximums} = {memoryMB => 80, cpuSeconds => 2, timeoutSeconds => 20, cpus => 0.9};
        $config->{defaults} = {memoryMB => 80, timeoutSeconds => 20}; print encode_json($config)' <"$ISOLATOR_CONFIG" >"$scratch/config.json"
    isolator test --json --config "$scratch/config.json" --problem "$scratch/limits"
    has "$(submissions '"$r->{tests}[0]{stderr}"')" "quota 50000" "a maximum of less than one CPU"
    problem limits --config "$scratch/config.json"
    expect "$status
$(printf '%s\n' "$err" | grep -v belongs)" "the maximums of the configuration win" <<END
0
isolator: warning: '$scratch/limits': limits: output: isolator allows 64 MB, not 100
isolator: warning: '$scratch/limits': time limit: the configuration allows 2, not 3
isolator: warning: '$scratch/limits': limits: memory: the configuration allows 80, not 100
isolator: warning: '$scratch/limits': limits: validation_time: the configuration allows 20, not 40
END
    put limits/problem.yaml 'limits: {output: 1}\n'
    put limits/many.ash 'head -c 2000000 /dev/zero\n'
    isolator test --json --problem "$scratch/limits" "$scratch/limits/many.ash"
    is "$(submissions '"$r->{tests}[0]{status}"')" "output-limit" "the output"
}

# ---- time limits

# Doubles a number, after so many seconds of CPU time.
burns() { printf 'import time\nn = int(input())\nwhile time.process_time() < %s: pass\nprint("Twice", n * 2)\n' "$1"; }
# limit: the first line that was printed, without the measured seconds.
limit() { head -n 1 <<<"$out" | sed -E 's/, [0-9.e-]+ s$/, N s/'; }
# runs: how many containers --verbose tells about.
runs() { grep -c '^isolator: deliver ' <<<"$err"; }
# timed: a package without a time limit.
timed() {
    rm -rf "$scratch/timed"
    cp -R "$scratch/double" "$scratch/timed"
    rm -r "$scratch/timed/.timelimit" "$scratch/timed/data/invalid_input" "$scratch/timed/data/sample"
}

test_case --quick 'time limits that are refused' && {
    for option in --timeout\ 3s --cpu-seconds\ 3; do
        # shellcheck disable=SC2086 # an option and its value
        isolator test --problem "$scratch/double" --time-limit 2 $option
        is "$status|$out|$err" "2||isolator: --time-limit and ${option% *} cannot be used together; it sets the CPU time and the timeout" "$option"
    done
    isolator test --tests "$scratch/double/data" --time-limit 2 "$scratch/double/submissions/accepted/double.ash"
    is "$status|$out|$err" "2||isolator: --time-limit needs --problem; without it, set --cpu-seconds" "without --problem"
}

test_case 'a time limit by the submissions' && {
    timed
    put timed/submissions/accepted/burns.py "$(burns 0.3)"
    put timed/submissions/accepted/wrong.py "$(burns 1 | sed 's/n \* 2/n/')"
    put timed/submissions/time_limit_exceeded/loop.ash 'while :; do :; done\n'
    put timed/submissions/wrong_answer/one.ash 'echo Twice 1\n'
    problem timed --verbose
    expect "$status
$(limit | sed 's/limit [0-9]* s/limit N s/')
$(printf '%s\n' "$out" | figures)" "the slowest that is as expected: $err" <<'END'
1
time limit N s: 5 times the slowest test of accepted/burns.py, N s
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/burns.py passed passed ok T
accepted/double.ash passed passed ok T
accepted/wrong.py passed wrong-answer differs T first: secret/1 (wrong-answer, line 1 differs: expected '8.0', found '4')
wrong_answer/one.ash wrong-answer wrong-answer ok T
time_limit_exceeded/loop.ash timeout timeout ok T
4 of 5 submissions as expected
END
    # each in accepted once, burns.py twice more, and all others and wrong.py with the limit
    is "$(runs)" 8 "those that count are not run again with the limit"
    put given.ash "$double\n"
    isolator test --json --problem "$scratch/timed" "$scratch/given.ash" "$scratch/timed/submissions/accepted/double.ash"
    expect "$status
$(submissions "$members")
$(submissions '"$r->{timeLimitSource}"' | sed -E 's/, [0-9.]+ s$/, N s/' | uniq)" "files that are given: $err" <<END
0
$scratch/given.ash - passed -
accepted/double.ash passed passed 1
5 times the slowest test of accepted/burns.py, N s
END
    ms=$(submissions '$r->{timeLimitMs}' | tail -n 1)
    within "$ms" 2000 60000 "five times 0.3 s at least"
    is $((ms % 1000)) 0 "whole seconds"
}

test_case 'a time limit by the rules of 2025-09' && {
    timed
    put timed/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_resolution: 0.5, time_multipliers: {ac_to_time_limit: 3}}\n'
    put timed/data/secret/1.ans 'Twice 8\n'
    put timed/submissions/submissions.yaml 'mine/slow.py: {permitted: [AC], use_for_time_limit: false}\nmine/lower.py: {use_for_time_limit: lower}\nmine/upper.ash: {use_for_time_limit: upper}\n'
    put timed/submissions/mine/lower.py "$(burns 0.2)"
    put timed/submissions/mine/slow.py "$(burns 0.6)"
    put timed/submissions/mine/upper.ash 'while :; do :; done\n'
    isolator test --json --problem "$scratch/timed"
    expect "$status
$(submissions "$members")
$(submissions '"$r->{timeLimitSource} " . $r->{timeLimitMs} % 500' | sed -E 's/, [0-9.]+ s /, N s /' | uniq)" "lower, upper and false: $err" <<'END'
0
accepted/double.ash passed passed 1
mine/lower.py passed or wrong-answer or runtime-error passed 1
mine/slow.py passed passed 1
mine/upper.ash timeout timeout 1
3 times the slowest test of mine/lower.py, N s 0
END
}

test_case 'a time limit that is given, and the safety margin' && {
    timed
    rm -r "$scratch/timed/submissions/accepted"
    put timed/submissions/time_limit_exceeded/near.py "$(burns 0.3)"
    put timed/submissions/time_limit_exceeded/loop.ash 'while :; do :; done\n'
    put timed/submissions/wrong_answer/near.py "$(burns 0.3)"
    put timed/submissions/time_limit_exceeded/waits.py "$(burns 0.3 | sed 's/: pass/: pass\ntime.sleep(60)/')"
    put timed/.timelimit '5\n'
    problem timed --cpus 1 --time-limit 0.2
    expect "$status
$(limit)
$(printf '%s\n' "$out" | figures)
$(sed -E 's/takes [0-9.]+ s/takes N s/' <<<"$err")" "in the margin: $out" <<END
1
time limit 0.2 s: --time-limit
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
wrong_answer/near.py wrong-answer timeout differs T first: secret/1 (cpu-time, program used more than 0.2 s of CPU time)
time_limit_exceeded/loop.ash timeout timeout ok T
time_limit_exceeded/near.py timeout timeout ok T
time_limit_exceeded/waits.py timeout timeout ok T
3 of 4 submissions as expected
isolator: $scratch/timed/submissions/time_limit_exceeded/near.py: warning: too slow by less than the safety margin: its slowest test takes N s, and should take 2 times 0.2 s at least
END
    problem timed "$scratch/timed/submissions/wrong_answer/near.py"
    is "$(limit)" "time limit 5 s: .timelimit of the package" "of the package"
    problem timed --timeout 20s "$scratch/timed/submissions/wrong_answer/near.py"
    has "$(limit)" SUBMISSION "a timeout takes its place"
    put timed/problem.yaml 'name: Double\nvalidator_flags: case_sensitive float_tolerance 1e-3\nlimits: {time_safety_margin: 5}\n'
    cp "$scratch/timed/data/secret/1.in" "$scratch/timed/data/secret/2.in"
    cp "$scratch/timed/data/secret/1.ans" "$scratch/timed/data/secret/2.ans"
    isolator test --json --all --problem "$scratch/timed" --time-limit 0.05 "$scratch/timed/submissions/time_limit_exceeded/loop.ash"
    is "$(submissions 'join " ", map { "$_->{status} " . ($_->{cpuMs} >= 250 ? "all" : "a part") } @{$r->{tests}}')" \
        "cpu-time all cpu-time a part" "a test that has used the whole margin shows it for all"
    isolator test --json --problem "$scratch/timed" --time-limit 0.1 "$scratch/timed/submissions/time_limit_exceeded/near.py"
    is "$(submissions 'join " ", map { $_->{status} } @{$r->{tests}}')" "cpu-time cpu-time" "one that leaves some of it ends no others"
    rm "$scratch"/timed/data/secret/2.*
    put timed/data/secret/1.yaml 'limits: {cpu_seconds: 3}\n'
    isolator test --json --problem "$scratch/timed" --time-limit 0.2 "$scratch/timed/submissions/time_limit_exceeded/near.py"
    is "$(submissions "$members")" "time_limit_exceeded/near.py timeout passed 0" "a test has its own"
}

test_case 'results that are too large to be kept while a time limit is computed' && {
    timed
    for i in 1 2 3 4 5 6 7 8 9; do
        put "timed/data/secret/$i.in" '4\n'
        put "timed/data/secret/$i.ans" 'Twice 8\n'
    done
    put timed/submissions/accepted/one.ash "head -c 1048576 /dev/zero >&2; $double\n"
    put timed/submissions/accepted/two.ash "head -c 1048576 /dev/zero >&2; $double\n"
    rm "$scratch/timed/submissions/accepted/double.ash"
    problem timed --verbose --output-limit 1048576
    is "$status $(tail -n 1 <<<"$out") $(runs)" "0 2 of 2 submissions as expected 27" "one of them is tested again: 9 tests of 1 + 1 + 1"
}

test_case 'a submission that waits longer than the timeout that it gives' && {
    timed
    put timed/submissions/accepted/double.ash "sleep 5; $double\n"
    problem timed
    expect "$status
$(limit)
$(printf '%s\n' "$out" | figures)" "it is tested with it: $err" <<'END'
1
time limit 1 s: 5 times the slowest test of accepted/double.ash, N s
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed timeout differs T first: secret/1 (timeout, program did not end within 4 s)
0 of 1 submissions as expected
END
}

test_case 'no submission to compute a time limit of, and an interruption' && {
    timed
    put timed/submissions/accepted/double.ash 'exit 1\n'
    problem timed
    expect "$status
$(printf '%s\n' "$out" | tr -s ' ' | sed -E 's/ [0-9]+ ms/ T/')
$err" "the timeout of the configuration applies" <<'END'
1
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed runtime-error differs T first: secret/1 (runtime-error, program exited with status 1)
0 of 1 submissions as expected
isolator: warning: there is no time limit, since the package has none, and no submission of which it could be computed is as expected; each test has the timeout of the configuration; set one with --time-limit
END
    put timed/submissions/accepted/double.ash 'while :; do sleep 1; done\n'
    put timed/submissions/wrong_answer/one.ash 'echo Twice 1\n'
    for signal in INT TERM; do
        start_isolator test -v --table --problem "$scratch/timed"
        until_running
        kill -$signal "$pid"
        await
        is "$status $(limit | tr -s ' ') $(tail -n 1 <<<"$out")" "$([ $signal = INT ] && echo 130 || echo 143) SUBMISSION EXPECTED FOUND SLOWEST DETAIL\
 0 of 0 submissions as expected; interrupted, 2 not tested" "SIG$signal while it is measured"
        hasnt "$err" "no time limit" "it is not known whether there is one"
    done
}

test_case 'a file .out beside .ans is for the statement' && {
    cp -R "$scratch/double" "$scratch/shown"
    rm -r "$scratch/shown/data/invalid_input"
    put shown/data/sample/1.out 'Twice two\n'
    problem shown
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "0 1 of 1 submissions as expected" "the answer counts: $err"
    isolator test --table --tests "$scratch/shown/data" "$scratch/shown/submissions/accepted/double.ash"
    is "$status|$err" "2|isolator: '$scratch/shown/data/sample/1.out' is next to a file that ends in .ans; both are the expected\
 output of one test" "in a directory of tests they are the same"
}

test_case 'links that stay in the package' && {
    cp -R "$scratch/double" "$scratch/links"
    mkdir "$scratch/links/more"
    mv "$scratch/links/data" "$scratch/links/submissions" "$scratch/links/problem.yaml" "$scratch/links/more"
    ln -s more/data more/submissions more/problem.yaml "$scratch/links"
    ln -s ../sample/1.in "$scratch/links/more/data/secret/2.in"
    ln -s ../../../data/sample/1.ans "$scratch/links/more/data/secret/2.ans"
    put links/more/word.d/word.txt 'Twice\n'
    put links/include/README ''
    ln -s ../more/word.d "$scratch/links/include/default"
    put links/submissions/accepted/double.ash 'read -r n; echo "$(cat word.txt) $((n * 2))"\n'
    isolator test --json --problem "$scratch/links"
    is "$status $(submissions '"$r->{summary}{passed} of $r->{summary}{total}"')" "0 3 of 3" "all are followed: $out"
    ln -sfn /etc "$scratch/links/include/default"
    problem links
    expect "$status
$(printf '%s\n' "$out" | figures)" "one that leads out, for a submission" <<END
1
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed input differs - '$scratch/links/include/default' is a link that leads out of the package
0 of 1 submissions as expected
END
}

test_case 'include: files for each submission, or those of a language' && {
    cp -R "$scratch/double" "$scratch/include"
    put include/include/default/factor.txt '2\n'
    put include/include/default/word.txt 'default\n'
    put include/include/busybox/word.txt 'Twice\n'
    put include/include/python/word.txt 'python\n'
    put include/submissions/accepted/double.ash 'read -r n; echo "$(cat word.txt) $((n * $(cat factor.txt)))"\n'
    put include/submissions/accepted/dir/main.ash '. ./part.txt\n'
    put include/submissions/accepted/dir/part.txt 'read -r n; echo "$(cat word.txt) $((n * $(cat factor.txt)))"\n'
    put include/submissions/accepted/dir/word.txt 'mine\n'
    problem include
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "0 2 of 2 submissions as expected" "both have them: $out"
}

test_case 'include: the program of a language' && {
    # The submission has only double().
    cp -R "$scratch/double" "$scratch/driver"
    rm -r "$scratch/driver/submissions/accepted" "$scratch/driver/data/invalid_input"
    put driver/include/python3/main.py 'from solution import double\nprint("Twice", double(int(input())))\n'
    put driver/include/java/Main.java \
        'class Main { public static void main(String[] a) { System.out.println("Twice " + Solution.twice(new java.util.Scanner(System.in).nextInt())); } }\n'
    put driver/include/rust/main.rs \
        'mod solution;\nfn main() { let mut l = String::new(); std::io::stdin().read_line(&mut l).unwrap(); println!("Twice {}", solution::double(l.trim().parse().unwrap())); }\n'
    put driver/include/cpp/grader.cpp '#include <iostream>\nint twice(int);\nint main() { int n; std::cin >> n; std::cout << "Twice " << twice(n); }\n'
    put driver/submissions/accepted/solution.py 'def double(n):\n    return n * 2\n'
    put driver/submissions/accepted/Solution.java 'public class Solution { static int twice(int n) { return n * 2; } }\n'
    put driver/submissions/accepted/solution.rs 'pub fn double(n: i32) -> i32 { n * 2 }\n'
    put driver/submissions/accepted/twice.cpp 'int twice(int n) { return n * 2; }\n'
    put driver/submissions/accepted/python_dir/solution.py 'from other import factor\ndef double(n):\n    return n * factor\n'
    put driver/submissions/accepted/python_dir/other.py 'factor = 2\n'
    put driver/submissions/accepted/cpp_dir/twice.cpp 'int twice(int n) { return n * 2; }\n'
    put driver/submissions/accepted/cpp_dir/grader.cpp 'int main() { return 1; }\n'
    put driver/submissions/wrong_answer/python_main/main.py 'print("Twice", 2 * int(input()))\n'
    put driver/submissions/wrong_answer/python_main/solution.py 'def double(n):\n    return n\n'
    problem driver --timeout 10s
    expect "$status
$(printf '%s\n' "$out" | figures)" "the included file is run, and replaces one of its name: $err" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/Solution.java passed passed ok T
accepted/cpp_dir passed passed ok T
accepted/python_dir passed passed ok T
accepted/solution.py passed passed ok T
accepted/solution.rs passed passed ok T
accepted/twice.cpp passed passed ok T
wrong_answer/python_main wrong-answer wrong-answer ok T
7 of 7 submissions as expected
END
}

test_case 'the standard of C++' && {
    cp -R "$scratch/double" "$scratch/standard"
    rm -r "$scratch/standard/submissions/accepted"
    put standard/submissions/accepted/print.cpp '#include <print>\n#include <iostream>\nint main() { int n; std::cin >> n; std::println("Twice {}", n * 2); }\n'
    problem standard --verbose
    is "$status $(grep -o 'accepted/print.cpp: standard .*' <<<"$err")" "0 accepted/print.cpp: standard gnu++23" "in a package: $out"
    put spaceship.cpp '#include <iostream>\nint main() { int n; std::cin >> n; std::cout << "Twice " << n * 2 << (1 <=> 2 > 0 ? "x" : ""); }\n'
    isolator test --verbose --compare float --tests "$scratch/double/data" "$scratch/spaceship.cpp"
    is "$status $(grep -o 'spaceship.cpp: standard .*' <<<"$err")" "0 spaceship.cpp: standard gnu++20" "everywhere else: $out"
    perl -MJSON::PP -e 'my $config = decode_json(join "", <STDIN>); $config->{languages}{cpp}{standard} = "";
        print encode_json($config)' <"$ISOLATOR_CONFIG" >"$scratch/plain.json"
    put plain.cpp '#include <iostream>\nint main() { int n; std::cin >> n; std::cout << "Twice " << n * 2 << (__cplusplus > 201703 ? "x" : ""); }\n'
    isolator test --verbose --compare float --config "$scratch/plain.json" --tests "$scratch/double/data" "$scratch/plain.cpp"
    is "$status $(grep -o 'plain.cpp: standard .*' <<<"$err")" "0 plain.cpp: standard of the compiler" "none: $out"
}

test_case 'constants of a package' && {
    put constants/problem.yaml 'problem_format_version: 2025-09\ntype: scoring\nlimits: {time_limit: 3}\nconstants: {f: 2, word: {value: Twice, low: twice}, n: 7}\n'
    put constants/output_validator/check.py 'import sys\nsys.exit(42 if sys.stdin.read() == "{{word}} {{f}} {{word.value}} {{word.low}} {{g}}\\n" + open("more.dat").read() else 43)\n'
    put constants/output_validator/more.dat '{{n}}\n'
    put constants/data/secret/test_group.yaml 'max_score: {{n}}\n'
    put constants/data/secret/1.in '{{f}}\n'
    put constants/data/secret/1.ans '{{n}}\n'
    put constants/data/secret/1.yaml 'args: ["{{f}}"]\n'
    put constants/include/default/f.txt '{{word.low}} {{g}}\n'
    put constants/submissions/accepted/one.ash 'read -r n; [ "$n $1" = "{""{f}} {""{f}}" ] && echo "{{word}} {{f}} {{word.value}} $(cat f.txt)"; echo {{n}}\n'
    put constants/submissions/accepted/dir/main.ash 'echo "Twice 2 {{word}} $(cat f.txt)"; echo "{{n}}"\n'
    problem constants
    expect "$status
$(printf '%s\n' "$out" | figures)" "in all programs and test_group.yaml, and not in test data: $err" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST SCORE DETAIL
accepted/dir passed passed ok T 7 of 7
accepted/one.ash passed passed ok T 7 of 7
2 of 2 submissions as expected
END
    rm "$scratch/constants/output_validator/more.dat"
    sed -i 's/ + open(.*).read()//' "$scratch/constants/output_validator/check.py"
    sed -i 's/; echo.*{{n}}.*//' "$scratch"/constants/submissions/accepted/{dir/main.ash,one.ash}
    problem constants
    is "$status $(tail -n 1 <<<"$out")" "0 2 of 2 submissions as expected" "a validator of one file: $out"
}

test_case 'a program of several files with __main__.py' && {
    cp -R "$scratch/double" "$scratch/module"
    put module/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_limit: 3}\n'
    put module/output_validator/__init__.py ''
    put module/output_validator/__main__.py 'import sys\nfrom rule import good\nsys.exit(42 if good(sys.stdin.read(), open(sys.argv[2]).read()) else 43)\n'
    put module/output_validator/rule.py 'good = lambda out, answer: float(out.split()[1]) == float(answer.split()[1])\n'
    put module/submissions/accepted/python/__init__.py ''
    put module/submissions/accepted/python/__main__.py 'from rule import double\nprint("x", double(int(input())))\n'
    put module/submissions/accepted/python/rule.py 'double = lambda n: n * 2\n'
    put module/submissions/accepted/python/main.py 'print("another program")\n'
    put module/submissions/wrong_answer/half.ash 'echo x 1\n'
    problem module
    expect "$status
$(printf '%s\n' "$out" | figures)" "a validator and a submission: $err" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed passed ok T
accepted/python passed passed ok T
wrong_answer/half.ash wrong-answer wrong-answer ok T
3 of 3 submissions as expected
END
}

# ---- validators and scores

# It accepts a multiple of the answer, and writes score.txt if it has an argument.
validator='import sys
number = int(sys.stdin.read().split()[-1])
if len(sys.argv) > 4: open(sys.argv[3] + "score.txt", "w").write(sys.argv[4])
if number % int(open(sys.argv[2]).read()): sys.exit([43, open(sys.argv[3] + "judgemessage.txt", "w").write("no multiple")][0])
sys.exit(42)
'

test_case 'a validator of the package, in both layouts' && {
    put custom/problem.yaml 'validation: custom\nlimits: {validation_time: 40, validation_memory: 128}\n'
    put custom/output_validators/check/check.py "$validator"
    put custom/data/secret/1.in '3\n'
    put custom/data/secret/1.ans '3\n'
    put custom/submissions/accepted/double.ash "$double\n"
    put custom/submissions/accepted/four.ash 'echo 4\n'
    problem custom --timeout 5s
    expect "$status
$(printf '%s\n' "$out" | figures)" "a directory in output_validators" <<'END'
1
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/double.ash passed passed ok T
accepted/four.ash passed wrong-answer differs T first: secret/1 (wrong-answer, no multiple)
1 of 2 submissions as expected
END
    put custom/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_limit: 5}\n'
    mv "$scratch/custom/output_validators/check" "$scratch/custom/output_validator"
    rmdir "$scratch/custom/output_validators"
    put custom/output_validator/helper.dat ''
    problem custom
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "1 1 of 2 submissions as expected" "output_validator is the program itself"
    put custom/output_validator/check.py 'raise SystemExit(1)\n'
    problem custom
    is "$status $(printf '%s\n' "$out" | figures | sed -n 2p)" \
        "3 accepted/double.ash passed judge-error - T test 'secret/1': the validator exited with status 1" "a validator that fails"
    is "$(printf '%s\n' "$out" | tail -n 1)" "0 of 0 submissions as expected; 2 not tested" "nothing differs"
    isolator test --json --problem "$scratch/custom"
    expect "$status
$(submissions "$members")" "nothing is as expected either" <<'END'
3
accepted/double.ash passed judge-error -
accepted/four.ash passed judge-error -
END
    put custom/output_validator/check.py 'bytearray(150 << 20)\nraise SystemExit(42)\n'
    problem custom
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "0 2 of 2 submissions as expected" "one that needs memory"
    put custom/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_limit: 5, validation_memory: 64}\n'
    problem custom
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "3 0 of 0 submissions as expected; 2 not tested" "and has less by the package"
}

test_case 'a validator is built once for all submissions' && {
    put once/problem.yaml 'problem_format_version: 2025-09\nlimits: {time_limit: 5}\n'
    put once/output_validator/check.cpp '#include "own.h"\nint main() { return RIGHT; }\n'
    put once/output_validator/own.h 'enum { RIGHT = 42 };\n'
    put once/data/secret/1.in '3\n'
    put once/data/secret/1.ans '3\n'
    for name in a b c; do put once/submissions/accepted/$name.ash 'echo\n'; done
    problem once --verbose --jobs 2
    is "$status $(printf '%s\n' "$out" | tail -n 1) $(grep -c '^isolator: resize ' <<<"$err")" "0 3 of 3 submissions as expected 1" "$err"
}

test_case 'scores: test_group.yaml, and what submissions.yaml expects' && {
    put points/problem.yaml 'problem_format_version: 2025-09\ntype: scoring\nlimits: {time_limit: 5}\n'
    put points/output_validator/check.py "$validator"
    for i in 1 2; do
        put points/data/secret/$i/1.in "$i\n"
        put points/data/secret/$i/1.ans "$i\n"
        put points/data/secret/$i/test_group.yaml "max_score: 50\nscore_aggregation: sum\noutput_validator_args: ['$((i * 10))']\n"
    done
    put points/submissions/accepted/double.ash "$double\n"
    put points/submissions/mixed/one.ash 'echo 1\n'
    put points/submissions/submissions.yaml \
        'accepted/*: {score: 30, message: x}\nmixed: {permitted: [AC, WA], required: [AC], score: [5, 15]}\n'
    sed -i 's/^if len.*//; s/^sys.exit(42)/if len(sys.argv) > 4: open(sys.argv[3] + "score.txt", "w").write(sys.argv[4])\nsys.exit(42)/' \
        "$scratch/points/output_validator/check.py"
    problem points
    expect "$status
$(printf '%s\n' "$out" | figures)" "the table" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST SCORE DETAIL
accepted/double.ash passed, score 30 passed ok T 30 of 100
mixed/one.ash passed, score 5 to 15 wrong-answer ok T 10 of 100
2 of 2 submissions as expected
END
    is "$err" "isolator: warning: '$scratch/points/submissions/submissions.yaml': ignored: message" "what is ignored"
    put points/submissions/submissions.yaml 'accepted/*: {score: 31}\n'
    problem points
    is "$status $(printf '%s\n' "$out" | tail -n 1)" "1 0 of 1 submissions as expected; 1 without an expectation" "another score"
}

test_case 'scores by the defaults of both formats' && {
    cp -R "$scratch/double" "$scratch/defaults"
    put defaults/problem.yaml 'problem_format_version: 2025-09\ntype: scoring\n'
    put defaults/data/secret/1.ans 'Twice 8\n'
    put defaults/data/sample/1.ans 'Twice 2\n'
    cp "$scratch/defaults/data/sample/1.in" "$scratch/defaults/data/secret/2.in"
    cp "$scratch/defaults/data/sample/1.ans" "$scratch/defaults/data/secret/2.ans"
    put defaults/submissions/partially_accepted/one.ash 'echo Twice 8\n'
    problem defaults
    expect "$status
$(printf '%s\n' "$out" | figures)" "100 points" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST SCORE DETAIL
accepted/double.ash passed passed ok T 100 of 100
partially_accepted/one.ash a part of the score wrong-answer ok T 50 of 100
2 of 2 submissions as expected
END
    put defaults/problem.yaml 'type: scoring\n'
    put defaults/data/testdata.yaml 'grader_flags: ignore_sample\n'
    put defaults/data/secret/testdata.yaml 'on_reject: continue\ngrader_flags: always_accept\n'
    problem defaults
    is "$(printf '%s\n' "$out" | figures | sed -n 3p)" "partially_accepted/one.ash a part of the score wrong-answer ok T 1 of 2" "1 for a test"
    rm "$scratch/defaults/data/testdata.yaml"
    problem defaults
    is "$status|$err" "2|isolator: '$scratch/defaults/data/testdata.yaml': grader_flags needs ignore_sample, or a sum 'on_reject:\
 continue', since isolator counts all tests" "another score than that of the default grader"
}

test_case 'scores of the legacy format' && {
    put legacy/problem.yaml 'type: scoring\n'
    put legacy/data/testdata.yaml 'grader_flags: min ignore_sample\n'
    put legacy/data/sample/1.in '1\n'
    put legacy/data/sample/1.ans 'Twice 2\n'
    put legacy/data/secret/testdata.yaml 'on_reject: continue\ngrader_flags: first_error accept_if_any_accepted\n'
    for i in 1 2; do
        put legacy/data/secret/$i/testdata.yaml "on_reject: break\naccept_score: $((i * 20))\ngrader_flags: min\n"
        for j in 1 2; do
            put legacy/data/secret/$i/$j.in "$i\n"
            put legacy/data/secret/$i/$j.ans "Twice $((i * 2))\n"
        done
    done
    put legacy/submissions/accepted/double.ash "$double\n"
    put legacy/submissions/partially_accepted/one.ash 'echo Twice 2\n'
    put legacy/submissions/partially_accepted/all.ash "$double\n"
    problem legacy --timeout 5s
    expect "$status
$(printf '%s\n' "$out" | figures)" "the table" <<'END'
1
SUBMISSION EXPECTED FOUND SLOWEST SCORE DETAIL
accepted/double.ash passed passed ok T 60 of 60
partially_accepted/all.ash a part of the score passed differs T 60 of 60
partially_accepted/one.ash a part of the score wrong-answer ok T 20 of 60
2 of 3 submissions as expected
END
}

test_case 'the average and the maximum of the legacy format' && {
    put average/problem.yaml 'type: scoring\n'
    put average/.timelimit '5\n'
    put average/data/testdata.yaml 'grader_flags: ignore_sample\n'
    put average/data/secret/testdata.yaml 'on_reject: continue\ngrader_flags: avg always_accept\naccept_score: 30\n'
    put average/data/secret/best/testdata.yaml 'grader_flags: max\naccept_score: 60\n'
    for test in 1 2 best/1 best/2; do
        put average/data/secret/$test.in "${test#best/}\n"
        put average/data/secret/$test.ans "Twice $((${test#best/} * 2))\n"
    done
    put average/submissions/accepted/double.ash "$double\n"
    put average/submissions/partially_accepted/one.ash 'echo Twice 2\n'
    problem average
    expect "$status
$(printf '%s\n' "$out" | figures)" "(30 + 30 + 60) / 3 and (30 + 0 + 60) / 3" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST SCORE DETAIL
accepted/double.ash passed passed ok T 40 of 40
partially_accepted/one.ash a part of the score wrong-answer ok T 30 of 40
2 of 2 submissions as expected
END
}

# A package whose groups a program grades: "points N" sums up, "all N" wants all to be accepted. Root and groups of "secret" are custom.
graded() {
    put "$1"/problem.yaml 'type: scoring\n'
    put "$1"/.timelimit '5\n'
    put "$1"/data/testdata.yaml 'grading: custom\non_reject: continue\ngrader_flags: points\nrange: 0 100\n'
    put "$1"/data/sample/testdata.yaml 'grader_flags: all 0\n'
    put "$1"/data/sample/1.in '1\n'
    put "$1"/data/sample/1.ans 'Twice 2\n'
    put "$1"/data/secret/testdata.yaml 'grading: default\ngrader_flags: sum always_accept\n'
    for group in 1 2; do
        put "$1"/data/secret/$group/testdata.yaml "grading: custom\ngrader_flags: all $((group * 20))\nrange: 0 $((group * 20))\n"
        for i in 1 $((group + 1)); do
            put "$1"/data/secret/$group/$i.in "$i\n"
            put "$1"/data/secret/$group/$i.ans "Twice $((i * 2))\n"
        done
    done
    put "$1"/graders/grader.py 'import sys
results = [line.split() for line in sys.stdin]
good = all(verdict == "AC" for verdict, score in results)
if sys.argv[1] == "all": print("AC", sys.argv[2] if good else 0)
else: print("AC" if good else "WA", sum(float(score) for verdict, score in results))
'
    put "$1"/submissions/accepted/double.ash "$double\n"
    put "$1"/submissions/partially_accepted/to_two.ash 'read -r n; [ "$n" -le 2 ] && echo "Twice $((n * 2))"; exit 0\n'
}

test_case 'groups that a program of the package grades' && {
    graded graded
    problem graded
    expect "$status
$(printf '%s\n' "$out" | figures)" "the table: $err" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST SCORE DETAIL
accepted/double.ash passed passed ok T 60 of 100
partially_accepted/to_two.ash a part of the score passed ok T 20 of 100
2 of 2 submissions as expected
END
    isolator test --verbose --json -j 1 --problem "$scratch/graded"
    expect "$(submissions 'join " ", $r->{verdict}, $r->{summary}{score}, map { "$_->{name}:$_->{status}:$_->{score}" } @{$r->{groups}}')" "JSON" <<'END'
passed 60 sample:passed:0 secret:passed:60 secret/1:passed:20 secret/2:passed:40
passed 20 sample:passed:0 secret:passed:20 secret/1:passed:20 secret/2:passed:0
END
    has "$err" "double.ash: verdict and score are by the grader of the package" "--verbose"
    # it is told up to the first that is not accepted, in the order of the names
    put graded/graders/grader.py 'import sys
if sys.argv[1] == "say": sys.exit(repr([sys.argv[1:], sys.stdin.read()]))
print("AC 1")
'
    put graded/data/secret/1/testdata.yaml 'on_reject: break\ngrading: custom\ngrader_flags: say  it\n'
    for i in 10 2 9; do
        put graded/data/secret/1/$i.in "$i\n"
        put graded/data/secret/1/$i.ans "Twice $((i == 2 ? 0 : i * 2))\n"
    done
    isolator test --json -j 1 --problem "$scratch/graded" "$scratch/graded/submissions/accepted/double.ash"
    expect "$status
$(submissions '"$r->{reason} $r->{error}"')" "what it is told" <<'END'
3
judge-error group 'secret/1': the grader exited with status 1: [['say', 'it'], 'AC 1\nAC 1\nWA 0\n']
END
}

test_case 'graders that fail' && {
    # fails TEXT MESSAGE: with this grader.
    fails() {
        put bad-grader/graders/grader.py "$1"
        isolator test --json --problem "$scratch/bad-grader" "$scratch/bad-grader/submissions/accepted/double.ash"
        is "$(submissions '"$r->{verdict} $r->{reason} $r->{error} " . ($r->{asExpected} // "-")')" "judge-error judge-error $2 -" "$1"
    }
    graded bad-grader
    fails 'print("AC")\n' "group 'sample': the grader has printed 'AC\\n', and not one line with a verdict and a score, such as AC 10"
    fails 'print("JE 0")\n' "group 'sample': the grader has given the verdict JE"
    fails 'print("AC 1"); int("x")\n' \
        "group 'sample': the grader exited with status 1: ValueError: invalid literal for int() with base 10: 'x'"
    put bad-grader/problem.yaml 'type: scoring\n'
    fails 'print("AC 1" * 10000000)\n' "group 'sample': the grader has printed '$(printf 'AC 1%.0s' {1..25})...', and not one line with a\
 verdict and a score, such as AC 10"
    rm "$scratch/bad-grader/graders/grader.py"
    put bad-grader/graders/g.c 'int main(void) { return x; }\n'
    problem bad-grader
    has "$out" "the grader cannot be built: ./g.c: In function" "it cannot be built"
}

test_case --quick 'graders that are refused' && {
    # refuses MESSAGE: the package with its graders.
    refuses() {
        problem odd-grader
        is "$status|$out|$err" "2||isolator: $1" "$1"
    }
    put outside/file.py 'x: 1\n'
    graded odd-grader
    put odd-grader/graders/other.py ''
    refuses "'$scratch/odd-grader/data/secret/1/testdata.yaml': grading: '$scratch/odd-grader/graders' must have one grader, a file or a directory,\
 and has several"
    rm "$scratch/odd-grader/graders/"*
    put odd-grader/graders/x.nosuch 'x\n'
    problem odd-grader
    has "$status $err" "2 isolator: the grader: cannot tell the language of 'x.nosuch'; give" "a language that is not known"
    rm "$scratch/odd-grader/graders/"*
    put odd-grader/graders/dir/build 'exit\n'
    refuses "'$scratch/odd-grader/data/secret/1/testdata.yaml': grading: '$scratch/odd-grader/graders/dir' has the script build, which isolator\
 does not run; it runs sources of a language of the configuration"
    rm -r "$scratch/odd-grader/graders"
    ln -s "$scratch/outside" "$scratch/odd-grader/graders"
    refuses "'$scratch/odd-grader/data/secret/1/testdata.yaml': grading: '$scratch/odd-grader/graders' is a link that leads out of the package"
    rm "$scratch/odd-grader/graders"
    graded odd-grader
    put odd-grader/problem.yaml 'type: pass-fail\n'
    refuses "'$scratch/odd-grader/data/secret/1/testdata.yaml': grading: custom is for problems of the type scoring"
    put odd-grader/problem.yaml 'problem_format_version: 2025-09\ntype: scoring\n'
    refuses "'$scratch/odd-grader/data/secret/1/testdata.yaml': grading: only a problem package in the legacy format can have a grader of its own"
}

test_case 'an interactive problem' && {
    put guess/problem.yaml 'validation: custom interactive\n'
    put guess/.timelimit '2\n'
    put guess/output_validators/talk.py 'import sys
number = int(open(sys.argv[1]).read())
for turn in range(20):
    guess = sys.stdin.readline()
    if not guess: sys.exit(43)
    if int(guess) == number: print("found", flush=True); sys.exit(42)
    print("more", flush=True)
sys.exit(43)
'
    put guess/data/sample/1.interaction '>1\n<found\n'
    put guess/data/secret/1.in '3\n'
    put guess/data/secret/1.ans ''
    put guess/submissions/accepted/count.ash 'n=0; while [ "$word" != found ]; do n=$((n + 1)); echo $n; read -r word; done\n'
    put guess/submissions/wrong_answer/one.ash 'echo 1\n'
    problem guess
    expect "$status
$(printf '%s\n' "$out" | figures)" "the table" <<'END'
0
SUBMISSION EXPECTED FOUND SLOWEST DETAIL
accepted/count.ash passed passed ok T
wrong_answer/one.ash wrong-answer wrong-answer ok T
2 of 2 submissions as expected
END
}

finish
