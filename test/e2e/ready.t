#!/usr/bin/env bash
# Ready interpreters: a program that continues one gives the same as a program that starts one, and what cannot continue it
# starts one by itself.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"
. test/e2e/batch.sh

# What every line has to give in the same way, by its id, one line each.
outcomes() { results 'join " ", $r->{id}, map { quoted($_) } @$r{qw(status exitCode signal reason stdout stderr error)}' | sort; }

# ready LINES LANGUAGE: runs lines of a batch again and again in warm containers, until each has been served by a ready interpreter;
# "outcomes" has what they gave then. Some lines begin before there is a warm container, the first one of a batch always.
ready() {
    local lines=$1 language=$2 round
    : >"$scratch/outcomes"
    cp "$lines" "$scratch/left"
    for round in $(seq 30); do
        sed '1s/"id":"[^"]*"/"id":"the-first"/;1q' "$scratch/left" | cat - "$scratch/left" >"$scratch/round"
        batch_with "{\"warm\": {\"$language\": 3}}" -j 1 "$scratch/round"
        cp "$scratch/out" "$scratch/all"
        grep '"ready":true' "$scratch/all" | grep -v '"the-first"' >"$scratch/out"
        outcomes >>"$scratch/outcomes"
        echo >>"$scratch/outcomes"
        perl -MJSON::PP -e '
            my (%done, $json); $json = JSON::PP->new->utf8;
            open my $out, "<", shift; $done{$json->decode($_)->{id}} = 1 while <$out>;
            while (<STDIN>) { print if !$done{$json->decode($_)->{id}} }' "$scratch/out" <"$scratch/left" >"$scratch/rest"
        mv "$scratch/rest" "$scratch/left"
        [ -s "$scratch/left" ] || break
    done
    is "$(wc -l <"$scratch/left")" 0 "each line was served by a ready interpreter, after $round rounds"
    sort "$scratch/outcomes" | sed '/^$/d' >"$scratch/ready"
}

# corpus FILE LANGUAGE: compares programs of the corpus, of which there are too many for each time.
corpus() {
    test/ready/lines "$1" "$2" | if [ -n "${SOAK-}" ]; then cat; else awk 'NR % 20 == 1'; fi >"$scratch/lines"
    batch -j 2 "$scratch/lines"
    outcomes >"$scratch/cold"
    ready "$scratch/lines" "$2"
    is "$(wc -l <"$scratch/cold")" "$(wc -l <"$scratch/lines")" "every program has run"
    is "$(diff "$scratch/cold" "$scratch/ready")" "" "$1: the same as with an interpreter of its own"
}

test_case 'Python: programs that look at their interpreter' && corpus test/ready/python.txt python
test_case 'JavaScript: programs that look at their interpreter' && corpus test/ready/javascript.txt javascript

test_case 'requests that another interpreter has to serve' && {
    program='"entrypoint_code": "import os, sys; print(sys.argv[1:], os.environ.get(\"A\"), os.path.basename(__file__))"'
    image=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{languages}{python}{image}' <"$ISOLATOR_CONFIG")
    is "$(warm "$program")" "ready success [] None main.py" "a request that sets only the language"
    is "$(warm "$program, \"timeout_seconds\": 5, \"stdin\": \"x\", \"artifacts\": [\"*.txt\"]")" "ready success [] None main.py" "what comes with the request"
    is "$(warm "$program, \"arguments\": [\"b\"]")" "cold success ['b'] None main.py" "arguments"
    is "$(warm "$program, \"environment\": {\"A\": \"1\"}")" "cold success [] 1 main.py" "a variable"
    is "$(warm "$program, \"entrypoint_filename\": \"other.py\"")" "cold success [] None other.py" "another file name"
    is "$(warm "$program, \"memory_mb\": 300")" "cold success [] None main.py" "another limit of memory"
    is "$(warm "$program, \"cpus\": 1")" "cold success [] None main.py" "other CPUs"
    is "$(warm "$program" ', "warmMemoryMB": 0')" "cold success [] None main.py" "no memory for it"
    is "$(warm "$program" ", \"languages\": {\"python\": {\"image\": \"$image\", \"ready\": false}}")" "cold success [] None main.py" "ready: false"
    is "$(warm "$program" ", \"languages\": {\"python\": {\"image\": \"$image\", \"command\": [\"python3\", \"-I\", \"{entrypoint}\"]}}")" \
        "ready success [] None main.py" "another command of the configuration"
    is "$(warm "$program" ", \"languages\": {\"python\": {\"image\": \"$image\", \"command\": [\"sh\", \"-c\", \"sleep 0.1; exec python3 {entrypoint}\"]}}")" \
        "ready success [] None main.py" "a command that starts a process"
}

# A program sees nothing of how they came to be imported. The first variables are those of the engine.
test_case 'modules that are imported in advance' && {
    program='"entrypoint_code": "import os, sys; print([m in sys.modules for m in (\"unittest\", \"email.message\", \"http\")], os.listdir(\".\"), os.listdir(\"/proc/self/fd\"), sys.path[0],'
    program+=' [p for p in [*sys.path, *sys.path_importer_cache] if \"preload\" in p], list(os.environ)[-6:], open(\"/proc/self/environ\").read().split(chr(0))[-6:])"'
    with() { echo ", \"languages\": {\"python\": {\"image\": \"$image\", \"preload\": [$1]}}"; }
    image=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{languages}{python}{image}' <"$ISOLATOR_CONFIG")
    seen="['main.py'] ['0', '1', '2', '3'] /workspace [] ['USER', 'LOGNAME', 'HOME', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'LC_CTYPE']"
    seen+=" ['USER=sandbox', 'LOGNAME=sandbox', 'HOME=/tmp', 'PYTHONUNBUFFERED=1', 'PYTHONDONTWRITEBYTECODE=1', '']"
    is "$(warm "$program")" "ready success [False, False, False] $seen" "without any"
    is "$(warm "$program" "$(with '"unittest", "email.message"')")" "ready success [True, True, False] $seen" "two modules"
    collector='"entrypoint_code": "import os, sys; known = \"gc\" in sys.modules; import gc; print(known, gc.get_freeze_count() > 1000, gc.isenabled(), any(isinstance(o, type) for o in gc.get_objects()), gc.get_threshold() == eval(os.popen(\"python3 -c \u0027import gc; print(gc.get_threshold())\u0027\").read()))"'
    is "$(warm "$collector" "$(with '"unittest"')")" "ready success False True True False True" "the garbage collector leaves them out"
    is "$(warm "$program" "$(with '"unittest", "no_such_module"')")" "cold success [False, False, False] $seen" "one that is not there"
    isolator doctor --config "$scratch/laid.json"
    has "$out" 'but: the interpreter cannot import the modules of "preload"' "doctor says so"
}

test_case 'modules with compiled code that are imported in advance: numpy' && {
    image=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{languages}{python}{image}' <"$ISOLATOR_CONFIG")
    case $image in isolator-test/python:3*) ;; *) image=isolator-test/plot:bookworm ;; esac # the images of test/interpreters have it
    program='"entrypoint_code": "import sys; known = \"numpy\" in sys.modules; import numpy; print(known, numpy.arange(6).reshape(2, 3).sum(axis=0).tolist(), round(float(numpy.linalg.det([[2, 0], [0, 3]]))))"'
    for modules in '' '"numpy"'; do
        is "$(warm "$program" ", \"languages\": {\"python\": {\"image\": \"$image\", \"preload\": [$modules]}}")" \
            "ready success $([ -z "$modules" ] && echo False || echo True) [3, 5, 7] 6" "in advance: [$modules]"
    done
}

test_case 'prepare --preload' && {
    # preload MEMBERS MODULES: tries these modules, with members of the configuration.
    preload() {
        perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); my $more = decode_json(shift); $c->{warm} = {python => 1};
            $c->{languages}{python}{preload} = [@ARGV]; print encode_json({%$c, %$more})' "$@" <"$ISOLATOR_CONFIG" >"$scratch/preload.json"
        isolator prepare --preload --config "$scratch/preload.json" python
    }
    preload '{}' unittest email.message
    is "$status|$(sed -E 's/[0-9]+/N/g' <<<"$out")|$err" \
        "0|python imports unittest, email.message in advance: a program with them takes N ms, not N; a warm container has N MB|" "two modules"
    preload '{}' unittest no_such_module
    is "$status|$out|$err" "1||isolator: python: cannot import the modules of \"preload\": no_such_module: ModuleNotFoundError: No module named 'no_such_module'" \
        "one that is not there"
    preload '{"warmMemoryMB": 0}' unittest
    is "$status|$out|$err" "1||isolator: python: the interpreter cannot be started in advance; see \"preload\" and \"warmMemoryMB\" in isolator_config.json(5)" \
        "no memory for it"
    preload '{}'
    is "$status|$out|$err" "2||isolator: 'python' imports nothing in advance; it needs \"preload\" in the configuration" "no modules"
    isolator prepare --preload --config "$ISOLATOR_CONFIG"
    is "$status|$out|$err" "0||" "no language has any"
    isolator prepare --preload --list
    is "$status|$out|$err" "2||isolator: --preload cannot be used with other options" "with another option"
}

# The interpreter may have been waiting for long.
test_case 'figures count from the begin of the program' && {
    for round in $(seq 20); do
        { echo '{"language": "python", "entrypoint_code": "import time; time.sleep(3)"}'; echo '{"language": "python", "entrypoint_code": "while True: pass", "cpu_seconds": 1}'; } >"$scratch/round"
        batch_with '{"warm": {"python": 1}}' -j 1 "$scratch/round" 2>"$scratch/err"
        [ -z "$(results '$r->{line} == 2 && $r->{ready} ? "ready" : ()')" ] || break
    done
    is "$(results '$r->{line} == 2 ? join " ", $r->{ready}, $r->{reason}, $r->{cpuMs} >= 1000 && $r->{cpuMs} < 3000 ? "a second" : $r->{cpuMs} : ()')" \
        "1 cpu-time a second" "a limit of CPU time"
}

# tests CODE [CONFIG [FUNCTION]]: runs eight tests of a program, whose stdin is the number of the test, or which call its function
# with that; "seen" has a line for each: its name and status, what it printed and returned, and the last line of stderr.
tests() {
    perl -MJSON::PP -e 'my ($code, $function) = @ARGV; print encode_json({language => "python", entrypoint_code => $code,
        $function ? (call => {function => $function}) : (), tests => [map {{name => "$_", stdin => "$_", no_expected => JSON::PP::true,
        $function ? (call_arguments => [$_]) : ()}} 1 .. 8]}), "\n"' "$1" "${3-}" >"$scratch/lines"
    batch_with "{\"warm\": {\"python\": 0}${2-}}" -j 1 "$scratch/lines" 2>"$scratch/err"
    results 'map { "$_->{name} $_->{status}: $_->{stdout}" =~ s/\n/ /gr . ($_->{value} // "") . (split /\n/, $_->{stderr})[-1] } @{$r->{tests}}' >"$scratch/seen"
}
seeds() { sort -u -t: -k2 "$scratch/seen" | wc -l; } # how many different lines there are, without the names of the tests

image=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{languages}{python}{image}' <"$ISOLATOR_CONFIG")
never=", \"languages\": {\"python\": {\"image\": \"$image\", \"ready\": false}}"

# The seed of hashes is one of the interpreter's start: tests that are forks have it in common.
test_case 'tests are forks of one interpreter' && {
    tests 'print(hash("x"))'
    is "$(seeds)" 1 "one interpreter"
    isolator batch --detach "$scratch/lines"
    isolator wait --all
    is "$(results '$r->{status}, scalar(keys %{{map { ($_->{stdout} => 1) } @{$r->{tests}}}})' | paste -sd" ")" "success 8" "a job: each has its own"
    sed -i 's/"stdin":"8"/"arguments":["8"],&/' "$scratch/lines"
    batch_with '{"warm": {"python": 0}}' -j 1 "$scratch/lines" 2>"$scratch/err"
    is "$(results 'join "", map { $_->{stdout} } @{$r->{tests}}' | sort -u | wc -l)" 8 "one has an argument: each has its own"
    tests 'print(hash("x"))' "$never"
    is "$(seeds)" 8 "ready: false: each has its own"
    tests 'print(hash("x"))' ", \"languages\": {\"python\": {\"image\": \"$image\", \"preload\": [\"unittest\"]}}"
    is "$(seeds)" 8 "modules in advance: each has its own"
}

look='
import os, sys, resource, threading, signal, random, time
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines())
print(sys.argv, input(), os.listdir("."), os.listdir("/proc/self/fd"), os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid(), os.getppid(), os.umask(0o22),
    [status[name] for name in ("TracerPid", "Threads", "SigBlk", "SigIgn", "SigCgt", "Seccomp", "NoNewPrivs")], os.stat("/proc/self/mem").st_uid == os.getuid(),
    [resource.getrlimit(i) for i in range(16)], os.sched_getaffinity(0) == os.sched_getaffinity(1), os.getpriority(0, 0), open("/proc/self/oom_score_adj").read(),
    threading.main_thread().native_id == os.getpid(), threading.get_ident() == threading.main_thread().ident, signal.getsignal(signal.SIGINT), time.process_time() < 1,
    [os.fstat(i).st_mode for i in range(3)], sys.stdout.isatty(), sys.flags.hash_randomization, len({os.fstat(i).st_ino for i in range(3)}))
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
child = os.fork()
if child == 0: os._exit(7)
print(os.waitpid(child, 0)[1], os.popen("echo popen").read())
open("left", "w").write("x")
sys.exit(int(status["Threads"]) + 2)'

test_case 'a test that is a fork sees what any sees' && {
    tests "$look" "$never"
    cp "$scratch/seen" "$scratch/cold"
    is "$(grep -c '^[0-9] runtime-error: .* thread 1792 popen  *$' "$scratch/cold")" 8 "each test has run to its end"
    tests "$look"
    is "$(diff "$scratch/cold" "$scratch/seen")" "" "all tests"
}

# What the driver has imported is there in each, and nothing more.
test_case 'tests that call a function are forks, too' && {
    tests 'def f(number): return hash("x")' "" f
    is "$(seeds)" 1 "one interpreter"
    tests 'def f(number): return hash("x")' "$never" f
    is "$(seeds)" 8 "ready: false: each has its own"
    called="import sys
print(list(sys.modules), sys.path, sys.argv, getattr(sys, 'orig_argv', 0), __name__, __file__, sorted(sys.modules['__main__'].__dict__))
import gc
print(gc.get_freeze_count(), gc.get_stats())
def f(number):
$(sed '/^$/d; s/^/    /' <<<"$look")"
    tests "$called" "$never" f
    cp "$scratch/seen" "$scratch/cold"
    is "$(grep -c '^[0-9] runtime-error: .* thread 1792 popen  *$' "$scratch/cold")" 8 "each test has run to its end"
    tests "$called" "" f
    is "$(diff "$scratch/cold" "$scratch/seen")" "" "all tests see what any sees"
}

# Each test leaves what it can, and the third one also a process that writes to descriptor 3 of others. What each one finds is compared,
# and on stderr how many other processes there are: the interpreter, until all are killed because of that process.
test_case 'a test that calls a function is hostile to later ones' && {
    hostile='
import builtins, fcntl, json, os, sys, time
def others(): return [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid(), os.getppid())]
def opened(name, mode):
    try: return [os.open(name, mode | os.O_NONBLOCK)]
    except OSError: return []
modules = [builtins, json, os, sys.modules["__main__"]]
print(len(others()), file=sys.stderr)
found = [[hasattr(module, "MARK") for module in modules], dict(os.environ, HOSTNAME=""), list(sys.path), sorted(sys.modules),
    [sorted(os.listdir(name)) for name in (".", "/tmp", "/dev/shm")], sorted(os.listdir("/proc/self/fd"))]
def f(number):
    found.append([(os.fstat(fd).st_mode, [fcntl.fcntl(fd, get) for get in (fcntl.F_GETFD, fcntl.F_GETFL, 1032)]) for fd in (1, 2, 3)])
    found.append([name for p in [1] + others() for name in ("mem", "environ", "fd/1", "fd/3") for mode in (0, 1) if opened(f"/proc/{p}/{name}", mode)])
    for module in modules: module.MARK = 1
    json.load = sys.modules["__main__"].load = lambda *_: "forged"
    os.environ["MARK"] = "1"
    sys.path[:0] = ["/tmp"]
    for name in ("isolator_call.json", "isolator_call.py", "json.py", "main.py", "/tmp/numbers.py", "/dev/shm/left"):
        open(name, "w").write("[]")
    if number == 3 and os.fork() == 0:
        os.setsid()
        while True: [os.write(fd, b"forged") for p in others() for fd in opened(f"/proc/{p}/fd/3", os.O_WRONLY)]
    os.chdir("/")
    return repr(found)'
    tests "$hostile" "$never" f
    is "$(sed 's/^[0-9] \([a-z]*\): .*\(.\)$/\1 \2/' "$scratch/seen" | uniq -c | sed 's/^ *//')" "8 passed 0" "each with its own interpreter"
    sed 's/.$//' "$scratch/seen" >"$scratch/cold"
    is "$(seeds)" 1 "each finds the same"
    tests "$hostile" "" f
    is "$(sed 's/.*\(.\)$/\1/' "$scratch/seen" | paste -sd" ")" "1 1 1 0 0 0 0 0" "the first three are forks"
    is "$(sed 's/.$//' "$scratch/seen" | diff "$scratch/cold" -)" "" "they find the same as those with their own"
}

# What each test of hostile programs does, by its number; the others print their number, and a limit that is that of the first.
test_case 'a test that is hostile to the others' && {
    hostile() { # TEXT CODE
        tests "
import os, resource, signal, sys, subprocess, ctypes, time
number = int(input())
others = [int(p) for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())]
if number == 3 and len(others) != 1: sys.exit('no interpreter waits')
def attack():
    $2
if number == 3: attack()
print(resource.getrlimit(resource.RLIMIT_NOFILE), os.getpriority(0, 0), len(os.sched_getaffinity(0)) == os.cpu_count(), os.listdir('.'))"
        is "$(grep -v '^3 ' "$scratch/seen" | sed 's/^[0-9] //; s/ *$//' | sort -u)" "passed: (1024, 1024) 0 True ['main.py']" "$1: the other tests"
        is "$(grep -c "no interpreter waits" "$scratch/seen")" 0 "$1: the third one was a fork"
    }
    hostile 'kills the interpreter' '[os.kill(p, 9) for p in others]'
    hostile 'stops it' '[os.kill(p, signal.SIGSTOP) for p in others]'
    hostile 'kills all' 'os.kill(-1, 9)'
    hostile 'a limit' '[resource.prlimit(p, resource.RLIMIT_NOFILE, (100, 100)) for p in others]'
    hostile 'a priority' '[os.setpriority(os.PRIO_PROCESS, p, 5) for p in others]'
    hostile 'processors' '[os.sched_setaffinity(p, {0}) for p in others]'
    hostile 'leaves a process' 'subprocess.Popen(["sleep", "100"], start_new_session=True, stdin=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)'
    hostile 'its memory' '[open(f"/proc/{p}/mem", "r+b") for p in others]'
    has "$(cat "$scratch/seen")" "3 runtime-error: PermissionError" "its memory cannot be opened"
    hostile 'its descriptors' '[os.open(f"/proc/{p}/fd/1", os.O_WRONLY) for p in others]'
    has "$(cat "$scratch/seen")" "3 runtime-error: PermissionError" "its descriptors cannot be opened"
    hostile 'ptrace' '[sys.exit(9) for p in others if ctypes.CDLL(None).ptrace(16, p, 0, 0) == 0]'
    has "$(cat "$scratch/seen")" "3 passed: " "it cannot be traced"
}

# attack NAME VARIABLES MB: the code of an attack of selftest, with the variables that it sets, for so much memory, as JSON.
attack() {
    perl -MJSON::PP -e '
        local $/;
        my $code = "import os\nos.environ.update(LIMIT_MEMORY_BYTES=str($ARGV[1] << 20), LIMIT_CPUS=\"0.5\", LIMIT_PIDS=\"64\", LIMIT_WORKDIR_BYTES=str(64 << 20),"
            . " LIMIT_TMP_BYTES=str(64 << 20), LIMIT_USERS=\"1900000-1965535\", LIMIT_NETLINK=\"0\", $ARGV[0])\n" . <STDIN>;
        print JSON::PP->new->allow_nonref->encode($code)' "$2" "$3" <"test/abuse/$1.py"
}

# No line of theirs says that they got through.
test_case 'attacks' && {
    attacks="supervisor_signals supervisor_ptrace supervisor_proc supervisor_rlimits fake_end_frame kill_all descriptors"
    [ -z "${SOAK-}" ] || attacks=$(cd test/abuse && echo *.py | sed 's/[.]py//g')
    for attack in $attacks; do
        timeout=$(sed -n 's/^# timeout: //p' "test/abuse/$attack.py")
        echo "{\"id\": \"$attack\", \"language\": \"python\", \"timeout_seconds\": ${timeout:-20}, \"entrypoint_code\": $(attack "$attack" 'COPY="0", TEST="0"' 256)}"
    done >"$scratch/lines"
    batch -j 2 "$scratch/lines"
    outcomes >"$scratch/cold"
    ready "$scratch/lines" python
    [ -n "${SOAK-}" ] || is "$(cut -d' ' -f1-5 "$scratch/ready")" "$(cut -d' ' -f1-5 "$scratch/cold")" "they end as in an interpreter of their own"
    # some of all attacks need limits that these lines do not have
    is "$(grep "got through: " "$scratch/ready" | cut -d' ' -f1)" "$([ -z "${SOAK-}" ] || grep "got through: " "$scratch/cold" | cut -d' ' -f1)" "none gets through"
}

# Attacks that look for what an earlier test has left, as forks; they may see the interpreter, a process more.
test_case 'attacks on later tests' && {
    for attack in left_behind left_labels left_memory left_metrics left_ports left_trees; do
        tests=$(seq 0 "$([ "$attack" = left_memory ] && echo 7 || echo 25)" | sed 's/.*/{"stdin": "&", "no_expected": true}/' | paste -sd,)
        echo "{\"id\": \"$attack\", \"language\": \"python\", \"timeout_seconds\": 20, \"memory_mb\": 96, \"entrypoint_code\": $(attack "$attack" 'COPY="0", TEST=input()' 96), \"tests\": [$tests]}"
    done >"$scratch/lines"
    batch -j 1 "$scratch/lines"
    is "$(results 'map { my $t = $_; my $s = "$t->{stdout}$t->{stderr}" =~ s/^got through: .*: processes is \[1, \d+, (\d+)\] instead of \[1, \1\]$//mr; "$r->{id} $t->{status} " . ($s =~ /got through/ ? $s : "held") } @{$r->{tests}}' | sort -u)" \
        "$(printf '%s passed held\n' left_behind left_labels left_memory left_metrics left_ports left_trees)" "none gets through"
}

finish
