#!/usr/bin/env bash
# shellcheck disable=SC2016 # the dollars in single quotes are for Perl and for the shell in the container
# How a program can end and what it can do before: isolator tells each way from the others, and nothing is left
# behind. A container takes long on a slow machine, so one program does several things if they do not interfere.
# shellcheck source=test/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

killed="1 error 137 signal SIGKILL program was ended by signal SIGKILL"
flooded="1 error 137 output-limit SIGKILL program wrote more than 64 MiB to one stream"

# took COMMAND...: runs it; $took is how many ms it took.
took() {
    local began=${EPOCHREALTIME/./}
    "$@"
    took=$(((${EPOCHREALTIME/./} - began) / 1000))
}

# ---- exit statuses and signals

test_case 'exit status 137, signals to process 1, and closed streams' && {
    took code sh 'for signal in $(seq 31); do kill -$signal 1; done
sleep 1
echo alive; echo err >&2
exec >&- 2>&-
sleep 1
exit 137'
    outcome "1 error 137 exit null program exited with status 137" "exit status 137 is no signal, and not memory"
    is "$(field stdout)|$(field stderr)" "alive|err" "signals to process 1 do nothing"
    within "$(field durationMs)" 2000 "$took" "a program that closes its streams and goes on is waited for"
    is "$(field imageTag)|$(field warnings)" "null|" "nothing saved, no warnings"
}

test_case 'variables of the shell, the limit of threads, and output before process.exit()' && {
    run --pids-limit 20 "$(snippet py 'import os, threading, time
print([name for name in ("PWD", "OLDPWD", "SHLVL", "_") if name in os.environ], os.getcwd())
try:
    for _ in range(30): threading.Thread(target=time.sleep, args=(0.5,)).start()
except RuntimeError as error:
    print(error)')"
    is "$(field stdout)|$(field warnings)" "[] /workspace
can't start new thread|the limit of 20 processes and threads (pidsLimit, --pids-limit) kept 1 from starting" \
        "no variable that the shell in the container has set, and a warning of the limit"
    run "$(snippet js 'process.stdout.write("x".repeat(1000000)); process.exit()')"
    is "$(field stdoutBytes)" 1000000 "Node.js: output of less than 1 MiB is not lost"
}

test_case 'a segmentation fault of a program that leaves child processes' && {
    code sh 'for i in 1 2 3; do setsid sleep 27182818 & done
while :; do echo late; done &
printf "a\377\376b\355\240\200\000c\033[31m\r\n\t\001\"\\\\\177\303" >&2
echo "done"
kill -SEGV $$'
    outcome "1 error 139 signal SIGSEGV program was ended by signal SIGSEGV" "SIGSEGV of a program that leaves child processes"
    is "$(own_containers)" "" "child processes: the container is gone at once"
    is "$(grep -sl '2718281[8]' /proc/[0-9]*/cmdline)" "" "child processes: they are gone"
    has "$(field stdout)" "done" "child processes: the program's own output is there"
    is "$(json 'sprintf "%vd", $r->{stderr}') $(field stderrBytes)" "97.65533.65533.98.65533.65533.65533.0.99.\
27.91.51.49.109.13.10.9.1.34.92.127.65533 22" \
        "stderr is the program's alone: U+FFFD for each byte that is not UTF-8; NUL and control characters are kept"
    is "$(tr -d '\177' <"$scratch/out" | grep -c '[[:cntrl:]]')" 0 "control characters are escaped in the JSON"
}

test_case 'a program that kills everything it may' && {
    code sh 'sleep 1000000 & kill -9 -1; echo alive; kill -9 $$'
    outcome "$killed" "a program that kills everything, and then itself"
    is "$(field stdout)" "alive" "process 1 goes on"
}

test_case 'busybox: a program that kills its parent' && {
    code ash 'echo before; kill -9 $PPID; echo $PPID; exit 3'
    outcome "1 error 3 exit null program exited with status 3" "busybox: a program that kills its parent, process 1"
    is "$(field stdout)|$(field stderr)" "before
1|" "busybox: a program that kills its parent: it goes on"
}

test_case 'busybox: arguments, environment, stdin, and SIGTERM while the container is removed' && {
    faulty "run 1 status;rm 1 slow" start --env 'FOO=b  c' --stdin prompts/hello_world.py "$(snippet ash 'sleep 1000000 &
echo "hello $1 $FOO"; cat; echo err >&2')" -- 'an argument'
    until_true test -e "$calls/rm.1"
    kill -TERM "$pid"
    await
    outcome "0 success 0 exit null null" "busybox: a child that holds the streams is not waited for; SIGTERM during rm changes nothing"
    is "$(own_containers)" "" "SIGTERM during rm: the container is gone"
    is "$(field stdout)" "hello an argument b  c
$(cat prompts/hello_world.py)" "busybox: argument, environment, stdin"
    is "$(field stderr)|$(field warnings)" "err|" "busybox: stderr, no warnings"
    within "$(field peakMemoryBytes)" 100000 268435456 "busybox: peakMemoryBytes"
    within "$(field cpuMs)" 0 "$(($(field durationMs) + 1000))" "busybox: cpuMs" # of half a core
}

# ---- memory, and much output

test_case 'a child runs out of memory and the program fails' && {
    code sh 'head -c 100000000 /dev/zero | tail -c 100000000; exit 7' --memory 64 --timeout 10m
    outcome "1 error 7 oom null program ran out of memory (limit 64 MB)" "a child runs out of memory, the program fails"
    within "$(field peakMemoryBytes)" 60000000 67108864 "a child runs out of memory: the peak"
}

test_case 'busybox: the program runs out of memory' && {
    code ash 'exec tail -c 100000000 /dev/zero' --memory 32 --timeout 10m
    outcome "1 error 137 oom SIGKILL program ran out of memory (limit 32 MB)" "busybox: out of memory"
    is "$(field stderr)" "" "busybox: out of memory: stderr is the program's alone"
}

test_case 'what a program lacks: a warning says what helps' && {
    hint() { code "$1" "$2" --timeout 10m "${@:3}"; field warnings; echo; }
    expect "$(hint py 'import no_such_module.part'; hint py 'import socket; socket.getaddrinfo("web.test", 80)'
        hint py 'open("/tmp/a", "wb").write(bytes(2000000))' --tmp-size 1; hint ash 'exec tail -c 100000000 /dev/zero' --memory 32
        printf '1\nimport no_such_module\n' >"$scratch/cells"
        isolator session --language python --timeout 10m --json "$scratch/cells"; json '$r->{warnings}[0]')" "the warnings" <<'END'
the package 'no_such_module' is not in the image; to add it: isolator prepare python --network bridge --run 'pip install no_such_module'
this container has no network; --allow-host HOST allows a host
a disk of this container is full; raise --workdir-size or --tmp-size
for more memory, raise --memory
the package 'no_such_module' is not in the image; to add it: isolator prepare python --network bridge --run 'pip install no_such_module'
END
}

test_case 'a deep recursion, and one without an end' && {
    cat >"$scratch/deep.py" <<'END'
import functools, sys
@functools.lru_cache(None)
def sum_to(n): return 0 if n == 0 else n + sum_to(n - 1)
sys.setrecursionlimit(10**9)
print(sum_to(int(sys.argv[1])))
END
    run "$scratch/deep.py" -- 50000
    outcome "0 success 0 exit null null" "50000 levels need more than 8 MiB"
    is "$(field stdout)" 1250025000 "and come back"
    run --memory 64 --timeout 10m "$scratch/deep.py" -- -1
    outcome "1 error 137 oom SIGKILL program ran out of memory (limit 64 MB)" "the stack is memory"
}

test_case 'threads, each with a stack of that size' && {
    code py 'import resource, threading
barrier = threading.Barrier(61)
threads = [threading.Thread(target=barrier.wait) for _ in range(60)]
for thread in threads: thread.start()
barrier.wait()
for thread in threads: thread.join()
print(resource.getrlimit(resource.RLIMIT_STACK)[0])'
    outcome "0 success 0 exit null null" "60 threads at once"
    is "$(field stdout)" 268435456 "the stack may become as large as the memory"
    within "$(field peakMemoryBytes)" 1000000 60000000 "a thread uses what it touches"
    run --memory 16777216 "$(snippet py 'import threading; threading.Thread(target=print, args=("ran",)).start()')"
    is "$(field stdout)" ran "no stack is larger than the memory of the machine"
}

test_case 'the size of the stack: of the memory, and of the language' && {
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>); $config->{languages}{busybox}{stackMB} = 20;
        print encode_json($config)' <"$ISOLATOR_CONFIG" >"$scratch/stack.json"
    for with in "--memory 100" "--memory 100 --config $scratch/stack.json" "--memory 10 --config $scratch/stack.json"; do
        # shellcheck disable=SC2086 # words
        run $with "$(snippet ash 'ulimit -S -s')"
        field stdout
    done >"$scratch/sizes"
    expect "$(cat "$scratch/sizes")" "in kB; a stack is not larger than the memory" <<'END'
102400
20480
10240
END
    for memory in 30 40; do
        echo '{"language": "busybox", "entrypoint_code": "ulimit -S -s", "memory_mb": '"$memory}"
    done >"$scratch/lines"
    isolator batch -j 1 "$scratch/lines"
    is "$(grep -o '"stdout":"[0-9]*' "$scratch/out" | grep -o '[0-9]*$' | tr '\n' ' ')" "30720 40960 " \
        "lines of a batch, also in warm containers"
    echo 'import resource; print(resource.getrlimit(resource.RLIMIT_STACK)[0])' >"$scratch/cell"
    input=$scratch/cell isolator session -l python --memory 100
    is "$(cat "$scratch/out")" 104857600 "the interpreter of a session"
    isolator start --memory 100 --config "$scratch/stack.json" "$(snippet ash 'ulimit -S -s')"
    isolator wait "$(cat "$scratch/out")"
    is "$(field stdout)" 20480 "a job"
}

test_case 'a child runs out of memory, the program goes on and writes 51 MB' && {
    code py 'import subprocess, sys
x = bytearray(50 << 20)
x = None
hog = "x = []\nwhile True: x.append(bytearray(1 << 20))"
print(subprocess.run(["python3", "-c", hog]).returncode)
sys.stdout.write("a" * (1048576 - len("-9\n")))
sys.stderr.write("H" * 600000)
for i in range(50): sys.stderr.write("m" * 1000000)
sys.stderr.write("T" * 600000)' --memory 64 --timeout 10m
    outcome "0 success 0 exit null null" "nearly all of the memory, a child that runs out of it, 51 MB of output"
    is "$(field warnings)" \
        "memory ran out and the kernel killed a process, but the program ended with status 0" \
        "a child runs out of memory: the warning"
    is "$(json '$_ = $r->{stdout}; s/(a+)$/length $1/e; "$_ $r->{stdoutBytes} $r->{stdoutTruncated}"')" "-9
1048573 1048576 0" "a child runs out of memory: the program sees it, goes on, and 1 MiB is kept whole"
    is "$(json '$_ = $r->{stderr}; s/^(H+)/length $1/e; s/(T+)$/length $1/e; "$_ $r->{stderrBytes} $r->{stderrTruncated}"')" \
        "524288
[... 50151424 bytes left out ...]
524288 51200000 1" "51 MB: all counted, head and tail kept"
}

test_case 'busybox: a flood of output ends the program' && {
    code ash 'printf HEAD >&2; tr "\000" y </dev/zero >&2' --timeout 10m
    outcome "$flooded" "busybox: flood on stderr"
    within "$(field stderrBytes)" 67108865 67239936 "flood: the count"
    is "$(json '$_ = $r->{stderr}; s/(\d+) bytes/$r->{stderrBytes} - $1/e; s/(y{2,})/length $1/ge; "$_ $r->{stderrTruncated}"')" \
        "HEAD524284
[... 1048576 left out ...]
524288 1" "flood: head and tail, and all others counted"
}

# ---- timeouts

test_case 'a timeout of a program that closes its streams and stops everything' && {
    # Five seconds, so that the first output comes before the timeout even on a slow machine.
    code sh 'echo part; echo part of stderr >&2
exec >&- 2>&-
sleep 1000000 & kill -STOP -1; kill -STOP $$' --timeout 5s
    outcome "124 timeout 137 timeout SIGKILL program did not end within 5 s" \
        "timeout of a program that closes its streams and stops everything"
    is "$(field stdout)|$(field stderr)" "part|part of stderr" "timeout: the output is kept"
    within "$(field durationMs)" 5000 1000000 "timeout: durationMs"
    within "$(field peakMemoryBytes)" 100000 268435456 "timeout: the peak memory is known"
    is "$(own_containers)" "" "timeout: the container is gone"
}

test_case 'busybox: a timeout of a busy program that ignores signals' && {
    code ash 'echo part; trap "echo no" TERM INT HUP; while :; do :; done' --timeout 5s
    outcome "124 timeout 137 timeout SIGKILL program did not end within 5 s" \
        "busybox: timeout of a busy program that ignores signals"
    is "$(field stdout)" part "busybox: timeout: the output is kept"
}

# ---- CPU time

spent="124 timeout 137 cpu-time SIGKILL program used more than 0.5 s of CPU time"

test_case 'a program that has used up its CPU time' && {
    code sh 'echo part; while :; do :; done' --cpu-seconds 0.5 --timeout 10m
    outcome "$spent" "CPU time of a busy loop"
    is "$(field stdout)" part "CPU time: the output is kept"
    within "$(field cpuMs)" 500 3000 "CPU time: cpuMs"
    is "$(own_containers)" "" "CPU time: the container is gone"
}

test_case 'CPU time of child processes, and of a program that has ended' && {
    code sh 'for i in 1 2 3 4; do (while :; do :; done) & done; wait' --cpu-seconds .5 --timeout 10m
    outcome "$spent" "CPU time of children while the program waits"
    code sh 'while :; do (i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done); done' --cpu-seconds 0.5 --timeout 10m
    outcome "$spent" "CPU time of short-lived children"
}

# The kernel collects what such a program used beyond its limit of CPUs from process 1 too: for minutes, unless the limit
# is lifted. Each call reads 1 GiB into the same 1 MiB.
indebted='import ctypes, os, signal
print("begun", flush=True)
for _ in range(20):
    if os.fork() == 0:
        buffer = ctypes.create_string_buffer(1 << 20)
        vectors = (ctypes.c_size_t * 2048)(*[ctypes.addressof(buffer), 1 << 20] * 1024)
        while True:
            ctypes.CDLL(None).readv(os.open("/dev/urandom", os.O_RDONLY), vectors, 1024)
signal.pause()'

test_case 'a program that owes CPU time' && {
    perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, engineTimeoutSeconds => 60})' \
        <"$ISOLATOR_CONFIG" >"$scratch/minute.json"
    code py "$indebted" --config "$scratch/minute.json" --timeout 3s
    outcome "124 timeout 137 timeout SIGKILL program did not end within 3 s" "it ends"
    within "$(field cpuMs)" 100 1000000 "its CPU time is known"
    code py "$indebted" --config "$scratch/minute.json" --timeout 3s --cpu-seconds 0.5
    outcome "$spent" "its CPU time counts, also if that is noticed late"
}

test_case 'isolator is killed while its program owes CPU time' && {
    start --stream --timeout 10m "$(snippet py "$indebted")"
    until_true grep -q begun "$scratch/out"
    sleep 4
    kill -KILL "$pid"
    await 2>/dev/null
    gone "its container is gone"
}

test_case 'a program that sleeps uses no CPU time' && {
    code sh 'sleep 2; echo done' --cpu-seconds 1.5
    outcome "0 success 0 exit null null" "a program that sleeps longer than its CPU time"
}

# ---- forged frames: what a program writes is output, whatever it looks like

test_case 'frames that a program writes are output' && {
    code py 'import os, struct, sys
frames = b"".join(struct.pack("<IB3x", 64, kind) + bytes(64) for kind in range(20))
for fd in range(1024):
    try: os.write(fd, frames)
    except OSError: pass
for path in ["/proc/1/fd/%d" % fd for fd in range(64)] + ["/proc/1/stdout", "/dev/console", "/dev/tty"]:
    try: os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), frames)
    except OSError: pass
sys.exit(126)'
    outcome "1 error 126 exit null program exited with status 126" "frames on all descriptors"
    is "$(field stdoutBytes stderrBytes)" "1440 1440" "they are output of the program"
}

# ---- the streams of a program

test_case 'a program that makes its streams non-blocking loses nothing' && {
    seq 1000000 >"$scratch/lines"
    input=$scratch/lines code py 'import asyncio, os, sys
async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    open("made", "w").write("made")
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
asyncio.run(main())
assert not os.get_blocking(1)
sys.exit(5)' --interactive --artifacts "$scratch/back" --artifact made --timeout 10m
    outcome "1 error 5 exit null program exited with status 5" "asyncio: the status"
    is "$(field stdoutBytes stderr)" "6888896 " "asyncio: all of the output"
    is "$(cat "$scratch/back/made")" made "asyncio: the artifact"
    code js 'process.stdin.pipe(process.stdout); process.exitCode = 5' --stdin "$scratch/lines" --timeout 10m
    outcome "1 error 5 exit null program exited with status 5" "Node: the status"
    is "$(field stdoutBytes stderr)" "6888896 " "Node: all of the output"
}

test_case 'busybox: stdin that nobody reads, and 100 MB of stdin' && {
    head -c 100000000 /dev/zero >"$scratch/much"
    code ash 'sleep 1; echo "not read"' --stdin "$scratch/much" --workdir-size 100
    outcome "0 success 0 exit null null" "100 MB that nobody reads"
    is "$(field stdout)" "not read" "100 MB that nobody reads: the output"
    code ash 'exec <&-; sleep 1; echo closed' --stdin "$scratch/much" --workdir-size 100
    outcome "0 success 0 exit null null" "a program that closes its stdin"
    code ash 'wc -c' --stdin "$scratch/much" --workdir-size 100 --timeout 10m
    outcome "0 success 0 exit null null" "100 MB of stdin"
    is "$(field stdout)" "100000000" "100 MB of stdin: all of it arrives"
    rm -f "$scratch/much"
}

test_case 'the duration is measured where the program runs' && {
    code py 'import time
end = time.process_time() + 1
while time.process_time() < end: pass' --cpus 1 --timeout 10m
    outcome "0 success 0 exit null null" "a program that computes for a second"
    within "$(field cpuMs)" 900 600000 "cpuMs"
    within "$(field durationMs)" "$(($(field cpuMs) * 9 / 10))" 600000 "durationMs is no less than cpuMs"
}

# ---- SIGINT and SIGTERM to isolator; SIGTERM while the program runs is in container.t
waiting=$(snippet sh 'echo started; exec sleep 31415926')

# signalled SIGNAL EXIT-STATUS EXIT-CODE ERROR WHEN: sends the signal, which ends the run that `start` began.
signalled() {
    kill -"$1" "$pid"
    await
    is "$(own_containers)" "" "SIG$1 $5: the container is gone"
    is "$status $(field status exitCode reason error)" "$2 error $3 cancelled $4" "SIG$1 $5"
}
early="cancelled before the program ran"

test_case 'SIGTERM at once' && {
    start "$waiting"
    # A signal between fork and exec would go to bash and be lost. No pause: podman starts a program within 0.1 s.
    until [ "/proc/$pid/exe" -ef "$ISOLATOR" ] || ! kill -0 "$pid"; do :; done
    kill -TERM "$pid"
    await
    is "$status" 143 "SIGTERM at once: exit status"
    [ -z "$out" ] || is "$(field status exitCode reason)" "error -1 cancelled" "SIGTERM at once: JSON"
}

test_case 'SIGTERM while the container is created and started' && {
    faulty "run 1 slow" start "$waiting"
    until_true test -e "$calls/run.1"
    signalled TERM 143 -1 "$early" "during run"
}

test_case 'no shell: SIGINT while the container starts' && {
    faulty "start 1 hang" start "$(snippet txt text)"
    until_true test -e "$calls/start.1"
    signalled INT 130 -1 "$early" "during start"
}

test_case 'Ctrl-C on a terminal, which signals the whole process group' && {
    # The docker commands are not in this process group.
    setsid "$ISOLATOR" run "$waiting" </dev/null >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
    # The program sleeps after its output.
    until_true eval 'processes_of "$(own_containers)" 2>"$scratch/top" | grep -q "sleep 31415926"'
    # shellcheck disable=SC2046 # numbers
    is "$(for child in $(children "$pid"); do [ "$(process_group "$child")" = "$pid" ] && echo "$child"; done)" "" \
        "the docker command is not in isolator's process group"
    kill -INT -- "-$pid"
    await
    is "$status $(field status exitCode reason stdout error)" "130 error 137 cancelled started
 cancelled while the program ran" "SIGINT to the process group: the program's output is kept"
    is "$(own_containers)" "" "SIGINT to the process group: the container is gone"
}

test_case 'SIGINT while the program is read from stdin' && {
    mkfifo "$scratch/fifo"
    exec 9<>"$scratch/fifo"
    input=$scratch/fifo start --language bash -
    timeout 120 head -c 100000 /dev/zero >&9 # more than a pipe holds, so isolator has read some of it
    signalled INT 130 -1 "cancelled while stdin was read" "while stdin is read"
    exec 9>&-
}

# ---- an image without a shell; more of it is in container.t
text=$(snippet txt 'the text')

test_case --quick 'no shell: exit status, arguments, environment, files and stdin' && {
    took run "$text" --timeout 10m --env 'GREETING=hello  there' --stdin prompts/hello_world.py -- \
        one 'two words' --write=x --write=/x --exit=125
    outcome "1 error 125 exit null program exited with status 125" "no shell: exit status 125, which docker uses too"
    is "$(field stdout)" "--cat
${text##*/}
one
two words
--write=x
--write=/x
--exit=125
hello  there
the text
wrote x
cannot write /x: Read-only file system
$(cat prompts/hello_world.py)" "no shell: arguments, environment, file, stdin; the working directory is writable"
    is "$(field warnings)" "" "no shell: no warnings"
    within "$(field durationMs)" 1 "$took" "no shell: durationMs"
}

test_case 'no shell: a timeout' && {
    run "$text" --timeout 2s -- --sleep=1000000
    outcome "124 timeout 137 timeout SIGKILL program did not end within 2 s" "no shell: timeout"
    has "$(field stdout)" "the text" "no shell: timeout: the output is kept"
}

test_case --quick 'no shell: a flood of output' && {
    run "$text" --timeout 10m -- --flood=200000000
    outcome "$flooded" "no shell: flood"
    within "$(field stdoutBytes)" 67108865 67239936 "no shell: flood: the count"
}

# A native program that comes with the request and ends by real signals.
cat >"$scratch/native.json" <<END
{"containerCommand": "$engine_command", "engineTimeoutSeconds": 300,
 "languages": {"native": {"image": "isolator-test/noshell:1", "command": ["./{entrypoint}", "-x"],
                          "extensions": [".bin"], "defaultFilename": "main.bin"}}}
END
cat >"$scratch/native.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int status = 0;

    printf("%d %s\n", argc, argv[1]);
    fflush(stdout);
    if (argc > 2 && strcmp(argv[2], "segv") == 0)
        *(volatile int *)argc = 1;
    if (argc > 2 && strcmp(argv[2], "hog") == 0) {
        if (fork() == 0)
            for (;;)
                memset(malloc(1 << 20), 1, 1 << 20);
        wait(&status);
    }
    return status ? 128 + WTERMSIG(status) : 0;
}
END
gcc -static -w -o "$scratch/native.bin" "$scratch/native.c"

test_case 'no shell: a segmentation fault' && {
    run --config "$scratch/native.json" --timeout 10m "$scratch/native.bin" -- segv
    outcome "1 error 139 signal SIGSEGV program was ended by signal SIGSEGV" "no shell: SIGSEGV"
    is "$(field stdout)" "3 -x" "no shell: a program that comes with the request: stdout"
}

test_case 'a command that the image cannot execute' && {
    cat >"$scratch/commands.json" <<END
{"containerCommand": "$engine_command", "engineTimeoutSeconds": 300,
 "languages": {
    "none": {"image": "isolator-test/busybox:1", "command": ["no-such-command", "{entrypoint}"], "extensions": [".a"], "defaultFilename": "a"},
    "data": {"image": "isolator-test/busybox:1", "command": ["/etc/passwd", "{entrypoint}"], "extensions": [".b"], "defaultFilename": "b"},
    "noshell": {"image": "isolator-test/noshell:1", "command": ["/none", "{entrypoint}"], "extensions": [".c"], "defaultFilename": "c"}}}
END
    for case in "none|no-such-command' in the image 'isolator-test/busybox:1': No such file or directory" \
        "data|/etc/passwd' in the image 'isolator-test/busybox:1': Permission denied" \
        "noshell|/none' in the image 'isolator-test/noshell:1': No such file or directory"; do
        run --config "$scratch/commands.json" --language "${case%%|*}" "$text"
        outcome "3 error -1 command null cannot execute '${case#*|}" "${case%%|*}"
        is "$(field stdoutBytes durationMs cpuMs peakMemoryBytes)" "0 0 null null" "${case%%|*}: nothing ran"
    done
}

test_case 'no shell: the program runs out of memory' && {
    run --config "$scratch/native.json" --timeout 10m --memory 32 "$scratch/native.bin" -- hog
    outcome "1 error 137 oom null program ran out of memory (limit 32 MB)" "no shell: out of memory, in a child"
}

finish
