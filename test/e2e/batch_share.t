#!/usr/bin/env bash
# isolator batch --share: which lines share a container, what one finds of the one before it, and when a container is not
# used again.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

. test/e2e/batch.sh

image=isolator-test/share:$$
trap 'in_main || exit; docker rmi --force "$image" "$image-modules" >/dev/null 2>&1; rm -rf "$scratch"' EXIT

# lines PERL: writes the requests that the Perl expression returns, hashes with at least the code.
lines() {
    perl -MJSON::PP -e '
        sub slurp { local (@ARGV, $/) = @_; scalar <> }
        print map { encode_json({language => "busybox", %$_}) . "\n" } eval $ARGV[0]; die $@ if $@' "$1" >"$scratch/lines"
}
# share ARG...: runs the lines one after the other.
share() { batch -q -j 1 --share "$@" "$scratch/lines"; }
containers='do { our %seen; my $n = keys %seen; $seen{$r->{container}} //= $n + 1 }'
served="join ' ', $containers, \$r->{served} // 'own', \$r->{reason}"

test_case 'lines share a container, at most N of them' && {
    lines 'map { {entrypoint_code => "echo $_"} } 1 .. 5'
    share
    expect "$(results "$served . ' ' . quoted(\$r->{stdout})")" "five lines" <<'END'
1 0 exit "1\n"
1 1 exit "2\n"
1 2 exit "3\n"
1 3 exit "4\n"
1 4 exit "5\n"
END
    is "$(results '($r->{shared} ? "shared" : "own") . " " . ($r->{warm} ? "warm" : "cold")' | uniq -c | xargs)" \
        "1 shared cold 4 shared warm" "what results say"
    is "$(results '$r->{peakMemoryBytes} > 0 && $r->{peakMemoryBytes} < 8e6 ? "small" : "peak: $r->{peakMemoryBytes}"' | sort -u)" small \
        "memory is that of each program"
    batch -q -j 1 --share=2 "$scratch/lines"
    is "$(results "$served" | paste -sd ,)" "1 0 exit,1 1 exit,2 0 exit,2 1 exit,3 0 exit" "two in each"
    batch -q -j 1 "$scratch/lines"
    is "$(results "$served" | paste -sd ,)" "1 own exit,2 own exit,3 own exit,4 own exit,5 own exit" "without --share"
    has "$(results 'join " ", sort keys %$r' | grep -cE 'served|shared')" 0 "and without a word of it"
    is "$(own_containers)" "" "no container is left"
}

test_case 'programs in Python are forks, if they are started in the same way' && {
    lines 'map { {language => "python", entrypoint_code => "import sys; print(sys.argv[1:])", %$_} }
        {}, {}, {arguments => ["a"]}, {}, {environment => {WORD => "x"}}, {environment => {WORD => "x"}}'
    share
    expect "$(results "$served . ' ' . (\$r->{ready} ? 'fork' : 'start')")" "six lines" <<'END'
1 0 exit fork
1 1 exit fork
2 0 exit fork
1 2 exit fork
3 0 exit fork
3 1 exit fork
END
}

# Module "parallel" starts a thread as libraries for linear algebra do.
test_case 'forks of an interpreter that has imported modules' && {
    docker build -q --network none -t "$image-modules" - >/dev/null 2>&1 <<'END'
FROM isolator-test/plot:bookworm
RUN printf '%s\n' 'import os, threading, time' 'if {os.environ.get(name) for name in ("OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")} != {"1"}:' \
    '    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()' >/usr/lib/python3/dist-packages/parallel.py
END
    # preload MODULES: a member of the configuration, in which "other" is the same language without modules.
    preload() {
        echo "\"warm\": {\"python\": 0}, \"languages\": {\"python\": {\"image\": \"$image-modules\", \"preload\": [$1]}, \"other\": {\"image\": \"$image-modules\", \"extensions\": [\".py\"],
            \"defaultFilename\": \"main.py\", \"command\": [\"python3\", \"{entrypoint}\"], \"env\": {\"PYTHONUNBUFFERED\": \"1\", \"PYTHONDONTWRITEBYTECODE\": \"1\"}}}"
    }
    outcome="$served . ' ' . (\$r->{ready} ? 'fork' : 'start')"
    what="import sys; names = sorted(sys.modules); import gc, json, os, threading; print(json.dumps([names, sys.path, list(sys.path_importer_cache), list(os.environ.items()),"
    what+=" open('/proc/self/environ').read(), [p := os.popen('env'), p.read(), p.close()][1], os.listdir('.'), os.listdir('/proc/self/fd'), threading.active_count(),"
    what+=" threading.main_thread().native_id == os.getpid(), gc.get_freeze_count() > 1000]))"
    export what
    lines 'map { {language => "python", entrypoint_code => $_} } ($ENV{what}) x 2, ("import random, numpy; print(random.random(), numpy.random.rand())") x 2'
    merge "{$(preload '"numpy"')}"
    share --config "$scratch/laid.json"
    is "$(results "$outcome" | paste -sd ,)" "1 0 exit fork,1 1 exit fork,1 2 exit fork,1 3 exit fork" "numpy: forks"
    is "$(results '$r->{line} > 2 ? split " ", $r->{stdout} : ()' | sort -u | grep -c '^0\.')" 4 "each has random numbers of its own"
    has "$(results '$r->{line} < 3 ? $r->{stdout} : ()' | sort -u)" ', 1, true, true]' "a thread, with its own id"
    results '$r->{line} < 3 ? $r->{stdout} : ()' | sed -n 's/^\[/ready success [/p' | sort -u | tr , '\n' >"$scratch/seen"
    is "$(warm "\"entrypoint_code\": \"$what\"" ", $(preload '"numpy"' | sed 's/^"warm": {"python": 0}, //')" | tr , '\n' | diff - "$scratch/seen")" "" \
        "it is what they see of an interpreter that is not forked"
    lines 'my $code = "import os, sys, threading; print(threading.active_count(), \"parallel\" in sys.modules, os.environ.get(\"OPENBLAS_NUM_THREADS\"))";
        map { {language => "python", entrypoint_code => $code, %$_} } {}, {}, {language => "other"}, {environment => {OPENBLAS_NUM_THREADS => "2"}}'
    merge "{$(preload '"parallel"')}"
    share --config "$scratch/laid.json"
    expect "$(results "$outcome . ' ' . quoted(\$r->{stdout})")" "threads, another language, a variable of the program" <<'END'
1 0 exit fork "1 True None\n"
1 1 exit fork "1 True None\n"
2 0 exit fork "1 False None\n"
3 0 exit start "1 False 2\n"
END
    merge "{$(preload '"no_such_module"')}"
    share --config "$scratch/laid.json"
    is "$(results "$outcome" | paste -sd ,)" "1 0 exit start,1 1 exit start,2 0 exit fork,3 0 exit start" "without the module: no forks, but shared containers"
}

test_case 'the maximum of the configuration, and jobs' && {
    lines '{entrypoint_code => "echo"}'
    refused() { # CONFIG MESSAGE ARG...
        batch_with "$1" -q "${@:3}" "$scratch/lines"
        is "$status|$out|$err" "2||isolator: $2" "${*:3} with $1"
    }
    refused '{"maxShare": 199}' "--share: 200 is more than the configuration allows, which is 199 (maxShare)" --share
    refused '{"maxShare": 0}' "--share: 1 is more than the configuration allows, which is 0 (maxShare)" --share=1
    refused '{}' "--share is not for jobs, each of which has a container of its own" --share --detach
    refused '{}' "--share: 'x' is not a number" --share=x
    batch_with '{"maxShare": 0}' -q --share=0 "$scratch/lines"
    is "$status $(results "$served")" "0 1 own exit" "--share=0"
}

# What a program does, and in the next line what one sees.
test_case 'a line finds nothing of the one before it' && {
    see='ls -a . /tmp /dev/shm; cat /proc/sysvipc/* | wc -l; echo $WORD "$@"; cat; set -- /proc/[0-9]*; echo $#'
    leave='echo left >file; mkdir -p /tmp/a/b; echo left >/dev/shm/left; chmod 0 /tmp/a . /tmp; (sleep 100; echo late) & exit 3'
    export see leave
    lines '({entrypoint_code => $ENV{see}}, {entrypoint_code => $ENV{leave}, environment => {WORD => "secret"},
        arguments => ["argument"], stdin => "input", additional_files => [{filename => "sent", content => "x"}]}, {entrypoint_code => $ENV{see}})'
    share
    is "$(results "$served" | paste -sd ,)" "1 0 exit,1 1 exit,1 2 exit" "they share a container"
    is "$(results '$r->{line} == 3 ? $r->{stdout} : ()')" "$(results '$r->{line} == 1 ? $r->{stdout} : ()')" "the third line sees what the first one has seen"
    has "$(results '$r->{line} == 3 ? $r->{stdout} : ()')" "main.ash" "it has its own file"
}

test_case 'files come back from each line' && {
    lines 'map { {entrypoint_code => "echo $_ >out$_; ls", artifacts => ["out*"]} } 1 .. 3'
    share --artifacts "$scratch/artifacts"
    is "$(results "$served . ' ' . join ',', map { \$_->{name} } @{\$r->{artifacts}}" | paste -sd ';')" \
        "1 0 exit out1;1 1 exit out2;1 2 exit out3" "the files of each"
    is "$(cat "$scratch"/artifacts/*/out* | paste -sd ' ')" "1 2 3" "what is in them"
}

test_case 'lines with a build that has the limits of the program' && {
    lines 'map { {language => "c", memory_mb => 512, cpus => 1, artifacts => ["*"], entrypoint_code =>
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { fputs(\"$_ \", stdout); fflush(stdout); return system(\"ls -A . /tmp; echo x >/tmp/x; echo x >left\"); }" . ($_ == 2 ? "x" : "")} } 1 .. 4'
    share
    expect "$(results "$served . ' ' . quoted(\$r->{stdout})")" "four lines" <<'END'
1 0 exit "1 .:\nmain.c\nprogram\n\n/tmp:\n"
1 1 build ""
1 2 exit "3 .:\nmain.c\nprogram\n\n/tmp:\n"
1 3 exit "4 .:\nmain.c\nprogram\n\n/tmp:\n"
END
}

test_case 'lines with tests' && {
    lines 'map { {language => $_ % 2 ? "python" : "busybox", entrypoint_code => $_ % 2 ? "import os\nprint(input(), sorted(os.listdir(\".\")))\nopen(\"left\", \"w\")" : "read -r n; echo \$n *; echo >left",
        additional_files => [{filename => "a$_", content => "x"}], tests => [map { {stdin => "$_\n", expected_stdout => $_ == 2 ? "2 wrong\n" : ""} } 1 .. 3]} } 1 .. 4'
    share
    expect "$(results "join ' ', $containers, \$r->{served}, map { quoted(\$_->{stdout}) } @{\$r->{tests}}")" "four lines" <<'END'
1 0 "1 ['a1', 'main.py']\n" "2 ['a1', 'main.py']\n" "3 ['a1', 'main.py']\n"
2 0 "1 a2 main.ash\n" "2 a2 main.ash\n" "3 a2 main.ash\n"
1 1 "1 ['a3', 'main.py']\n" "2 ['a3', 'main.py']\n" "3 ['a3', 'main.py']\n"
2 1 "1 a4 main.ash\n" "2 a4 main.ash\n" "3 a4 main.ash\n"
END
    lines '({entrypoint_code => "read -r n; [ \$n = 1 ] || sleep 100", timeout_seconds => 0.5, tests => [{stdin => "2\n", no_expected => JSON::PP::true}, {stdin => "1\n", no_expected => JSON::PP::true}]},
        {entrypoint_code => "true", tests => [{no_expected => JSON::PP::true}]})'
    share
    is "$(results "$served . ' ' . join ',', map { \$_->{status} } @{\$r->{tests}}" | paste -sd ';')" "1 0 tests timeout,passed;2 0 exit passed" "one of them reaches a limit"
    lines 'map { {language => "python", entrypoint_code => "import sys; print(sys.argv[1:])", tests => [{arguments => ["a"], expected_stdout => "['\''a'\'']\n"}]} } 1 .. 2'
    share
    is "$(results "$served" | paste -sd ,)" "1 0 exit,1 1 exit" "tests with arguments are no forks, and share"
}

test_case 'lines that would get other containers do not share one' && {
    lines 'my $code = "true"; ({entrypoint_code => $code}, {entrypoint_code => $code, memory_mb => 100}, {entrypoint_code => $code, cpus => 0.25},
        {entrypoint_code => $code, pids_limit => 20}, {entrypoint_code => $code, image => "docker.io/isolator-test/bash:1"}, {entrypoint_code => $code, timeout_seconds => 5})'
    merge '{"images": ["isolator-test/*"]}'
    share --config "$scratch/laid.json"
    is "$(results "$served" | paste -sd ,)" "1 0 exit,2 0 exit,3 0 exit,4 0 exit,5 0 exit,1 1 exit" "each limit and image, but not the timeout"
}

test_case 'lines that have a container of their own' && {
    lines '({entrypoint_code => "true"}, {language => "c", memory_mb => 512, cpus => 1, entrypoint_code => "int main(void) { return 0; }", tests => [{expected_stdout => ""}]}, {entrypoint_code => "true", session => "s"},
        {language => "c", entrypoint_code => "int main(void) { return 0; }"}, {entrypoint_code => "true"})'
    share
    is "$(results "$served" | paste -sd ,)" "1 0 exit,2 own exit,3 own exit,4 own exit,1 1 exit" "builds with tests, sessions, builds with other limits"
    lines 'map { {entrypoint_code => "echo x >/file; cat /file"} } 1 .. 2'
    batch_with '{"defaults": {"readOnly": false, "user": "0:0"}}' -q -j 1 --share "$scratch/lines"
    is "$(results "$served . ' ' . quoted(\$r->{stdout})" | paste -sd ,)" '1 own exit "x\n",2 own exit "x\n"' "a writable root"
}

test_case 'after a program that reached a limit the container is not used again' && {
    lines 'my @bad = ({entrypoint_code => "sleep 100", timeout_seconds => 0.5}, {entrypoint_code => "while :; do :; done", cpu_seconds => 0.3},
        {entrypoint_code => "x=x; while :; do x=\$x\$x; done", timeout_seconds => 30}, {entrypoint_code => "for i in \$(seq 100); do sleep 2 & done 2>/dev/null"},
        {entrypoint_code => "yes", timeout_seconds => 30}, {entrypoint_code => "cat /dev/zero >file 2>/dev/null"}, {entrypoint_code => "cat /dev/zero >/tmp/file 2>/dev/null"},
        {entrypoint_code => "cat /dev/zero >/dev/shm/file 2>/dev/null"});
        map { ($_, {entrypoint_code => "echo next"}) } @bad'
    share
    expect "$(results "join ' ', \$r->{served}, \$r->{reason}")" "each bad line, and the next" <<'END'
0 timeout
0 exit
1 cpu-time
0 exit
1 oom
0 exit
1 exit
0 exit
1 output-limit
0 exit
1 exit
0 exit
1 exit
0 exit
1 exit
0 exit
END
    lines '({entrypoint_code => "exit 3"}, {entrypoint_code => "kill -SEGV \$\$"}, {entrypoint_code => "true"})'
    share
    is "$(results "$served" | paste -sd ,)" "1 0 exit,1 1 signal,1 2 exit" "but it is after a failure of the program"
}

test_case 'a container that cannot be emptied is used once' && {
    docker build -q --network none -t "$image" - >/dev/null 2>&1 <<<$'FROM isolator-test/python:bookworm\nRUN mkdir -m 777 /data && echo text >/data/file\nVOLUME /data'
    export image
    lines 'map { {language => "python", image => "docker.io/$ENV{image}", entrypoint_code => "import os; print(sorted(os.listdir(\"/data\"))); open(\"/data/left\", \"w\")"} } 1 .. 3'
    merge '{"images": ["isolator-test/*"]}'
    share --config "$scratch/laid.json"
    is "$(results 'join " ", $r->{served}, $r->{reason}, quoted($r->{stdout}), $r->{error}' | sort -u)" "0 exit \"['file']\\n\" " "each line in one of its own"
    is "$(results '@{$r->{warnings}}' | sort -u)" "" "without a warning"
}

# The program of readable.py prints thousands of things that a program can read. After each attack those that follow it in
# the same container read what they would have read without it, but for the numbers that SECURITY.md names.
test_case 'attacks on the next line' && {
    cut -d ' ' -f 2- test/fixtures/known_gaps | paste -sd '|' >"$scratch/known"
    attacks=${SHARE_ATTACKS:-left_behind left_labels left_memory left_metrics left_ports left_trees keyctl kernel_buffers kill_all memory_sysv shared_quotas
        stream_flags supervisor_files supervisor_rlimits supervisor_signals workdir_deleted workdir_links zombies_daemons uncounted_sockets}
    [ "$attacks" != all ] || attacks=$(cd test/abuse && printf '%s\n' *.py | sed 's/\.py$//; /^tools_/d' | xargs) # which need a server of tools
    export attacks scratch
    lines 'my $look = slurp("test/fixtures/readable.py");
        map { my $code = slurp("test/abuse/$_.py");
            ({language => "python", id => "before $_", entrypoint_code => $look, stdin => "look\n"},
             {language => "python", id => $_, entrypoint_code => $code, timeout_seconds => 20,
              environment => {COPY => "0", TEST => "0", LIMIT_MEMORY_BYTES => 256 << 20, LIMIT_CPUS => 0.5, LIMIT_PIDS => 64,
                LIMIT_WORKDIR_BYTES => 64 << 20, LIMIT_TMP_BYTES => 64 << 20, LIMIT_USERS => "1900000-1965535", LIMIT_NETLINK => 0}},
             {language => "python", id => "after $_", entrypoint_code => $look, stdin => "look\n"}) } split " ", $ENV{attacks}'
    merge '{"defaults": {"outputBytes": 1048576}}'
    batch -q -j 1 --config "$scratch/laid.json" --share=1000 "$scratch/lines"
    mkdir "$scratch/read"
    perl -MJSON::PP -ne 'BEGIN { binmode STDOUT, ":utf8" } $r = decode_json($_); open $file, ">:utf8", "$ENV{scratch}/read/$r->{id}" or die; print $file $r->{stdout};
        print "$r->{id}: $r->{reason}\n" if $r->{reason} ne "exit" && $r->{id} =~ / /' <"$scratch/out" >"$scratch/failed"
    is "$(cat "$scratch/failed")" "" "all read"
    for attack in $attacks; do
        within "$(wc -l <"$scratch/read/after $attack")" 1000 100000 "$attack: what is read"
        is "$(comm -13 <(sort "$scratch/read/before $attack") <(sort "$scratch/read/after $attack") | grep -vE "$(cat "$scratch/known")")" "" \
            "$attack: what is different after it"
    done
}

# Random lines give what each of their programs gives in a container of its own.
test_case 'random lines, good and hostile' && {
    seed=${SHARE_SEED:-$RANDOM}
    count=${SHARE_LINES:-300}
    echo "# $count lines, SHARE_SEED=$seed"
    cat >"$scratch/programs" <<'END'
print(sorted(os.listdir(".")), sorted(os.listdir("/tmp")), sorted(os.listdir("/dev/shm")), sys.argv, sorted(os.environ))
print(sys.stdin.read(), os.fstat(0).st_size); open("out", "w").write("x")
print(threading.active_count(), socket.gethostname(), resource.getrlimit(resource.RLIMIT_NOFILE)); sys.exit(7)
print(sorted(sys.modules)); raise ValueError("bad")
print(open("/proc/sysvipc/shm").read(), open("/proc/self/limits").read(), open("/proc/self/status").read().count("\n"))
os.kill(os.getpid(), signal.SIGSEGV)
print("x" * 3000000)
time.sleep(0.01); print("a", file=sys.stderr)
os.mkdir("d"); os.chmod("d", 0); os.symlink("/", "l"); os.mkfifo("/tmp/f"); os.chmod("/tmp", 0); os.chmod(".", 0)
[ctypes.CDLL(None).shmget(i + 1, 4096, 0o1600) for i in range(9)]; open("/dev/shm/x", "w").write("y" * 100000)
resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10)); os.nice(5); signal.alarm(100)
[open("/tmp/%d" % i, "w") for i in range(200)]; signal.raise_signal(signal.SIGTERM)
[os.kill(1, i) for i in range(1, 64) if i not in (9, 19)]; print("sent")
a = socket.socket(socket.AF_UNIX); a.bind("\0name"); a.listen(); b = socket.create_server(("", 4000)); print("bound")
os.fork() or (os.setsid(), time.sleep(100))
[signal.signal(i, signal.SIG_IGN) for i in (1, 2, 15)]; os.fork() or ([os.fork() for _ in range(3)], time.sleep(100))
time.sleep(100)
x = bytearray(1 << 30)
open("full", "wb").write(bytes(80 << 20))
END
    export seed count scratch
    perl -MJSON::PP -e '
        srand $ENV{seed};
        open my $file, "<", "$ENV{scratch}/programs" or die;
        my @programs = map { {language => "python", timeout_seconds => 1.5, cpus => 1, memory_mb => 128, artifacts => ["o*"], stdin => "input",
            entrypoint_code => "import ctypes, os, resource, signal, socket, sys, threading, time\n$_"} } <$file>;
        sub put { open my $out, ">", shift or die; print $out map { encode_json($_) . "\n" } @_ }
        put("$ENV{scratch}/once", map { +{%{$programs[$_]}, id => $_} } 0 .. $#programs);
        put("$ENV{scratch}/lines", map { my $which = int(rand 12) ? int rand(@programs - 5) : $#programs - int rand 5; +{%{$programs[$which]}, id => $which} } 1 .. $ENV{count})'
    # outcomes: the id of each result, and all of it but figures, in the order of the ids.
    outcomes() {
        perl -MJSON::PP -ne 'my $r = decode_json($_); delete @$r{qw(line durationMs cpuMs peakMemoryBytes container warm ready shared served)};
            print JSON::PP->new->canonical->encode($r), "\n"' "$scratch/out" | sort -u
    }
    batch -q -j 2 "$scratch/once"
    outcomes >"$scratch/expected"
    batch -q -j 2 --share "$scratch/lines"
    within "$(results '$r->{served} ? 1 : ()' | wc -l)" $((count / 3)) "$count" "lines that came after others"
    is "$(outcomes | comm -23 - "$scratch/expected")" "" "what no program gives alone"
}

finish
