#!/usr/bin/env bash
# Every option of `isolator run`, in its usual forms: what it does on the engine, and what is refused.
# shellcheck source=test/e2e/lib.sh disable=SC2016 # dollars in single quotes are the programs'
. "$(dirname "$0")/lib.sh"

probe=test/fixtures/probe.py
debian=isolator-test/python:bookworm # has bash; test/setup builds it everywhere
mine=isolator-test/options-$$        # images that are made here
network=isolator-options-$$
languages="python, go, javascript, bash, busybox, noshell"

clean_up() {
    docker image rm -f "$mine:saved" "$mine:built" "$mine:names" "$mine:failed" >/dev/null 2>&1
    docker network rm "$network" >/dev/null 2>&1
    rm -rf "$scratch"
}
trap clean_up EXIT

# maximum KEY NUMBER: the path of a configuration that allows no more. What a request asks for shows
# in the refusal, so that no engine is needed to see how an option was understood.
maximum() {
    printf '{"maximums": {"%s": %s}}' "$1" "$2" >"$scratch/$1.json"
    echo "$scratch/$1.json"
}

# probed EXPECTED NAME ARG...: what the probe prints under these options.
probed() {
    local expected=$1 name=$2
    shift 2
    run "$@"
    is "$(field stdout) $(field error)" "$expected null" "$name"
}

# ---- help and version
isolator --version
is "$status|$out|$err" "0|isolator 0.1.0|" "isolator --version"
isolator --help
is "$status|${out%%$'\n'*}|$err" "0|usage: isolator COMMAND [ARG...]|" "isolator --help"
has "$out" "  run      run a file or a directory in a fresh container" "isolator --help lists run"
run --help
is "$status|${out%%$'\n'*}|$err" "0|usage: isolator run [OPTIONS] [FILE] [-- ARG...]|" "isolator run --help"
is "$(printf '%s\n' "$out" | sed -nE 's/^  ((-., )?|    )(--[a-z-]+).*/\2\3/p' | sort -k2 | tr '\n' ' ')" \
    "--cap-drop --config --container-workdir --env --image --network --output-limit --pids-limit \
--read-only --runtime --save-dockerfile --save-image --stdin --stream --tmp-size --user --workdir-size \
-c, --cpus -d, --dir -e, --entrypoint -h, --help -l, --language -m, --memory -t, --timeout -v, --verbose " \
    "isolator run --help has every option"
run -h
is "$status|${out%%$'\n'*}" "0|usage: isolator run [OPTIONS] [FILE] [-- ARG...]" "-h"

# ---- what is not known
isolator
is "$status|$out|$err" "2||isolator: no command; see isolator --help" "no command"
isolator rnu
is "$status|$out|$err" "2||isolator: unknown command 'rnu'; did you mean 'run'?" "a command misspelt"
isolator frobnicate
is "$status|$out|$err" "2||isolator: unknown command 'frobnicate'; see isolator --help" "no command at all"
refused "unknown option '--memroy'; did you mean --memory?" "an option misspelt" --memroy 5 "$probe"
refused "unknown option '--read-onyl=false'; did you mean --read-only?" "one with a value" --read-onyl=false
refused "unknown option '--frobnicate'; see isolator run --help" "no option at all" --frobnicate "$probe"
refused "unknown option '-x'; see isolator run --help" "a letter that is none" "$probe" -x
refused "option '--env' needs a value" "a long option without its value" "$probe" --env
refused "option '-t' needs a value" "a letter without its value" "$probe" -t

# ---- options that disagree
d=$scratch/d
mkdir -p "$d/sub"
refused "FILE and --dir exclude each other; name the program in --dir with --entrypoint" \
    "FILE with --dir" "$probe" --dir "$d"
refused "FILE and --dir exclude each other; name the program in --dir with --entrypoint" \
    "- with --dir" - -l python --dir "$d"
refused "nothing to run; give a FILE, - or --dir" "neither" -l python
refused "nothing to run; give a FILE, - or --dir" "arguments only" -l python -- x
refused "--entrypoint needs --dir" "--entrypoint with FILE" "$probe" --entrypoint x.py
refused "--dir needs --entrypoint, or --language to run its default file" "--dir alone" --dir "$d"
refused "a program from stdin needs --language" "- alone" -
refused "program and --stdin cannot both come from isolator's stdin" "- twice" - -l python --stdin -
refused "--save-dockerfile needs a FILE or --dir to copy from" "--save-dockerfile of stdin" \
    - -l python --save-dockerfile "$scratch/Dockerfile"
refused "one FILE only, and 'b.py' is a second; the program's arguments go behind --" "two FILEs" a.py b.py

# ---- bad numbers, for each option that takes one
bad_numbers() { # OPTION RANGE
    local option=$1 range=$2 number
    for number in NaN 1e309 -5 5x ''; do
        refused "$option: '$number' is not a number" "$option '$number'" "$option" "$number" "$probe"
    done
    refused "$option must be $range" "$option 0" "$option=0" "$probe"
}
bad_numbers --memory "from 6 to 16777216 MB"
bad_numbers --cpus "from 0.01 to 4096"
bad_numbers --pids-limit "from 8 to 4194304"
bad_numbers --workdir-size "from 1 to 1048576 MB"
bad_numbers --tmp-size "from 1 to 1048576 MB"
bad_numbers --output-limit "from 1024 to 67108864 bytes"
for number in NaN 1e309 1e309s -5s 5x 0 5 ''; do
    refused "--timeout: '$number' is not a duration; write it like 500ms, 1.5s, 1m30s or 1h" \
        "--timeout '$number'" --timeout "$number" "$probe"
done
refused "--timeout: '0s' must be more than 0 and less than a year" "--timeout 0s" --timeout=0s "$probe"
refused "--timeout: '9999h' must be more than 0 and less than a year" "--timeout 9999h" -t 9999h "$probe"
refused "--memory must be a whole number" "--memory 64.5" -m 64.5 "$probe"

# A message stays one line, whatever the value.
for option in --memory --timeout --read-only --runtime --env --user --cap-drop --image --config; do
    run "$option=a"$'\n'b "$probe"
    is "$status|$out|$(wc -l <"$scratch/err")" "2||1" "$option with a line break: one line on stderr"
done

# ---- the defaults, and all limits changed at once
all="swap=0 net=lo root=ro capbnd=0000000000000000 capeff=0000000000000000"
names=(swap net root capbnd capeff memory cpus pids user owner workdir tmp cwd files)
probed "$all memory=268435456 cpus=0.5 pids=64 user=65534:65534 owner=65534:65534 workdir=67108864 \
tmp=67108864 cwd=/workspace files=probe.py" "no option: the defaults; FILE alone is sent" \
    "$probe" -- "${names[@]}"
probed "$all memory=67108864 cpus=0.25 pids=32 user=1000:1001 owner=1000:1001 workdir=8388608 \
tmp=4194304 cwd=/srv/here files=probe.py" "every limit changed" \
    -m64 -c0.25 --pids-limit 32 --user 1000:1001 --workdir-size=8 --tmp-size 4 --runtime docker \
    --container-workdir /srv/here --network none --read-only --cap-drop ALL -t1h -lpython \
    "$probe" -- "${names[@]}"

# ---- --memory
for form in "--memory 64" "--memory=64" "-m 64" "-m64"; do
    # shellcheck disable=SC2086 # a form is one word or two
    probed "memory=67108864 swap=0" "$form" $form "$probe" -- memory swap
done
run -m 32 "$(snippet py 'x = bytearray(100 << 20)')"
is "$status $(field status) $(field reason) $(field error)" \
    "1 error oom program ran out of memory (limit 32 MB)" "--memory 32: more is an OOM kill"

# ---- --cpus
for form in "--cpus 0.25" "--cpus=0.25" "-c .25" "-c0.250"; do
    # shellcheck disable=SC2086
    refused "cpus 0.25 is more than the configuration allows (maximums.cpus: 0.01)" "$form" \
        $form --config "$(maximum cpus 0.01)" "$probe"
done

# ---- --timeout
while read -r form seconds; do
    # shellcheck disable=SC2086
    refused "timeoutSeconds $seconds s is more than the configuration allows \
(maximums.timeoutSeconds: 0.001)" "$form" ${form/_/ } --config "$(maximum timeoutSeconds 0.001)" "$probe"
done <<'END'
--timeout_500ms 0.5
--timeout=1.5s 1.5
-t_1m30s 90
-t1h 3600
-t_1h1m1.5s 3661.5
END
for timeout in 500ms 1.5s 1m30s 1h; do
    run --timeout "$timeout" "$(snippet ash 'echo in time')"
    is "$status $(field stdout)" "0 in time" "--timeout $timeout: a program that is faster"
done
run -t 300ms "$(snippet ash 'echo before; sleep 600; echo after')"
is "$status $(field status) $(field reason) $(field stdout) $(field error)" \
    "124 timeout timeout before program did not end within 0.3 s" "--timeout 300ms: a program that is slower"
within "$(field durationMs)" 300 15000 "--timeout 300ms: durationMs"

# ---- --pids-limit
run --pids-limit=16 "$(snippet py 'import os, time
forks = 0
try:
    while True:
        if os.fork() == 0: time.sleep(600)
        forks += 1
except BlockingIOError:
    print(10 < forks < 16)')"
is "$status $(field stdout)" "0 True" "--pids-limit 16: no more processes"

# ---- --network
probed "net=eth0,lo" "--network bridge" --network bridge "$probe" -- net
docker network create "$network" >/dev/null
probed "net=eth0,lo" "--network=NAME, one of the engine" "--network=$network" "$probe" -- net
way_out="would lift the isolation; use none, bridge or a network of the engine"
refused "--network: network 'host' $way_out" "--network host" --network host "$probe"
refused "--network: network 'container:x' $way_out" "--network container:" --network=container:x "$probe"
refused "--network: '-x' is not the name of a network; use none, bridge or a network of the engine" \
    "--network -x" --network -x "$probe"
run --network isolator-no-such "$probe"
is "$status $(field reason) $(field exitCode) $(field error)" \
    "3 engine -1 cannot start the container: Error response from daemon: network isolator-no-such not found" "--network: one that is not there"
is "$(field stderr) $(field stderrBytes) $(field durationMs)" " 0 0" "that is not the program's output"
is "$(field warnings)" "" "and no reason to warn of the image"

# ---- --read-only
write='for path in ("/written", "written", "/tmp/written"):
    try:
        open(path, "w").close()
        print("written")
    except OSError as error:
        print(error.strerror)'
for form in --read-only --read-only=true; do
    run --user 0 "$form" "$(snippet py "$write")"
    is "$(field stdout)" "Read-only file system
written
written" "$form"
done
run --user 0 --read-only=false "$(snippet py "$write")"
is "$(field stdout)" "written
written
written" "--read-only=false"
refused "--read-only: 'no' is not true or false" "--read-only=no" --read-only=no "$probe"

# ---- --cap-drop
probed "capbnd=0000000000000000 capeff=0000000000000000 user=0:0" "no --cap-drop: none is left, even for root" \
    --user 0 "$probe" -- capbnd capeff user
# The engine's default is a80425fb; CHOWN is bit 0, NET_RAW bit 13, MKNOD bit 27.
probed "capbnd=00000000a00405fa capeff=00000000a00405fa" "--cap-drop: a list, repeated" \
    --user 0 --cap-drop NET_RAW,mknod --cap-drop=CAP_CHOWN "$probe" -- capbnd capeff
refused "--cap-drop: 'ALL,' is not a list of capabilities, like ALL or NET_RAW,MKNOD" "--cap-drop ALL," \
    --cap-drop ALL, "$probe"

# ---- --runtime
refused "--runtime: 'podman' is not supported; the one there is: docker" "--runtime podman" \
    --runtime podman "$probe"

# ---- --user
probed "user=1234:1234 owner=1234:1234" "--user UID" --user=1234 "$probe" -- user owner
refused "--user: 'root' is not a user; write numbers up to 2097151, like 65534 or 1000:1000" "--user root" \
    --user root "$probe"

# ---- --workdir-size and --tmp-size
run --workdir-size 2 --tmp-size=3 "$(snippet py 'import os
for path in ("fill", "/tmp/fill"):
    file, size = open(path, "wb", 0), 0
    try:
        while True: size += file.write(b"x" * 4096)
    except OSError as error:
        print(size, error.strerror)')"
set -- $(field stdout | cut -d ' ' -f 1)
within "$1" 1048576 2093056 "--workdir-size 2, less the program's page and the gate's shell, can be written"
is "$2" 3145728 "--tmp-size 3 can be written"
is "$(field stdout | cut -d ' ' -f 2- | sort -u)" "No space left on device" "and no more"

# ---- --output-limit
run --output-limit 1024 "$(snippet py 'import sys
sys.stdout.write("a" * 2500 + "z" * 2500)
sys.stderr.write("e" * 1024)')"
is "$(field stdout)" "$(printf '%0512d\n[... 3976 bytes left out ...]\n' 0 | tr 0 a)
$(printf '%0512d' 0 | tr 0 z)" "--output-limit 1024: head, tail and what is missing"
is "$(field stdoutBytes) $(field stdoutTruncated)" "5000 true" "the true count"
is "$(field stderr) $(field stderrBytes) $(field stderrTruncated)" "$(printf '%01024d' 0 | tr 0 e) 1024 false" \
    "a stream of just the limit is whole"

# ---- --language
printf 'echo "$0 ${BASH_VERSION%%%%.*}"\n' >"$scratch/script"
refused "cannot tell the language of 'script'; give --language ($languages)" "no --language, no extension" \
    "$scratch/script"
for form in "--language klingon" "--language=klingon" "-l klingon" "-lklingon"; do
    # shellcheck disable=SC2086
    refused "unknown language 'klingon'; known are: $languages" "$form" $form "$probe"
done
run -l bash "$scratch/script"
is "$(field stdout)" "main.sh 5" "-l bash: by the language's default name"
echo 'echo "$0 ${BASH_VERSION%%.*}"' >"$d/main.sh"
run --dir "$d" --language=bash
is "$(field stdout)" "main.sh 5" "--dir with --language: the language's default file"

# ---- --dir and --entrypoint
echo 'import sys; sys.path.append("."); import other; print(*sys.argv, open("data").read(), other.name)' >"$d/sub/a.py"
echo 'name = "other"' >"$d/other.py"
printf 'data' >"$d/data"
for form in "--dir $d --entrypoint sub/a.py" "--dir=$d --entrypoint=sub/a.py" "-d $d -e sub/a.py" "-d$d -esub/a.py"; do
    # shellcheck disable=SC2086
    run $form -- x
    is "$(field stdout)" "sub/a.py x data other" "${form//$d/DIR}"
done
run -d "$d/nothing" -e a.py
is "$status $(field reason) $(field error)" \
    "2 input cannot open the directory '$d/nothing': No such file or directory" "--dir: one that is not there"
run -d "$d" -e nothing.py
is "$status $(field reason) $(field error)" \
    "2 input cannot find the entrypoint 'nothing.py': No such file or directory" "--entrypoint: one that is not there"

# ---- --container-workdir
for path in srv / /srv/ /a/../b; do
    refused "'$path' is not a working directory; write an absolute path like /workspace" \
        "--container-workdir $path" --container-workdir "$path" "$probe"
done
refused "'/etc/x' cannot be the working directory: it lies in the system's /etc" "--container-workdir /etc/x" \
    --container-workdir=/etc/x "$probe"

# ---- --image
which=$(snippet ash '[ -e /etc/debian_version ] && echo Debian || echo none')
run "$which"
is "$(field stdout) $(field image)" "none isolator-test/busybox:1" "no --image: the language's"
run --image "$debian" "$which"
is "$(field stdout) $(field image)" "Debian $debian" "--image"
refused "'-x' is not an image, like name:tag" "--image -x" --image=-x "$probe"

# ---- --env
show=$(snippet py 'import os, sys
for name in sys.argv[1:]: print(name, ascii(os.environ.get(name)))')
export PASSED_ON=$'from here\n' EMPTY=
run --env TEXT=$'a=b "c" \'d\'\n$(id) \\ \xc3\xa9' --env=PASSED_ON --env EMPTY --env TWICE=1 --env TWICE=2 \
    --env PYTHONUNBUFFERED=2 --env HOME=/nowhere "$show" -- TEXT PASSED_ON EMPTY TWICE \
    PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE HOME OTHER
is "$(field stdout)" "TEXT 'a=b \"c\" \\'d\\'\\n\$(id) \\\\ \\xe9'
PASSED_ON 'from here\\n'
EMPTY ''
TWICE '2'
PYTHONUNBUFFERED '2'
PYTHONDONTWRITEBYTECODE '1'
HOME '/nowhere'
OTHER None" "--env KEY=VALUE and --env KEY; the last wins, the language's others stay"
refused "variable 'OPTIND' cannot be given: shells keep it for themselves" \
    "--env with a name that means something to a shell" --env OPTIND=abc "$show"
unset NOT_HERE
refused "--env: 'NOT_HERE' is not set in the environment" "--env KEY that is not set" --env NOT_HERE "$probe"
for name in 1A A-B ''; do
    refused "'$name' is not the name of an environment variable: letters, digits, _" "--env '$name=x'" \
        --env "$name=x" "$probe"
done

# ---- --stdin
head=$(snippet py 'import sys; text = sys.stdin.read(); print(len(text), ascii(text[:6]))')
printf 'one\ntwo\n' >"$scratch/input"
input=$scratch/input
run "$head"
is "$(field stdout)" "0 ''" "no --stdin: empty, not isolator's"
run --stdin - "$head"
is "$(field stdout)" "8 'one\\ntw'" "--stdin -"
unset input
run --stdin="$scratch/input" "$head"
is "$(field stdout)" "8 'one\\ntw'" "--stdin FILE"
head -c 2000000 /dev/zero >"$scratch/large"
run --stdin "$scratch/large" "$head"
is "$(field stdout)" "2000000 '\\x00\\x00\\x00\\x00\\x00\\x00'" "--stdin: a large file"
input=$scratch/large
run --stdin - --workdir-size 1 "$head"
is "$status $(field reason) $(field error)" "2 input stdin is larger than 1048576 bytes" "--stdin is bounded"
unset input
run --stdin "$scratch/nothing" "$head"
is "$status $(field reason) $(field error)" \
    "2 input cannot open '$scratch/nothing': No such file or directory" "--stdin: a file that is not there"

# ---- FILE, -, and the arguments of the program
input=$(snippet py 'import os, sys; print(sys.argv, os.listdir("."))')
run - -l python -- x
is "$(field stdout)" "['main.py', 'x'] ['main.py']" "- reads the program from stdin"
run --stdin "$scratch/input" -lpython -
is "$(field stdout)" "['main.py'] ['main.py']" "- beside --stdin FILE"
cp "$input" "$scratch/-c \$(x)'é.py"
unset input
run -- "$scratch/-c \$(x)'é.py"
refused "nothing to run; give a FILE, - or --dir" "FILE behind -- is an argument" -- "$probe"
run "$scratch/-c \$(x)'é.py"
is "$(field stdout)" "[\"./-c \$(x)'é.py\"] [\"-c \$(x)'é.py\"]" "FILE with an odd name"
run "$(snippet py 'import sys; print(ascii(sys.argv[1:]))')" -- \
    'two  words' '' "'\"" "\\" -x --memory=1 -- '$(x)' '`x`' '*' $'line\nbreak' $'\t' é $'\xff' ';|&<>' '{entrypoint}'
is "$(field stdout)" "['two  words', '', '\\'\"', '\\\\', '-x', '--memory=1', '--', '\$(x)', '\`x\`', '*', \
'line\\nbreak', '\\t', '\\xe9', '\\udcff', ';|&<>', '{entrypoint}']" "arguments reach the program as they are"
run "$(snippet py 'import sys; print(len(sys.argv), len("".join(sys.argv)) - len(sys.argv[0]))')" -- $(seq 20000) \
    "$(printf '%0100000d' 0)"
is "$(field stdout)" "20002 188894" "many arguments, and a long one"
run "$scratch/nothing.py"
is "$status $(field reason) $(field error)" \
    "2 input cannot open '$scratch/nothing.py': No such file or directory" "FILE: one that is not there"

# ---- --config
refused "unknown language 'klingon'; known are: python, go, javascript" "--config FILE, not the environment's" \
    --config "$(maximum memoryMB 64)" -l klingon "$probe"

# ---- -v
for form in -v --verbose; do
    run "$form" "$(snippet ash 'echo traced')"
    is "$(field stdout)" "traced" "$form: the result is the same"
    is "$(printf '%s\n' "$err" | sed -E 's/ +[0-9]+ ms$/ N ms/')" "isolator: create N ms
isolator: start N ms
isolator: program N ms
isolator: rm N ms
isolator: container $(field container) of image isolator-test/busybox:1, configuration $ISOLATOR_CONFIG" \
        "$form: the engine's steps on stderr"
done

# ---- --stream
run --stream --output-limit 1024 "$(snippet py 'import os, sys
os.write(2, b"to stderr")
os.write(1, b"\xff\0" + b"x" * 3000 + b"\n")
sys.exit(7)')"
is "$status" 7 "--stream: the program's status"
is "$(od -An -c -N4 "$scratch/out") $(wc -c <"$scratch/out")" " 377  \\0   x   x 3003" \
    "--stream: stdout as it is and whole, no JSON"
is "$err" "to stderr" "--stream: stderr"
run --stream "$(snippet py 'import os; os.abort()')"
is "$status|$out|$err" "134||" "--stream: a signal"
run --stream -t 300ms "$(snippet ash 'echo before; sleep 600')"
is "$status|$out|$err" "124|before|isolator: program did not end within 0.3 s" "--stream: a timeout"
run --stream --image isolator-test/nothing:1 "$probe"
is "$status|$out|$err" \
    "3||isolator: image 'isolator-test/nothing:1' is not on the engine; run: docker pull isolator-test/nothing:1" \
    "--stream: no image"

# Live: the output is there while the program runs. Meanwhile, who could read the values of --env?
secret=secret-$$-$RANDOM
export INHERITED=inherited-$$-$RANDOM
start --stream --env "SECRET=$secret" --env INHERITED "$(snippet py 'import os, sys, time
print("running with", len(os.environ["SECRET"]) > 9, len(os.environ["INHERITED"]) > 9)
print("to stderr", file=sys.stderr)
time.sleep(600)')"
until_true grep -qsF "to stderr" "$scratch/err"
until_true grep -qsF running "$scratch/out"
is "$(cat "$scratch/out")|$(cat "$scratch/err")" "running with True True|to stderr" \
    "--stream is live, both streams apart"

# shows_in COMMAND VALUE: processes on the host whose name has COMMAND and whose command line VALUE.
shows_in() {
    local file name line
    for file in /proc/[0-9]*; do
        { name=$(cat "$file/comm") && line=$(tr '\0' ' ' <"$file/cmdline"); } 2>/dev/null || continue
        [[ $name == *"$1"* && $line == *"$2"* ]] && echo "$name"
    done
}
container=$(own_containers)
has "$(shows_in docker "$container")" docker "a docker command runs meanwhile"
is "$(shows_in docker "$secret")" "" "--env KEY=VALUE: in no docker command's command line"
is "$(shows_in '' "$secret")" "" "--env KEY=VALUE: in no process list"
is "$(shows_in '' "$INHERITED")" "" "--env KEY: in no process list"
inspected=$(docker inspect "$container")
has "$inspected" '"Running": true' "the container runs"
hasnt "$inspected" "$secret" "--env KEY=VALUE: not in docker inspect"
hasnt "$inspected" "$INHERITED" "--env KEY: not in docker inspect"
kill -TERM "$pid"
await
is "$status" 143 "--stream, interrupted"

# ---- --save-image and --save-dockerfile
echo 'import os, sys
print(ascii(sys.argv), os.getcwd(), sorted(os.listdir(".")), os.getuid(), os.getgid())
print(*(os.environ.get(name) for name in ("PYTHONUNBUFFERED", "SECRET")))
print(open("data").read(), open("made", "w").write("made"))' >"$d/sub/keep.py"
arguments=('a b' '' "'\"\\" '$HOME' $'line\nbreak' -x é)
repeated="['sub/keep.py', 'a b', '', '\\'\"\\\\', '\$HOME', 'line\\nbreak', '-x', '\\xe9'] /workspace \
['data', 'main.sh', 'other.py', 'sub'] 65534 65534
1 None
data 4"
chmod 600 "$d/data"
run -d "$d" -e sub/keep.py --save-image "$mine:saved" --save-dockerfile "$scratch/Dockerfile" \
    --env SECRET="$secret" -- "${arguments[@]}"
is "$status $(field imageTag) $(field error)" "0 $mine:saved null" "--save-image: imageTag"
is "$(field stdout)" "${repeated/None/$secret}" "the run itself"
is "$(docker run --rm --network none "$mine:saved" 2>&1)" "$repeated" "docker run --rm TAG repeats it"
is "$(docker image inspect -f '{{.Config.WorkingDir}} {{.Config.User}}' "$mine:saved")" "/workspace 65534:65534" \
    "the image's directory and user"
hasnt "$(docker image inspect "$mine:saved"; docker history --no-trunc "$mine:saved")" "$secret" \
    "the image does not hold the values of --env"
is "$(docker image inspect -f '{{index .Config.Labels "isolator.pid"}}{{index .Config.Labels "isolator.deadline"}}' \
    "$mine:saved")" "" "nor labels that make its containers a dead sandbox of ours"
is "$(cat "$scratch/Dockerfile")" "FROM $(field image)
COPY --chown=65534:65534 [\".\", \"/workspace/\"]
ENV HOME=\"/tmp\"
ENV PYTHONUNBUFFERED=\"1\"
ENV PYTHONDONTWRITEBYTECODE=\"1\"
WORKDIR /workspace
USER 65534:65534
ENTRYPOINT []
CMD [\"python3\", \"sub/keep.py\", \"a b\", \"\", \"'\\\"\\\\\", \"\$HOME\", \"line\\nbreak\", \"-x\", \"é\"]" \
    "--save-dockerfile: its content"
build() { # TAG DOCKERFILE DIR
    DOCKER_BUILDKIT=0 docker build -q -t "$@" >"$scratch/build" 2>&1 || diag "$(cat "$scratch/build")"
}
build "$mine:built" -f "$scratch/Dockerfile" "$d"
is "$(docker run --rm --network none "$mine:built" 2>&1)" "$repeated" "what it builds repeats the run"

mkdir "$scratch/names"
odd="a\$b [1]*?'\"\\q.py"
cp "$(snippet py 'import sys; print(len(sys.argv[0]))')" "$scratch/names/$odd"
run "$scratch/names/$odd" --container-workdir /my/work --save-dockerfile "$scratch/Dockerfile"
is "$status $(field stdout)" "0 16" "names that mean something in a Dockerfile"
build "$mine:names" -f "$scratch/Dockerfile" "$scratch/names"
is "$(docker run --rm --network none --pull never "$mine:names" 2>&1)" "16" "build and repeat, too"
refused "'/my \$work' is not a working directory; write an absolute path like /workspace" \
    "a working directory that a Dockerfile would not take" --container-workdir '/my $work' "$probe"

rm -f "$scratch/Dockerfile"
run "$(snippet ash 'exit 3')" --save-image "$mine:failed" --save-dockerfile "$scratch/Dockerfile"
is "$status $(field exitCode) $(field imageTag)" "1 3 null" "a program that fails: imageTag"
is "$(docker image ls -q "$mine:failed")$(ls "$scratch/Dockerfile" 2>&1)" \
    "ls: cannot access '$scratch/Dockerfile': No such file or directory" "neither image nor Dockerfile"
run "$(snippet ash 'echo done')" --save-dockerfile "$d/nothing/Dockerfile"
is "$status $(field status) $(field exitCode) $(field error)" \
    "3 error 0 cannot write the Dockerfile '$d/nothing/Dockerfile': No such file or directory" \
    "--save-dockerfile where none can be written"
for tag in -x a:b:c :x x: 'a b' a@b; do
    refused "'$tag' is not a tag for an image; write it like name:tag, the name in lower case" "--save-image '$tag'" --save-image="$tag" "$probe"
done
refused "'Upper:1' is not a tag for an image; write it like name:tag, the name in lower case" "--save-image Upper:1" --save-image Upper:1 "$probe"
for tag in isolator-test/FOO/b:1 isolator-test/x:.y isolator-test/-x:1 "isolator-test/x:$(printf '%0129d' 0)"; do
    run --save-image "$tag" "$probe"
    is "$status|$out" "2|" "--save-image ${tag:0:30}: refused before anything runs"
done

# ---- the program's signals
# Of the standard signals: an engine may itself have been started with one past them ignored.
run "$(snippet sh 'ignored=$(sed -n "s/^SigIgn:[[:space:]]*//p" /proc/self/status)
echo $((16#$ignored & 0x7fffffff))')"
is "$(field stdout)" 0 "the program starts with no signal ignored"

finish
