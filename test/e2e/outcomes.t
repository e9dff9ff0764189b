#!/usr/bin/env bash
# shellcheck disable=SC2016 # what stands in single quotes is for Perl and for the sandbox's shell
# How a program can end, and what it can do on its way: each is told apart from the others, none
# leaves anything behind.
. "$(dirname "$0")/lib.sh"

# ---- by itself
code sh 'echo out; echo err >&2; exit 3'
outcome "1 error 3 exit null program exited with status 3" "exit status 3"
is "$(field stdout)|$(field stderr)" "out|err" "exit status 3: both streams"
is "$(field imageTag)|$(field warnings)" "null|" "exit status 3: nothing saved, no warnings"

code sh true
outcome "0 success 0 exit null null" "no output"
is "$(fields stdout stderr stdoutBytes stderrBytes stdoutTruncated)" "  0 0 0" "no output: empty, not absent"

code sh 'exit 126'
outcome "1 error 126 exit null program exited with status 126" "exit status 126 is the program's"
code sh 'exit 255'
outcome "1 error 255 exit null program exited with status 255" "exit status 255"

# ---- by signals
code sh 'echo before; kill -SEGV $$'
outcome "1 error 139 signal SIGSEGV program was ended by signal SIGSEGV" "SIGSEGV"
is "$(field stdout)|$(field stderr)" "before|" "SIGSEGV: the output is the program's alone"
code py 'import os; os.abort()'
outcome "1 error 134 signal SIGABRT program was ended by signal SIGABRT" "SIGABRT"
code sh 'kill -TERM $$'
outcome "1 error 143 signal SIGTERM program was ended by signal SIGTERM" "SIGTERM"

# ---- 137 in four ways: what is not memory and not our doing is a signal
killed="1 error 137 signal SIGKILL program was ended by signal SIGKILL"
hog='x = []
while True: x.append(bytearray(1 << 20))'
code py "$hog" --memory 64
outcome "1 error 137 oom SIGKILL program ran out of memory (limit 64 MB)" "out of memory"
within "$(field peakMemoryBytes)" 60000000 67108864 "out of memory: the peak"
code py 'import os; os.kill(os.getpid(), 9)' --memory 64
outcome "$killed" "KILL by the program itself is not memory"
code sh 'exit 137'
outcome "$killed" "exit status 137 is not memory"
code py 'x = bytearray(50 << 20); print(len(x))' --memory 64
outcome "0 success 0 exit null null" "nearly all of the memory"

child="import subprocess, sys
print(subprocess.run(['python3', '-c', '''$hog''']).returncode, flush=True)"
code py "$child" --memory 64
outcome "0 success 0 exit null null" "a child runs out of memory"
is "$(field stdout)" -9 "a child runs out of memory: the program sees it"
is "$(field warnings)" \
    "memory ran out and the kernel killed a process, but the program ended with status 0" \
    "a child runs out of memory: the warning"
code py "$child
sys.exit(7)" --memory 64
outcome "1 error 7 oom null program ran out of memory (limit 64 MB)" "a child runs out of memory, the program fails"

# ---- timeouts
code sh 'echo part; echo part of stderr >&2; sleep 60; echo late' --timeout 1s
outcome "124 timeout 137 timeout SIGKILL program did not end within 1 s" "timeout"
is "$(field stdout)|$(field stderr)" "part|part of stderr" "timeout: what was written is kept"
within "$(field durationMs)" 1000 5000 "timeout: durationMs"
within "$(field peakMemoryBytes)" 100000 268435456 "timeout: what it used is known"
code sh 'trap "echo no" TERM INT HUP; while :; do :; done' --timeout 500ms
outcome "124 timeout 137 timeout SIGKILL program did not end within 0.5 s" "a busy program that ignores signals"
code sh 'exec >&- 2>&-; sleep 60' --timeout 500ms
outcome "124 timeout 137 timeout SIGKILL program did not end within 0.5 s" "closed streams do not hide it from the timeout"
code sh 'sleep 60 & sleep 60 & kill -STOP -1; kill -STOP $$' --timeout 1s
outcome "124 timeout 137 timeout SIGKILL program did not end within 1 s" "a program that stops everything"
gone "timeouts: nothing is left"

# ---- output
code py 'import sys
sys.stdout.write("a" * 1048576); sys.stderr.write("b" * 1048576)'
outcome "0 success 0 exit null null" "1 MiB on each stream"
is "$(fields stdoutBytes stderrBytes stdoutTruncated stderrTruncated)" "1048576 1048576 0 0" "1 MiB: kept whole"
is "$(json 'length($r->{stdout}) . " " . length($r->{stderr})')" "1048576 1048576" "1 MiB: the texts"

code py 'import sys
sys.stdout.write("H" + "a" * 1048575 + "T")'
outcome "0 success 0 exit null null" "1 MiB and a byte"
is "$(fields stdoutBytes stderrBytes stdoutTruncated stderrTruncated)" "1048577 0 1 0" "1 MiB and a byte: truncated"
is "$(json '$_ = $r->{stdout}; tr/a//d; $_')" "H
[... 1 bytes left out ...]
T" "1 MiB and a byte: head, what is missing, tail"

code py 'import sys
sys.stderr.write("H" * 600000 + "m" * 800000 + "T" * 600000)'
is "$(fields stderrBytes stderrTruncated stdoutTruncated)" "2000000 1 0" "2 MB on stderr: counted and truncated"
is "$(json '$_ = $r->{stderr}; s/^(H+)/length $1/e; s/(T+)$/length $1/e; $_')" "524288
[... 951424 bytes left out ...]
524288" "2 MB on stderr: half of the limit is head, half is tail"

code py 'print("a" * 512 + "b" * 90 + "c" * 512, end="")' --output-limit 1024
is "$(json '$_ = $r->{stdout}; s/^(a+)/length $1/e; s/(c+)$/length $1/e; $_')" "512
[... 90 bytes left out ...]
512" "a lower limit"

code py 'import sys
for i in range(500): sys.stdout.write("x" * 102400)'
outcome "0 success 0 exit null null" "51 MB are no flood"
is "$(fields stdoutBytes stdoutTruncated)" "51200000 1" "51 MB: all counted"

for stream in stdout stderr; do
    code py "import sys
sys.$stream.write('HEAD')
while True: sys.$stream.write('y' * 65536)"
    outcome "1 error 137 output-limit SIGKILL program wrote more than 64 MiB to one stream" "flood on $stream"
    within "$(field "${stream}Bytes")" 67108865 67239936 "flood on $stream: the count"
    is "$(field ${stream}Truncated)" true "flood on $stream: truncated"
    is "$(json "\$_ = \$r->{$stream}; s/(\d+) bytes/\$r->{${stream}Bytes} - \$1/e; s/(y{2,})/length \$1/ge; \$_")" \
        "HEAD524284
[... 1048576 left out ...]
524288" "flood on $stream: head and tail, and all others counted"
done
gone "floods: nothing is left"

code sh 'printf "a\377\376b\303" ; printf "\355\240\200" >&2'
outcome "0 success 0 exit null null" "bytes that are not UTF-8"
is "$(field stdout)" $'a\xef\xbf\xbd\xef\xbf\xbdb\xef\xbf\xbd' "not UTF-8: U+FFFD for each byte"
is "$(field stderr)" $'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' "not UTF-8: a surrogate"
is "$(fields stdoutBytes stderrBytes)" "5 3" "not UTF-8: the bytes are counted as they came"
code sh 'printf "a\000b\000"; printf "\000" >&2'
outcome "0 success 0 exit null null" "NUL bytes"
is "$(json 'join " ", map { sprintf "%vd", $_ } @$r{qw(stdout stderr)}')" "97.0.98.0 0" "NUL bytes are kept"
code py 'print("\33[31m\r\n\t\1\"\\\177", end="")'
is "$(json 'sprintf "%vd", $r->{stdout}')" 27.91.51.49.109.13.10.9.1.34.92.127 "control characters are kept"
is "$(tr -d '\177' <"$scratch/out" | grep -c '[[:cntrl:]]')" 0 "control characters are escaped in the JSON"

# ---- streams and processes
code sh 'exec >&- 2>&-; sleep 1; exit 5'
outcome "1 error 5 exit null program exited with status 5" "a program that closes its streams and goes on"
within "$(field durationMs)" 1000 20000 "closed streams: it was waited for"

code sh 'sleep 300 & echo done'
outcome "0 success 0 exit null null" "a child that holds the streams"
is "$(field stdout)" "done" "a child that holds the streams: stdout"
within "$(field durationMs)" 0 20000 "a child that holds the streams is not waited for"

code py 'import os, sys
for i in range(3):
    if os.fork() == 0:
        os.setsid()
        os.execvp("sleep", ["sleep", "31415926"])
if os.fork() == 0:
    while True: os.write(1, b"late\n")
print("done", flush=True)
sys.exit(4)'
outcome "1 error 4 exit null program exited with status 4" "children left behind"
within "$(field durationMs)" 0 20000 "children left behind are not waited for"
has "$(field stdout)" "done" "children left behind: the program's own output"
is "$(own_containers)" "" "children left behind: the container is gone at once"
is "$(grep -sl '3141592[6]' /proc/[0-9]*/cmdline)" "" "children left behind: they are gone"

code sh 'kill -9 -1; sleep 60'
outcome "$killed" "a program that kills everything"
code sh 'echo before; kill -9 $PPID; sleep 60'
outcome "$killed" "a program that kills its parent"
is "$(field stdout)" before "a program that kills its parent: what it wrote before"
code py 'import os, time
for signal in range(1, 32): os.kill(1, signal)
time.sleep(0.3)
print("alive")'
outcome "0 success 0 exit null null" "signals to process 1 do nothing"
is "$(field stdout)" alive "signals to process 1: the program goes on"
gone "killers: nothing is left"

# ---- The nonce of the gate's marks can be read in the sandbox, and the marks forged: a program can
# then lie about itself, as it always can, and that is all.
forge='import os, re, sys
nonce = re.search(rb"\0([0-9a-f]{32})\0", open("/proc/1/cmdline", "rb").read()).group(1)
def mark(stream, words): os.write(stream, b"\0" + nonce + b" " + words + b"\n")
'
code py "${forge}mark(1, b'end'); mark(2, b'end 0 0 0 0')
print('hidden', flush=True)
import time; time.sleep(60)"
outcome "0 success 0 exit null null" "a forged end ends the run"
is "$(field stdout)" "" "a forged end: nothing behind it counts"
code py "${forge}mark(2, b'end 999999999999999999999 -5 1e99 %s%n'); mark(1, b'end')
import time; time.sleep(60)" --timeout 1s
outcome "124 timeout 137 timeout SIGKILL program did not end within 1 s" "a forged end without sense is output like any other"
code py "${forge}mark(1, b'begin'); mark(2, b'ready'); mark(2, b'fail tools'); mark(1, b'x' * 200)
os.write(1, b'\0' + nonce); os.write(2, b'\0' + nonce + b' en')
sys.exit(6)"
outcome "1 error 6 exit null program exited with status 6" "other forged marks and halves of marks"
is "$(fields stdoutBytes stderrBytes)" "308 121" "other forged marks are the program's bytes"
code py 'open("/proc/1/oom_score_adj", "w").write("1000")
while True: bytearray(1 << 26)[::4096]; globals().setdefault("x", []).append(bytearray(1 << 24))' --memory 64
is "$(fields status)|$(own_containers)" "error|" "a program that has process 1 killed for memory"
gone "forged marks: nothing is left"

# ---- SIGINT and SIGTERM to isolator
waiting=$(snippet sh 'echo started; sleep 60')

start "$waiting"
# A signal that bash gets between fork and exec is lost.
until_true eval '[ "/proc/$pid/exe" -ef "$ISOLATOR" ]'
kill -TERM "$pid"
await
is "$status" 143 "SIGTERM at once: exit status"
[ -z "$out" ] || is "$(fields status exitCode reason)" "error -1 cancelled" "SIGTERM at once: JSON"

signalled() { # SIGNAL EXIT-STATUS WHERE
    kill -"$1" "$pid"
    await
    is "$(own_containers)" "" "SIG$1 $3: the container is gone"
    is "$status $(fields status exitCode reason)" "$2 error $4 cancelled" "SIG$1 $3"
}

for signal in INT:130 TERM:143; do
    faulty "create 1 slow" start "$waiting"
    until_true test -e "$calls/create.1"
    signalled "${signal%:*}" "${signal#*:}" "during create" -1
    is "$(field error)" "cancelled before the program ran" "SIG${signal%:*} during create: the message"

    faulty "start 1 slow" start "$waiting"
    until_true test -e "$calls/start.1"
    signalled "${signal%:*}" "${signal#*:}" "during start" -1

    start -v "$waiting"
    until_running
    signalled "${signal%:*}" "${signal#*:}" "while the program runs" 137
    is "$(field error)" "cancelled while the program ran" "SIG${signal%:*} while the program runs: the message"
    is "$(field stdout)" started "SIG${signal%:*} while the program runs: what it wrote is kept"
done

faulty "rm 1 slow" start prompts/hello_world.py
until_true test -e "$calls/rm.1"
kill -TERM "$pid"
await
outcome "0 success 0 exit null null" "SIGTERM during rm changes nothing"
is "$(own_containers)" "" "SIGTERM during rm: the container is gone"

start -v "$waiting"
until_running
kill -INT "$pid"
kill -INT "$pid"
kill -TERM "$pid"
await
is "$(fields status reason)|$(own_containers)" "error cancelled|" "many signals"

# Ctrl-C at a terminal goes to the process group: the docker commands are not in it.
setsid "$ISOLATOR" run -v "$waiting" </dev/null >"$scratch/out" 2>"$scratch/err" &
pid=$!
own_pids="$own_pids$pid "
until_running
# shellcheck disable=SC2046 # numbers
is "$(for child in $(children "$pid"); do [ "$(process_group "$child")" = "$pid" ] && echo "$child"; done)" "" \
    "the docker command is not in isolator's process group"
kill -INT -- "-$pid"
await
is "$status $(fields status exitCode reason stdout)" "130 error 137 cancelled started" "SIGINT to the process group"
is "$(own_containers)" "" "SIGINT to the process group: the container is gone"

mkfifo "$scratch/fifo"
sleep 60 >"$scratch/fifo" &
writer=$!
input=$scratch/fifo start --language bash -
sleep 1
signalled INT 130 "while stdin is read" -1
kill "$writer"

# ---- busybox: the gate under another shell, head and tar
code ash 'echo "hello $1 $FOO"; cat; echo err >&2' --env 'FOO=b  c' --stdin prompts/hello_world.py -- 'an argument'
outcome "0 success 0 exit null null" "busybox"
is "$(field stdout)" "hello an argument b  c
$(cat prompts/hello_world.py)" "busybox: argument, environment, stdin"
is "$(field stderr)|$(field warnings)" "err|" "busybox: stderr, no warnings"
within "$(field peakMemoryBytes)" 100000 268435456 "busybox: peakMemoryBytes"
within "$(field cpuMs)" 0 20000 "busybox: cpuMs"
code ash 'exit 3'
outcome "1 error 3 exit null program exited with status 3" "busybox: exit status"
code ash 'kill -SEGV $$'
outcome "1 error 139 signal SIGSEGV program was ended by signal SIGSEGV" "busybox: SIGSEGV"
is "$(field stderr)" "" "busybox: SIGSEGV: stderr is the program's alone"
code ash 'kill -9 -1; sleep 60'
outcome "$killed" "busybox: a program that kills everything"
code ash 'kill -9 $PPID; sleep 60'
outcome "$killed" "busybox: a program that kills its parent"
code ash 'sleep 300 & echo done'
outcome "0 success 0 exit null null" "busybox: a child that holds the streams"
code ash 'echo part; sleep 60' --timeout 1s
outcome "124 timeout 137 timeout SIGKILL program did not end within 1 s" "busybox: timeout"
is "$(field stdout)" part "busybox: timeout: what was written is kept"
code ash 'tail -c 100000000 /dev/zero' --memory 32
outcome "1 error 137 oom SIGKILL program ran out of memory (limit 32 MB)" "busybox: out of memory"
code ash yes
outcome "1 error 137 output-limit SIGKILL program wrote more than 64 MiB to one stream" "busybox: flood"
start -v "$(snippet ash 'echo started; sleep 60')"
until_running
signalled INT 130 "(busybox)" 137
gone "busybox: nothing is left"

# ---- an image without a shell: the plain life
less="the image lacks what the gate needs (sh, tar, head, rm, sleep): the working directory is \
read-only, memory and CPU time are not measured, environment values are visible to the engine's \
users, and the container outlives a killed isolator"
text=$(snippet txt 'the text')
run "$text" --env 'GREETING=hello  there' --stdin prompts/hello_world.py -- one 'two words'
outcome "0 success 0 exit null null" "no shell"
is "$(field stdout)" "--cat
${text##*/}
one
two words
hello  there
the text
$(cat prompts/hello_world.py)" "no shell: arguments, environment, file, stdin"
is "$(field warnings)" "$less" "no shell: the warning says what is not promised"
is "$(fields peakMemoryBytes cpuMs)" "null null" "no shell: what is not measured is null"
within "$(field durationMs)" 0 20000 "no shell: durationMs"
run "$text" -- --exit=3
outcome "1 error 3 exit null program exited with status 3" "no shell: exit status 3"
for number in 1 125 127; do # docker's own, too
    run "$text" -- --exit=$number
    outcome "1 error $number exit null program exited with status $number" "no shell: exit status $number"
done
run "$text" -- --write=x --write=/x
is "$(field stdout | tail -n 2)" "cannot write x: Permission denied
cannot write /x: Read-only file system" "no shell: nothing is writable"
run "$text" --timeout 2s -- --sleep=60
outcome "124 timeout 137 timeout SIGKILL program did not end within 2 s" "no shell: timeout"
has "$(field stdout)" "the text" "no shell: timeout: what was written is kept"
run "$text" -- --flood=200000000
outcome "1 error 137 output-limit SIGKILL program wrote more than 64 MiB to one stream" "no shell: flood"
within "$(field stdoutBytes)" 67108865 67239936 "no shell: flood: the count"
run "$text" -- --flood=2000000
is "$(fields stdoutBytes stdoutTruncated)" "2000050 1" "no shell: 2 MB: counted and truncated"
start -v "$text" -- --sleep=60
until_true eval 'docker top "$(own_containers)" >"$scratch/top" 2>&1'
docker kill "$(own_containers)" >"$scratch/kill"
await
outcome "$killed" "no shell: killed from outside"
start "$text" -- --sleep=60
until_true eval 'docker top "$(own_containers)" >"$scratch/top" 2>&1'
signalled TERM 143 "while the program runs (no shell)" 137

# A program that comes with the request, and its real signals.
cat >"$scratch/native.json" <<END
{"languages": {"native": {"image": "isolator-test/noshell:1", "command": ["./{entrypoint}", "-x"],
                          "extensions": [".bin"], "defaultFilename": "main.bin"}}}
END
cat >"$scratch/native.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    printf("%d %s\n", argc, argv[1]);
    fflush(stdout);
    if (argc > 2 && strcmp(argv[2], "segv") == 0)
        *(volatile int *)argc = 1;
    while (argc > 2 && strcmp(argv[2], "hog") == 0)
        memset(malloc(1 << 20), 1, 1 << 20);
    return 0;
}
END
gcc -static -w -o "$scratch/native.bin" "$scratch/native.c"
run --config "$scratch/native.json" "$scratch/native.bin"
outcome "0 success 0 exit null null" "no shell: a program that comes with the request"
is "$(field stdout)" "2 -x" "no shell: a program that comes with the request: stdout"
run --config "$scratch/native.json" "$scratch/native.bin" -- segv
outcome "1 error 139 signal SIGSEGV program was ended by signal SIGSEGV" "no shell: SIGSEGV"
run --config "$scratch/native.json" --memory 32 "$scratch/native.bin" -- hog
outcome "1 error 137 oom SIGKILL program ran out of memory (limit 32 MB)" "no shell: out of memory"

finish
