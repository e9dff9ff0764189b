#!/usr/bin/env bash
# Requests with tests: one program, one container, many inputs; what stays apart between the tests; builds and their limits.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# request MEMBERS: prints a line with these members, a Perl list, beside the language. Tests without an expected output say so.
request() {
    perl -MJSON::PP -e '
        my $line = {language => "busybox", entrypoint_code => "", eval $ARGV[0]};
        for my $test (@{$line->{tests} // []}) { $test->{no_expected} = JSON::PP::true unless exists $test->{expected_stdout} }
        print encode_json($line), "\n"' "$1"
}

# batch_of MEMBERS [ARG...]: runs isolator batch with this line.
batch_of() {
    request "$1" >"$scratch/requests"
    shift
    isolator batch "$@" "$scratch/requests"
}

# tests EXPRESSION: the value of a Perl expression for each test %$t of the one result, in order, one a line.
tests() { json 'join "\n", map { our $t = $_; eval($ARGV[1]) } @{$r->{tests}}' "$1"; }
json() { # quoted(TEXT) is a text as JSON, in one line
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        sub quoted { JSON::PP->new->allow_nonref->encode($_[0]) }
        local $/; our $r = eval { JSON::PP->new->utf8->decode(<STDIN>) };
        print ref $r eq "HASH" ? eval($ARGV[0]) // "null" : "(no JSON)"' "$@" <"$scratch/out"
}
statuses='"$t->{name} $t->{status}"'

# The configuration with languages that are built by a shell script, which needs no compiler.
# - made: the program is its sources, one after the other; a source with the word SYNTAX is refused.
# - odd: the sources are the script that builds.
# - slow: the build sleeps. large: the build may take 200 MB, the program 64. limits: the program sees its build's limits.
seen='cd /sys/fs/cgroup; cat memory/memory.limit_in_bytes memory.max cpu/cpu.cfs_quota_us cpu.max pids/pids.max pids.max 2>/dev/null | cut -d " " -f 1; ulimit -s'
perl -MJSON::PP -e '
    local $/;
    my $config = JSON::PP->new->decode(<STDIN>);
    sub language { my ($name, %members) = @_;
        return ($name => {image => "isolator-test/busybox:1", command => ["sh", "./{stem}"], extensions => [".$name"],
            defaultFilename => "main.$name", %members}) }
    my $make = q(out=$1; shift; echo "building $*"; echo "$PWD $(id -u) ${WORD-none} $(cat | wc -c)" >&2
        for source; do ! grep -Hn SYNTAX "$source" >&2 || exit 2; done; cat "$@" >"$out"; mkdir objects; echo built >objects/main.o; touch /tmp/left);
    %{$config->{languages}} = (%{$config->{languages}},
        language("made", build => ["sh", "-c", $make, "make", "{workdir}/{stem}", "{sources}"]),
        # named: the file must be called by the name in the first line that begins with unit; the program prints that.
        language("named", build => ["sh", "-c", q(grep -q "^unit $1\$" "$2" || { echo "$2 is misnamed"; exit 1; } >&2; cp "$2" "$1"),
            "build", "{stem}", "{entrypoint}"], command => ["sh", "-c", q(echo "$0: $#"), "{stem}"], filenamePattern => "^(unit) (.*)"),
        language("slow", build => ["sh", "-c", "echo begun; sleep 600"], buildLimits => {timeoutSeconds => 0.5}),
        language("large", build => ["sh", "-c", "dd if=/dev/zero of=/dev/null bs=90000000 count=1 && cat {entrypoint} >{stem}"],
            memoryMB => 64, buildLimits => {memoryMB => 200}),
        language("odd", build => ["sh", "{entrypoint}"], command => ["{workdir}/program"], memoryMB => 40, buildLimits => {memoryMB => 40}),
        language("limits", build => ["sh", "-c", "($ARGV[0]) >limits; cat {entrypoint} >{stem}"], memoryMB => 64, cpus => 0.25,
            pidsLimit => 20, buildLimits => {memoryMB => 200, cpus => 0.5, pidsLimit => 40}));
    print JSON::PP->new->encode($config)' "$seen" <"$ISOLATOR_CONFIG" >"$scratch/builds.json"

# ---- what a test gets, and how it ends

test_case 'each status' && {
    batch_of 'entrypoint_code => q(eval "$1"), memory_mb => 32, tests => [
        {name => "right", arguments => ["echo right"], expected_stdout => "right"},
        {name => "wrong", arguments => ["echo left"], expected_stdout => "right"},
        {name => "slow", arguments => ["sleep 600"], timeout_seconds => 0.5},
        {name => "busy", arguments => ["while :; do :; done"], cpu_seconds => 0.3},
        {name => "large", arguments => ["exec tail /dev/zero"]},
        {name => "loud", arguments => ["exec yes"]},
        {name => "failed", arguments => ["echo right; exit 3"], expected_stdout => "right"},
        {name => "killed", arguments => [q(kill -SEGV $$)]},
        {name => "last", arguments => ["echo any"]}]'
    is "$status $(field status reason exitCode signal error)" "1 error tests -1 null 7 of 9 tests are not passed; the first is 'wrong'" \
        "the result of all"
    expect "$(tests '"$t->{name} $t->{status} $t->{exitCode} " . ($t->{signal} // "null")')" "each status, in the order of the request" <<'END'
right passed 0 null
wrong wrong-answer 0 null
slow timeout 137 SIGKILL
busy cpu-time 137 SIGKILL
large oom 137 SIGKILL
loud output-limit 137 SIGKILL
failed runtime-error 3 null
killed runtime-error 139 SIGSEGV
last passed 0 null
END
    expect "$(tests '"$t->{name}: " . ($t->{error} // "null")')" "each error" <<'END'
right: null
wrong: line 1 differs: expected 'right', found 'left'
slow: program did not end within 0.5 s
busy: program used more than 0.3 s of CPU time
large: program ran out of memory (limit 32 MB)
loud: program wrote more than 64 MiB to one stream
failed: program exited with status 3
killed: program was ended by signal SIGSEGV
last: null
END
    is "$(json 'join " ", map { "$_ $r->{summary}{$_}" } sort keys %{$r->{summary}}')" "failed 7 firstFailure wrong passed 2 total 9" "the summary"
    expect "$(tests 'length $t->{stdout} < 6000 && !$t->{stderrTruncated} && $t->{durationMs} > 0 && $t->{peakMemoryBytes} > 100000
        && defined $t->{cpuMs} ? "$t->{name} $t->{stdoutTruncated}" : "$t->{name} wrong"')" "figures and output of each" <<'END'
right 0
wrong 0
slow 0
busy 0
large 0
loud 1
failed 0
killed 0
last 0
END
}

test_case 'all tests pass; names; one container' && {
    batch_of 'entrypoint_code => "echo out; echo err >&2", tests => [{}, {name => "caf\x{e9} \n\x1b"}, {}]'
    is "$status $(field status reason exitCode signal error stdout stderr warm)" "0 success exit 0 null null   false" "the result of all"
    expect "$(tests 'join " ", quoted($t->{name}), $t->{status}, quoted($t->{stdout} . $t->{stderr})')" "names: given, or the number" <<'END'
"1" passed "out\nerr\n"
"café \n\u001b" passed "out\nerr\n"
"3" passed "out\nerr\n"
END
    is "$(json '$r->{summary}{firstFailure}') $(field stdoutBytes stderrBytes)" "null 12 12" "no failure; bytes are those of all tests"
}

test_case 'a name with escape sequences is escaped in the message' && {
    batch_of 'entrypoint_code => "exit 1", tests => [{name => "a\n\x1b[31m"}]'
    is "$(field error)" '1 of 1 tests are not passed; the first is '"'a\\n\\x1b[31m'" "the message"
}

test_case 'ways to compare' && {
    batch_of 'entrypoint_code => q(printf "$1"), tests => [map { my ($name, $compare, $expected, $printed, @more) = @$_;
        {name => $name, $compare ? (compare => $compare) : (), expected_stdout => $expected, arguments => [$printed], @more} }
        ["trim", "", "a\nb", "a  \nb\n\n"], ["trim, start", "trim", "a", " a"], ["exact", "exact", "a\n", "a\n"], ["exact, end", "exact", "a", "a\n"],
        ["tokens", "tokens", "1 2 3", "1\n2\t 3\n"], ["tokens, other", "tokens", "1 2 3", "1 23"], ["float", "float", "0.5 x", "0.5000001 x"],
        ["float, far", "float", "0.5", "0.51"], ["tolerance", "float", "0.5", "0.51", tolerance => 0.1], ["empty", "exact", "", ""],
        ["not empty", "exact", "", "\n"], ["short", "trim", "a\nb", "a\n"], ["nul", "exact", "a\0b", "a\\000b"],
        ["lines", "lines", " a\n1.5 2", "a\n1.50  2\n\n"], ["case", "tokens", "Yes", "yes", ignore_case => \1],
        ["space", "float", "1 2", "1.0  2", exact_space => \1], ["absolute", "float", "1000", "1001", absolute_tolerance => 0.9],
        ["relative", "float", "1000", "1001", relative_tolerance => 0.01], ["large", "float", "9007199254740993", "9007199254740992", tolerance => 0]]'
    expect "$(tests '"$t->{name}: $t->{status} " . ($t->{error} // "null")')" "each way" <<'END'
trim: passed null
trim, start: wrong-answer line 1 differs: expected 'a', found ' a'
exact: passed null
exact, end: wrong-answer line 1 differs: expected 'a', found 'a\n'
tokens: passed null
tokens, other: wrong-answer line 1 differs: expected '2', found '23'
float: passed null
float, far: wrong-answer line 1 differs: expected '0.5', found '0.51'
tolerance: passed null
empty: passed null
not empty: wrong-answer line 1 differs: expected no more output, found '\n'
short: wrong-answer the output ends too early, after line 1: expected 'b'
nul: passed null
lines: passed null
case: passed null
space: wrong-answer line 1 differs: expected '1 2', found '1.0  2'
absolute: wrong-answer line 1 differs: expected '1000', found '1001'
relative: passed null
large: wrong-answer line 1 differs: expected '9007199254740993', found '9007199254740992'
END
}

test_case 'stdin, arguments, variables and files of a test, beside those of the request' && {
    batch_of 'entrypoint_code => q(cat; echo "$*|$A|$B"; cat base own 2>/dev/null; ls), stdin => "of the request\n", arguments => ["first"],
        environment => {A => "1", B => "2"}, additional_files => [{filename => "base", content => "base\n"}],
        tests => [{stdin => "one\n", arguments => ["x", "y"], environment => {B => "3"}, files => [{filename => "own", content => "own\n"}]},
        {stdin => ""}, {files => [{filename => "base", content => "other\n"}, {filename => "d/e", content => ""}]}]'
    expect "$(tests 'quoted($t->{stdout})')" "what each test sees" <<'END'
"one\nfirst x y|1|3\nbase\nown\nbase\nmain.ash\nown\n"
"first|1|2\nbase\nbase\nmain.ash\n"
"first|1|2\nother\nbase\nd\nmain.ash\n"
END
}

test_case 'stop_on_failure' && {
    batch_of 'entrypoint_code => q(exit $1), stop_on_failure => JSON::PP::true, tests => [map { {arguments => ["$_"]} } 0, 4, 0, 5]'
    expect "$(tests '"$t->{name} $t->{status} " . ($t->{error} // "null")')" "tests after the first failure do not run, and say why" <<'END'
1 passed null
2 runtime-error program exited with status 4
3 not-run an earlier test failed, and the request stops then
4 not-run an earlier test failed, and the request stops then
END
    is "$(json '"$r->{reason} $r->{summary}{passed} $r->{summary}{failed} $r->{summary}{firstFailure}"')" "tests 1 3 2" "the summary"
}

test_case 'the kept output of a test' && {
    batch_of 'entrypoint_code => q(head -c 100000 /dev/zero | tr "\\\\0" x), test_output_bytes => 64,
        tests => [{expected_stdout => "x" x 100000}, {expected_stdout => "x" x 99999}]'
    expect "$(tests '"$t->{status} $t->{stdoutTruncated} " . (length($t->{stdout}) < 200)')" \
        "all output is compared, and the kept part is small" <<'END'
passed 1 1
wrong-answer 1 1
END
}

test_case 'a limit of the output of one test' && {
    batch_of 'entrypoint_code => q(head -c $1 /dev/zero; head -c $2 /dev/zero >&2), tests => [
        {arguments => ["1000", "1000"], max_output_bytes => 1000}, {arguments => ["1001", "0"], max_output_bytes => 1000},
        {arguments => ["0", "1001"], max_output_bytes => 1000}, {arguments => ["1001", "1001"]}]'
    expect "$(tests '"$t->{name} $t->{status} " . ($t->{error} // "null")')" "each stream has the limit" <<'END'
1 passed null
2 output-limit program wrote more than 1000 bytes to one stream
3 output-limit program wrote more than 1000 bytes to one stream
4 passed null
END
}

test_case 'the outcome alone says nothing about what the tests are' && {
    batch_of 'entrypoint_code => q(cat; cat /dev/null >&2; cat $1; exit $2), detail => "outcome", tests => [
        {stdin => "SECRET-IN", arguments => ["/dev/null", "0"], expected_stdout => "SECRET-OUT"},
        {stdin => "SECRET-IN", arguments => ["/SECRET-ARG", "3"], expected_stdout => "SECRET-OUT"},
        {stdin => "SECRET-OUT", arguments => ["/dev/null", "0"], expected_stdout => "SECRET-OUT"}]'
    expect "$(tests '"$t->{status} $t->{exitCode} <$t->{stdout}$t->{stderr}> $t->{stdoutTruncated} $t->{stderrTruncated} " . ($t->{error} // "null")')" "three tests" <<'END'
wrong-answer 0 <> 1 0 the output is not the expected one
runtime-error 3 <> 1 1 program exited with status 3
passed 0 <> 1 0 null
END
    is "$(grep -c SECRET "$scratch/out")" 0 "the whole result"
    request 'tests => [{}], detail => "none"' >"$scratch/requests"
    isolator batch "$scratch/requests"
    is "$(json '$r->{error}')" 'detail must be "full" or "outcome"' "another word"
}

test_case '1000 tests' && {
    batch_of 'entrypoint_code => q(read n; echo $((n * 2))), tests => [map { {stdin => "$_\n", expected_stdout => "" . 2 * $_} } 1 .. 1000]'
    is "$status $(json '"$r->{summary}{passed} " . grep { $_->{stdout} == 2 * $_->{name} } @{$r->{tests}}')" "0 1000 1000" "each with its own input"
}

test_case 'more tests than isolator may have descriptors' && {
    request 'entrypoint_code => q(cat; exit 1), stop_on_failure => \1, tests => [map { {stdin => "line"} } 1 .. 600]' >"$scratch/requests"
    # podman starts its containers itself, with the hard limit of isolator.
    which=-n
    ! engine_is podman || which=-Sn
    out=$(ulimit "$which" 400 && "$ISOLATOR" batch -q "$scratch/requests" 2>"$scratch/err")
    status=$?
    printf '%s\n' "$out" >"$scratch/out"
    is "$status $(field reason) $(json '$r->{tests}[0]{stdout}')" "1 tests line" "a test has no descriptor before it runs"
}

test_case 'memory for 1000 tests with 100 kB of output each' && {
    request 'entrypoint_code => q(head -c 100000 /dev/zero | tr "\\\\0" x), tests => [map { {} } 1 .. 1000]' >"$scratch/requests"
    peak=$(peak "$ISOLATOR" batch -q "$scratch/requests")
    memory "$peak" 9216 "peak memory in kB" # 8,696 to 8,924 measured, of which a part is how the threads' heaps fall
}

test_case '9000 files in directories of their own, and a file of nearly a MB' && {
    batch_of 'entrypoint_code => "find . | wc -l", additional_files => [map { {filename => "d$_/f", content => ""} } 1 .. 9000], tests => [{expected_stdout => "18002"}]'
    is "$status $(field error)" "0 null" "the copy has room for the directories"
    batch_of 'additional_files => [{filename => "f", content => "x" x 1044000}], tests => [{}]'
    is "$status $(field error)" "0 null" "and for the end of the archive"
}

# ---- what stays apart

test_case 'what is expected never enters the container' && {
    # The control is in a file, where the same search finds it; the search does not find itself.
    batch_of 'entrypoint_code => q(find / -xdev -type f -size -100k -exec grep -ls "token-[17]-found\|token-[17]-expected" {} + 2>/dev/null
        find /workspace /tmp /dev/shm -type f -exec grep -ls "token-[17]-found\|token-[17]-expected" {} +
        for file in /proc/[0-9]*/environ /proc/[0-9]*/cmdline; do ! grep -s "token-[17]-expected" $file || echo $file; done),
        tests => [{files => [{filename => "control", content => "token-7-found"}], expected_stdout => "token-7-expected", stdin => "token-2"},
        {expected_stdout => "token-1-expected"}]'
    expect "$(tests '"$t->{status} " . quoted($t->{stdout})')" "only the control is found" <<'END'
wrong-answer "/workspace/control\n"
wrong-answer ""
END
}

test_case 'what one test leaves is gone for the next' && {
    batch_of 'entrypoint_code => q(
        find /workspace /tmp /dev/shm ! -type d | sort; ls -ld /workspace | cut -c 1-10; grep -ls "slee[p]" /proc/[0-9]*/cmdline; cat data; id -u
        echo changed >data; echo x >new; mkdir -p deep/er; echo x >deep/er/file; echo x >/tmp/file; echo x >/dev/shm/file; ln -s /tmp link
        rm main.ash; chmod 0 deep/er deep
        (sleep 600; echo late) & sleep 600 & setsid sleep 600 &
        head -c 70000000 /dev/zero >/tmp/full; chmod 0 /workspace /tmp/file),
        additional_files => [{filename => "data", content => "data\n"}], tests => [{}, {}, {}]'
    expect "$(json '$r->{tests}[0]{stdout} =~ s/\d{5,}/OWN/r')" "the first finds its files" <<'END'
/workspace/data
/workspace/main.ash
drwx------
data
OWN
END
    expect "$(tests "$statuses"' . ($t->{stdout} eq $r->{tests}[0]{stdout} ? ", finds the same" : ", finds $t->{stdout}")')" "each of the others too" <<'END'
1 passed, finds the same
2 passed, finds the same
3 passed, finds the same
END
}

test_case 'memory of a copy does not count' && {
    batch_of 'entrypoint_code => "cat data | wc -c", memory_mb => 48, additional_files => [{filename => "data", content => "x" x 30000000}],
        tests => [{}, {}]'
    expect "$(tests '"$t->{status} " . quoted($t->{stdout})')" "48 MB, 30 MB of files: the program has the rest" <<'END'
passed "30000000\n"
passed "30000000\n"
END
    is "$status" 0 "it succeeds"
    within "$(field peakMemoryBytes)" 30000000 52000000 "the peak is without the copy"
}

# Each child has 100 MB, and nobody waits for it. The second test does not raise the container's maximum.
test_case 'memory of a process that nobody waits for' && {
    request 'language => "python", entrypoint_code => "import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
reading, writing = os.pipe()
if os.fork() == 0:
    data = b\"x\" * 100000000
    os.write(writing, b\"filled\")
    time.sleep(0.5)
    os._exit(0)
os.read(reading, 6)
time.sleep(1)", tests => [{}, {}]' >"$scratch/requests"
    isolator batch "$scratch/requests"
    is "$status" 0 "it succeeds"
    expect "$(tests "$statuses . (\$t->{peakMemoryBytes} > 99e6 && \$t->{peakMemoryBytes} < 130e6 ? ' 100 MB' : \$t->{peakMemoryBytes})")" "each test" <<'END'
1 passed 100 MB
2 passed 100 MB
END
}

# ---- when something fails

# begun WORD: the container of the batch runs a program with this word in its command line.
begun() {
    name=$(docker ps -q --filter label=isolator.pid="$pid" | head -n 1)
    [ -n "$name" ] && processes_of "$name" 2>/dev/null | grep -q -- "$1"
}

test_case 'a container that is killed costs the tests that are left' && {
    request 'entrypoint_code => q(sleep $1), tests => [map { {arguments => [$_]} } "0", "600.5", "0"]' >"$scratch/requests"
    start_isolator batch "$scratch/requests"
    until_true begun "600.5"
    docker kill "$name" >/dev/null
    await
    is "$status $(field status reason exitCode)" "3 error engine -1" "the engine failed"
    expect "$(tests "$statuses")" "no verdict is made up" <<'END'
1 passed
2 engine
3 not-run
END
    has "$(tests '"$t->{name} " . ($t->{error} // "null")')" $'1 null\n2 the container ended before it reported the program\'s exit status' \
        "the tests say why"
    is "$(json '"$r->{summary}{passed} of $r->{summary}{total}"')" "1 of 3" "the summary"
}

test_case 'Ctrl-C in the middle' && {
    request 'entrypoint_code => q(sleep $1), tests => [map { {arguments => [$_]} } "0", "600.5", "0"]' >"$scratch/requests"
    start_isolator batch "$scratch/requests"
    until_true begun "600.5"
    kill -INT "$pid"
    await
    is "$status $(field status reason error)" "130 error cancelled cancelled while the program ran" "cancelled"
    expect "$(tests "$statuses")" "what has ended keeps its result" <<'END'
1 passed
2 not-run
3 not-run
END
    is "$(own_containers)" "" "no container is left"
}

test_case --quick 'refused lines' && {
    {
        request 'tests => []'
        request 'tests => [{}, {expected => 1}]'
        request 'tests => [{name => "a"}, {name => "a"}]'
        request 'tests => [{compare => "fuzzy"}]'
        request 'tests => [{timeout_seconds => 1e300}]'
        request 'tests => [{environment => {IFS => ""}}]'
        request 'tests => [{files => [{filename => "../a", content => ""}]}]'
        request 'tests => [{}], artifacts => ["*"]'
        request 'tests => [{}], stop_on_failure => 1'
        request 'tests => [{}], test_output_bytes => 63'
        request 'tests => [map { {} } 1 .. 65], test_output_bytes => 1 << 20'
        echo '{"language": "bash", "entrypoint_code": "", "tests": [{"expected_stdout": "1"}, {"stdin": "2"}]}'
        request 'tests => [{expected_stdout => "", no_expected => \1}]'
    } | sed 's/"busybox"/"bash"/' >"$scratch/requests"
    isolator batch "$scratch/requests"
    is "$status" 1 "the status"
    expect "$(perl -MJSON::PP -e 'print map { "$_->{line} $_->{reason} $_->{error}\n" } sort { $a->{line} <=> $b->{line} } map { decode_json($_) } <STDIN>' \
        <"$scratch/out")" "each message" <<'END'
1 input tests must be an array of 1 to 10000 tests
2 input tests[1] has no member 'expected'; known are: name, stdin, arguments, environment, files, expected_stdout, call_arguments, call_arguments_json, expected_value, expected_value_json, expected_values, expected_values_json, no_expected, compare, ignore_case, exact_space, tolerance, absolute_tolerance, relative_tolerance, timeout_seconds, cpu_seconds, max_output_bytes, group, points
3 input tests: there are two tests named 'a'
4 input tests[0].compare: 'fuzzy' is not a way to compare; use trim, exact, tokens, float or lines
5 input test '1': timeout_seconds must be from 0.001 to 31622400 s
6 input test '1': variable 'IFS' cannot be given: shells keep it for themselves
7 input tests[0].files[0]: '../a' must not have '..', '.' or empty parts
8 input a request with tests cannot return files
9 input stop_on_failure must be true or false
10 input test_output_bytes must be a whole number from 64 to 1048576
11 input test_output_bytes can be at most 1032444 with 65 tests
12 input tests[1] has no expected_stdout; to check only the exit status, give "no_expected": true
13 input tests[0] has both expected_stdout and no_expected; give one of them
END
}

test_case 'tests with a writable root are refused' && {
    sed 's/^{/{"defaults": {"readOnly": false},/' "$ISOLATOR_CONFIG" >"$scratch/writable.json"
    batch_of 'tests => [{}]' --config "$scratch/writable.json"
    is "$status $(field reason error)" "1 input readOnly must be true for a request with tests: nothing of one program may be left for the next" "refused"
}

# ---- builds

# build: how the build ended, and what it wrote.
build() { json '"$r->{build}{exitCode}\nstdout: $r->{build}{stdout}stderr: $r->{build}{stderr}" =~ s/\b\d{5,}\b/OWN/r'; }

test_case 'a build, and then tests' && {
    batch_of 'language => "made", entrypoint_code => q(echo "got $(cat)"; cat objects/main.o; ls /tmp; rm -r objects), environment => {WORD => "secret"},
        stdin => "of the request", tests => [{stdin => "1", expected_stdout => "got 1\nbuilt"}, {stdin => "2", expected_stdout => "got 2\nbuilt"}]' \
        --config "$scratch/builds.json"
    is "$status $(field status reason)" "0 success exit" "built and passed"
    expect "$(tests "$statuses")" "each finds what was built, and nothing else of the build" <<'END'
1 passed
2 passed
END
    expect "$(build)" "the build has no stdin and no variables of the request" <<'END'
0
stdout: building ./main.made
stderr: /workspace OWN none 0
END
}

test_case 'one program that is built, with a writable root' && {
    sed 's/^{/{"defaults": {"readOnly": false},/' "$scratch/builds.json" >"$scratch/writable_builds.json"
    batch_of 'language => "made", entrypoint_code => "grep -q built /workspace/objects/main.o && echo ran\n"' --config "$scratch/writable_builds.json"
    is "$status $(field status reason stdout)" "0 success exit ran" "built and run"
    is "$(json '$r->{build}{exitCode}')" 0 "its build"
}

test_case 'a build that fails' && {
    batch_of 'language => "made", entrypoint_code => "echo ran\n# SYNTAX\n", tests => [{}, {}]' --config "$scratch/builds.json"
    is "$status $(field status reason exitCode stdout error)" "1 error build -1  build exited with status 2" "the reason"
    expect "$(build)" "what the compiler wrote" <<'END'
2
stdout: building ./main.made
stderr: /workspace OWN none 0
./main.made:2:# SYNTAX
END
    expect "$(tests '"$t->{status} $t->{exitCode} $t->{durationMs}"')" "the program never ran" <<'END'
not-run -1 0
not-run -1 0
END
    is "$(json '"$r->{summary}{passed} $r->{summary}{failed}"')" "0 2" "the summary"
}

test_case 'a build that succeeds and makes no program' && {
    wrong() {
        batch_of "language => 'odd', entrypoint_code => q($1), tests => [{}, {}]" --config "$scratch/builds.json"
        is "$status $(field status reason exitCode error)" \
            "1 error build -1 the build has made no program: cannot execute '/workspace/program' in the image 'isolator-test/busybox:1': $2" "$1"
        expect "$(tests '"$t->{status} $t->{exitCode}"')" "$1: the tests" <<'END'
not-run -1
not-run -1
END
        is "$(json '"$r->{build}{exitCode} $r->{summary}{failed}"')" "0 2" "$1: the build, and the summary"
    }
    wrong 'echo library >program' 'Permission denied'
    wrong ':' 'No such file or directory'
    wrong 'ln -s /proc/1/exe program' 'Permission denied'
    printf ':\n' >"$scratch/main.odd"
    isolator run --config "$scratch/builds.json" "$scratch/main.odd"
    has "$status $(field reason error)" "1 build the build has made no program: cannot execute '/workspace/program'" "without tests"
}

test_case 'files that fit the working directory and not the memory' && {
    batch_of 'language => "odd", entrypoint_code => "dd if=/dev/zero of=large bs=1M count=25; mv large program; chmod 755 program", tests => [{}, {}]' \
        --config "$scratch/builds.json"
    code=1 reason=input message='memory ran out before the program ran: the files of the working directory, and perhaps a copy of them, are in memory; send fewer or smaller files, or raise memory_mb'
    # Memory that process 1 needs is known from the events of the engine, and podman is not asked for them.
    ! engine_is podman || code=3 reason=engine message='the container ended before the program ran: no message'
    is "$status $(field status reason exitCode error)" "$code error $reason -1 $message" "a build"
    batch_of 'entrypoint_code => "echo ran", memory_mb => 16, additional_files => [{filename => "large", content => "x" x 30000000}]'
    has "$status $(field status reason)" "$code error $reason" "a file that is sent"
}

test_case 'a build that takes too long' && {
    batch_of 'language => "slow", tests => [{}]' --config "$scratch/builds.json"
    is "$(field status reason exitCode error)" "error build -1 build did not end within 0.5 s" "ended at its own limit"
    expect "$(json '"$r->{build}{stdout}$r->{build}{exitCode} $r->{build}{signal}"')" "how it ended" <<'END'
begun
137 SIGKILL
END
}

test_case 'several sources, one of which looks like an option' && {
    batch_of 'language => "made", entrypoint_filename => "src/main.made", entrypoint_code => "echo main\n",
        additional_files => [map { {filename => $_, content => "echo $_\n"} } "src/-x.made", "src/b.made", "src/c.txt", "other.made", "src/deep/d.made"],
        tests => [{expected_stdout => "main\nsrc/-x.made\nsrc/b.made"}]' --config "$scratch/builds.json"
    is "$status $(json '$r->{build}{stdout}')" "0 building ./src/main.made ./src/-x.made ./src/b.made" "the sources of its directory, each with ./ in front"
}

test_case 'names of sources that are too long for a command' && {
    too_long() {
        request "language => 'made', entrypoint_code => 'echo ran', entrypoint_filename => q($1) . 'main.made',
            additional_files => [map { {filename => q($1) . q($2) . qq(\$_.made), content => ''} } 1 .. $3]" >"$scratch/requests"
        isolator batch --config "$scratch/builds.json" "$scratch/requests"
        is "$status $(field status reason error)" "1 error input the names of the sources are too long for the command of the build, which has 2 MB at most: send fewer files, or with shorter paths" "$4"
    }
    long=$(printf '%0200d' 0)
    too_long '' "$long" 9900 "many"
    too_long "$(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do printf '%s/' "$long"; done)" f 3000 "in a deep directory"
}

# podman changes no limit of processes, so that a build has the one of the program.
test_case 'the limits of the build are not those of the program' && {
    batch_of 'language => "limits", entrypoint_code => q(cat limits; ('"$seen"')), tests => [{}]' --config "$scratch/builds.json"
    expect "$(tests '$t->{stdout}')" "memory, CPUs, processes and stack of both; the memory of the program has 1 MB for the copy" <<END
209715200
50000
$(if engine_is podman; then echo 20; else echo 40; fi)
204800
68157440
25000
20
65536
END
    batch_of 'language => "large", entrypoint_code => "exec dd if=/dev/zero of=/dev/null bs=90000000 count=1", tests => [{}]' --config "$scratch/builds.json"
    is "$(json '$r->{build}{exitCode}') $(tests '$t->{status}')" "0 oom" "what the build may use, the program may not"
    sed 's/"memoryMB":200/"memoryMB":50/g' "$scratch/builds.json" >"$scratch/small.json"
    batch_of 'language => "large", tests => [{}]' --config "$scratch/small.json"
    is "$(field reason error) $(tests '$t->{status}')" "build build ran out of memory (limit 50 MB) not-run" "and the build has no more than its own"
}

test_case 'limits that cannot be lowered' && {
    request 'language => "limits", entrypoint_code => "echo ran", tests => [{}, {}]' >"$scratch/requests"
    faulty "update * fail" isolator batch --config "$scratch/builds.json" "$scratch/requests"
    has "$(field reason error)" "engine cannot lower the limits after the build: " "the engine refuses"
    expect "$(tests '"$t->{status} " . quoted($t->{stdout})')" "no test runs under the limits of the build" <<'END'
not-run ""
not-run ""
END
    # A container of podman 5 may need an option for it, see engine_update_option().
    is "$(docker_calls)" "run update$(engine_is podman && echo ' update')" "and nothing else was tried"
}

# ---- one program with a build

made() { run --config "$scratch/builds.json" "$@"; }

# write_made TEXT: writes the program main.made in a directory of its own, and prints its path.
write_made() {
    mkdir -p "$scratch/program"
    printf '%s\n' "$1" >"$scratch/program/main.made"
    echo "$scratch/program/main.made"
}

test_case 'isolator run builds first' && {
    echo typed >"$scratch/typed"
    made "$(write_made 'read line; echo "got $line $1"; echo made >artifact; cat objects/main.o')" --stdin "$scratch/typed" \
        --artifact '**' --artifacts "$scratch/taken" -- x
    is "$status $(field status exitCode reason stdout)" "0 success 0 exit got typed x
built" "built, and run with stdin and arguments"
    expect "$(cd "$scratch/taken" && find . -type f | sort)" "its artifacts, with what was built" <<'END'
./artifact
./main
./objects/main.o
END
    is "$(json '$r->{build}{exitCode}')" "0" "and the build is in the result"
    made "$(write_made 'exit 3')"
    outcome "1 error 3 exit null program exited with status 3" "its exit status"
    made "$(write_made '# SYNTAX')"
    outcome "1 error -1 build null build exited with status 2" "a build that fails"
}

test_case 'the source names the file' && {
    mkdir -p "$scratch/units/sub"
    printf '# comment\nunit Abc_1$\nunit Other\n' >"$scratch/units/alice.named"
    printf 'unit Bob' >"$scratch/units/bob.named"
    printf 'unit alice\n' >"$scratch/units/sub/alice.named"
    made "$scratch/units/alice.named" -- x y
    is "$status $(field status stdout)" "0 success Abc_1$: 2" "a file"
    input=$scratch/units/alice.named made -l named - -- x
    is "$status $(field status stdout)" "0 success Abc_1$: 1" "standard input"
    made --dir "$scratch/units" --entrypoint alice.named
    is "$(field status reason) $(json '$r->{build}{stderr}')" "error build alice.named is misnamed" "in a directory, names stay"
    mkdir "$scratch/unit-tests"
    : >"$scratch/unit-tests/1.in"
    echo 'Abc_1$: 0' >"$scratch/unit-tests/1.out"
    isolator test --config "$scratch/builds.json" --tests "$scratch/unit-tests" "$scratch/units/alice.named"
    is "$status" 0 "isolator test"
    isolator test --config "$scratch/builds.json" --tests "$scratch/unit-tests" "$scratch/units/alice.named" "$scratch/units/bob.named"
    is "$status $(grep -o '"reason": "[a-z]*"' "$scratch/out" | tr '\n' ' ')" '1 "reason": "exit" "reason": "tests" ' "each file of several has its own name"
    printf '%s\n' '{"entrypoint_file": "alice.named"}' '{"entrypoint_file": "alice.named", "entrypoint_filename": "alice.named"}' \
        '{"entrypoint_file": "sub/alice.named"}' '{"language": "named", "entrypoint_code": "unit Code"}' \
        '{"language": "named", "entrypoint_code": "unit Code", "entrypoint_filename": "x/Code.named"}' \
        '{"language": "named", "entrypoint_code": "unit Code", "additional_files": [{"filename": "Code.named", "content": ""}]}' \
        '{"language": "named", "entrypoint_code": "unit a/b"}' >"$scratch/requests"
    isolator batch -j 1 --programs "$scratch/units" --config "$scratch/builds.json" "$scratch/requests"
    expect "$(perl -MJSON::PP -ne '$r = decode_json($_);
        print "$r->{line} $r->{reason} ", $r->{build}{stderr} || $r->{error} || $r->{stdout}, "\n"' "$scratch/out" | grep . | sort)" \
        "lines of a batch: a name that is given stays" <<'END'
1 exit Abc_1$: 0
2 build alice.named is misnamed
3 exit alice: 0
4 exit Code: 0
5 build x/Code.named is misnamed
6 input two files have the name 'Code.named'
7 build main.named is misnamed
END
}

test_case 'the output of a program that was built, as it comes' && {
    made --stream "$(write_made 'echo out; echo err >&2; exit 3')"
    is "$status|$out" "3|out" "--stream: the program's output and exit status"
    expect "$(sed '/^\/workspace/d' <<<"$err")" "what the compiler writes goes to stderr" <<'END'
building ./main.made
err
END
    made --stream "$(write_made '# SYNTAX')"
    has "$err" "./main.made:1:# SYNTAX" "--stream: what the compiler wrote, if the build fails"
}

test_case 'a saved program is built when its image starts' && {
    tag=isolator-test/tests-$$
    made "$(write_made 'echo "ran $*"; cat objects/main.o')" --save-image "$tag" --save-dockerfile "$scratch/Dockerfile" -- "it's"
    is "$status $(field imageTag error)" "0 $tag null" "saved"
    is "$(docker run --rm --network none "$tag" 2>/dev/null)" "building ./main.made
ran it's
built" "the image builds and runs"
    docker rmi "$tag" >/dev/null
    is "$(sed -n 's/^CMD //p' "$scratch/Dockerfile" | perl -MJSON::PP -0ne 'my $c = decode_json($_); print "$c->[0] $c->[1] ", $c->[2] =~ /^(.{3}).*(&& exec .*)/s')" \
        "/bin/sh -c sh && exec sh ./main 'it'\\''s'" "the Dockerfile says the same"
}

finish
