#!/usr/bin/env bash
# Every option of `isolator run`, in its usual forms: what it does on the engine, and what is refused.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # dollars in single quotes are the programs'; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

probe=test/fixtures/probe.py
debian=isolator-test/python:bookworm # has bash; test/setup builds it everywhere
mine=isolator-test/options-$$        # images that this file makes
network=isolator-options-$$
languages="$built_in, busybox, noshell"

clean_up() {
    docker images --format '{{.Repository}}:{{.Tag}}' "$mine" 2>/dev/null | xargs -r docker image rm -f >/dev/null 2>&1
    docker network rm "$network" >/dev/null 2>&1
    rm -rf "$scratch"
}
trap 'in_main || exit; clean_up' EXIT

# maximum KEY NUMBER: the path of a configuration with this maximum. The refusal shows the value that was asked for, so
# a test sees how an option was read without an engine.
maximum() {
    printf '{"maximums": {"%s": %s}}' "$1" "$2" >"$scratch/$1.json"
    echo "$scratch/$1.json"
}

# commands: those that isolator --help lists.
commands() { "$ISOLATOR" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p'; }

{ printf 'one\ntwo\n'; head -c 2000000 /dev/zero; } >"$scratch/large"
printf 'one\ntwo\n' >"$scratch/input"
echo 'stat -c "$0 $(id -u):$(id -g) %u:%g" "$0"; [ -e /etc/debian_version ] && echo Debian; cat' >"$scratch/script"
d=$scratch/d
mkdir -p "$d/sub"
secret=secret-$$-$RANDOM # a value of --env

# A container takes long on a slow machine. So each run below has many options, and its program shows the effect of
# all of them. The spellings of an option are tested by refusals, which need no container.

# ---- help and version

test_case --quick 'isolator --version and isolator --help' && {
    isolator --version
    is "$status|$out|$err" "0|isolator $(sed -n 's/^VERSION := //p' Makefile)|" "isolator --version"
    isolator --help
    is "$status|${out%%$'\n'*}|$err" "0|usage: isolator COMMAND [ARG...]|" "isolator --help"
    has "$out" "  run        run a file or a directory in a fresh container" "isolator --help lists run"
}

test_case --quick 'isolator run --help lists every option' && {
    run --help
    is "$status|${out%%$'\n'*}|$err" "0|usage: isolator run [OPTIONS] [FILE...] [-- ARG...]|" "isolator run --help"
    expect "$(sed -nE 's/^  ((-., )?|    )(--[a-z-]+).*/\2\3/p' <<<"$out" | sort -k2)" "isolator run --help has every option" <<'END'
--allow-host
--artifact
--artifacts
--audit
--cap-drop
--code
--config
--container-workdir
--cpu-seconds
--detach
--env
--file
--force
--format
--image
--json
--name
--network
--oci-runtime
--output-limit
--pids-limit
--pull
--read-only
--runtime
--save-dockerfile
--save-image
--stdin
--stream
--tmp-size
--tools
--user
--workdir-size
-c, --cpus
-d, --dir
-e, --entrypoint
-h, --help
-i, --interactive
-l, --language
-m, --memory
-t, --timeout
-v, --verbose
END
}

test_case --quick 'each --help fits a screen, and a misspelt command is recognized' && {
    # fits COMMAND...: its --help has at most 80 columns and 26 lines, that of isolator itself 30, that of isolator batch 27, those of isolator run, start and session
    # 50, that of isolator-mcp 29. That of isolator test has 57: it has options of its own and those of a run.
    fits() {
        local widest
        widest=$("$@" --help | awk 'length > most {most = length} END {print most}')
        within "$widest" 40 80 "${*:2} --help: 80 columns"
        case ${1##*/}-${2-} in
        *-mcp-) lines=29 ;;
        *-test) lines=57 ;;
        *-run | *-start | *-session | *-create | *-exec) lines=50 ;;
        *- | *-help) lines=32 ;;
        *-batch) lines=27 ;;
        *) lines=26 ;;
        esac
        within "$("$@" --help | wc -l)" 8 $lines "${*:2} --help: a screen"
    }
    fits "$ISOLATOR"
    fits "${ISOLATOR%/*}/isolator-mcp"
    within "$(commands | wc -w)" 7 25 "isolator --help lists the commands"
    for command in $(commands); do
        fits "$ISOLATOR" "$command"
        [ "$command" = help ] || has "$("$ISOLATOR" "$command" --help)" $'\nExample: isolator '"$command" "$command --help: an example"
        isolator "${command}x" # one letter too many
        is "$status|$out|$err" "2||isolator: unknown command '${command}x'; did you mean '$command'?" "${command}x is no command"
    done
}

test_case --quick 'isolator help COMMAND prints the same as isolator COMMAND --help' && {
    for command in $(commands); do
        isolator "$command" --help
        expected=$out
        isolator help "$command"
        is "$status|$out|$err" "0|$expected|" "isolator help $command: as isolator $command --help"
    done
}

test_case --quick 'isolator help prints the same as isolator --help' && {
    isolator --help
    expected=$out
    for arguments in help "help help" "help --help" "help -h"; do
        # shellcheck disable=SC2086 # words
        isolator $arguments
        is "$status|$out|$err" "0|$expected|" "isolator $arguments: as isolator --help"
    done
}

test_case --quick 'isolator help with a wrong argument' && {
    isolator help rnu
    is "$status|$out|$err" "2||isolator: unknown command 'rnu'; did you mean 'run'?" "isolator help: a command misspelt"
    isolator mcp
    is "$status|$out|$err" "2||isolator: unknown command 'mcp'; the server for LLM hosts is isolator-mcp" "the server"
    isolator xyz
    is "$status|$out|$err" "2||isolator: unknown command 'xyz'; see isolator --help" "a short word that is like no command"
    isolator help --vers
    is "$status|$out|$err" "2||isolator: unknown option '--vers'; see isolator help --help" "isolator help: an option"
    isolator help run gc
    is "$status|$out|$err" "2||isolator: unexpected argument 'gc'; see isolator help --help" "isolator help: two commands"
}

test_case --quick 'the manual pages are built in' && {
    # page NAME ARG...: the command line prints the page of this name, as text.
    page() {
        local name=$1; shift
        "$@" --man >"$scratch/page" 2>"$scratch/err"
        is "$?|$(head -n 1 "$scratch/page" | grep -o '^[A-Z_.-]*([15])')|$(cat "$scratch/err")" "0|$name|" "${*##*/} --man"
        within "$(wc -l <"$scratch/page")" 60 2000 "${*##*/} --man: the page"
        is "$(grep -a '[^ -~]' "$scratch/page" | head -n 1)" "" "${*##*/} --man: plain text"
    }
    page "ISOLATOR(1)" "$ISOLATOR" help
    for command in run help; do page "ISOLATOR(1)" "$ISOLATOR" help "$command"; done
    for command in $(commands | grep -vxE 'run|help'); do page "ISOLATOR-${command^^}(1)" "$ISOLATOR" help "$command"; done
    page "ISOLATOR-MCP(1)" "$ISOLATOR" help isolator-mcp
    page "ISOLATOR_CONFIG.JSON(5)" "$ISOLATOR" help isolator_config.json
    page "ISOLATOR-MCP(1)" "$ISOLATOR-mcp"
    isolator help rnu --man
    is "$status|$out|$err" "2||isolator: unknown command 'rnu'; did you mean 'run'?" "isolator help --man: a command misspelt"
}

test_case --quick 'help and version on a full device' && {
    for arguments in --help --version "run --help" "gc --help" "help run"; do
        # shellcheck disable=SC2086 # words
        "$ISOLATOR" $arguments >/dev/full 2>"$scratch/err"
        is "$?|$(sed 's/help\|version/TEXT/' "$scratch/err")" "3|isolator: cannot write the TEXT: No space left on device" \
            "isolator $arguments: a full device"
    done
}

test_case --quick 'help to a reader that has gone' && {
    for command in "--help" "run --help" "languages --names"; do
        # shellcheck disable=SC2086 # words
        perl -e 'pipe my $read, my $write; close $read; open STDOUT, ">&", $write; exec @ARGV' "$ISOLATOR" $command 2>"$scratch/err"
        is "$?|$(cat "$scratch/err")" "141|" "isolator $command: ends by SIGPIPE"
    done
}

test_case --quick 'an option before the command' && {
    isolator --config x run
    is "$status|$out|$err" "2||isolator: unknown option '--config'; options follow the command, as in 'isolator run --help'" \
        "an option before the command"
}

# ---- unknown commands and options

test_case --quick 'a missing or unknown command' && {
    isolator --hlep
    is "$status|$out|$err" "2||isolator: unknown option '--hlep'; did you mean '--help'?" "a misspelt option before the command"
    run -h
    is "$status|${out%%$'\n'*}" "0|usage: isolator run [OPTIONS] [FILE...] [-- ARG...]" "-h"

    isolator
    is "$status|${out%%$'\n'*}|$err" "0|usage: isolator COMMAND [ARG...]|" "no command: what there is"
    isolator version
    has "$out" "isolator 0." "version"
    isolator rnu
    is "$status|$out|$err" "2||isolator: unknown command 'rnu'; did you mean 'run'?" "a command misspelt"
    isolator frobnicate
    is "$status|$out|$err" "2||isolator: unknown command 'frobnicate'; see isolator --help" "a word like no command"
}

test_case --quick 'what people write from habit' && {
    run -v /a:/b
    is "$(field reason error)" "input cannot open '/a:/b': No such file or directory; nothing of this host can be mounted; send files with --file or --dir" "-v of docker"
    refused "--code needs --language" "--code alone" --code x
    refused "--code and FILE cannot be used together; send files with --file" "--code and FILE" -l python --code x "$probe"
    refused "--code and --dir cannot be used together; send files with --file" "--code and --dir" -l python --code x --dir "$d"
    refused "--entrypoint needs --dir; variables of the environment are set by --env" "-e of docker" -e A=1 "$probe"
    run --config "$ISOLATOR_CONFIG" -t 30 -m 512m -c 0.5 --tmp-size 64MiB --output-limit 64k "$scratch/none.py"
    is "$(field reason error)" "input cannot open '$scratch/none.py': No such file or directory" "sizes and seconds"
}

test_case --quick 'an unknown option, and an option without its value' && {
    refused "unknown option '--memroy'; did you mean --memory?" "an option misspelt" --memroy 5 "$probe"
    refused "unknown option '--mem'; did you mean --memory?" "an abbreviated option" --mem 64 "$probe"
    refused "unknown option '--mem=64'; did you mean --memory?" "an abbreviated option with its value" "$probe" --mem=64
    refused "unknown option '--read-onyl=false'; did you mean --read-only?" "a misspelt option with a value" --read-onyl=false
    refused "unknown option '--frobnicate'; see isolator run --help" "a word like no option" --frobnicate "$probe"
    refused "unknown option '-x'; put the program's arguments after --" "an unknown letter after FILE" "$probe" -x
    refused "unknown option '--longest'; put the program's arguments after --" "a word like no option after FILE" "$probe" --longest
    refused "option '--env' needs a value" "a long option without its value" "$probe" --env
    refused "option '-t' needs a value" "a letter without its value" "$probe" -t
}

test_case --quick 'options that contradict each other' && {
    refused "FILE and --dir cannot be used together; name the program in --dir with --entrypoint" \
        "FILE with --dir" "$probe" --dir "$d"
    refused "FILE and --dir cannot be used together; name the program in --dir with --entrypoint" \
        "- with --dir" - -l python --dir "$d"
    refused "nothing to run; give a FILE, -, --dir or --code" "neither" -l python
    refused "nothing to run; give a FILE, -, --dir or --code" "arguments only" -l python -- x
    refused "--entrypoint needs --dir" "--entrypoint with FILE" "$probe" --entrypoint x.py
    refused "--dir needs --entrypoint, or --language to run its default file" "--dir alone" --dir "$d"
    refused "a program from stdin needs --language" "- alone" -
    refused "the program and --stdin cannot both be read from stdin" "- twice" - -l python --stdin -
    refused "--save-dockerfile needs a FILE or --dir to copy from" "--save-dockerfile of stdin" \
        - -l python --save-dockerfile "$scratch/Dockerfile"
}

# ---- wrong numbers

test_case --quick 'numbers that are wrong or out of range' && {
    for number in 1e309 -5 5x ''; do
        refused "--memory: '$number' is not a size; write it like 512m, 1g, or 64 MB" "--memory '$number'" --memory "$number" "$probe"
    done
    bad_numbers() { # OPTION RANGE [UNIT]
        refused "$1: '-x' is not a ${3:+size; write it like 512m, 1g, or 64 $3}$([ $# -gt 2 ] || echo number)" "$1 -x" "$1" -x "$probe"
        refused "$1 must be $2${3:+ $3}" "$1 0" "$1=0" "$probe"
    }
    bad_numbers --memory "from 6 to 16777216" MB
    bad_numbers --cpus "from 0.01 to 4096"
    refused "--cpu-seconds: 'NaN' is not a number of s" "--cpu-seconds NaN" --cpu-seconds NaN "$probe"
    refused "--cpu-seconds must be from 0 to 31622400 s" "--cpu-seconds 31622401" --cpu-seconds 31622401 "$probe"
    bad_numbers --pids-limit "from 8 to 4194304"
    bad_numbers --workdir-size "from 1 to 1048576" MB
    bad_numbers --tmp-size "from 1 to 1048576" MB
    bad_numbers --output-limit "from 1024 to 67108864" bytes
}

test_case --quick 'durations that are wrong or out of range' && {
    for number in .NaN 1e309s -5s 5x 1m5 ''; do
        refused "--timeout: '$number' is not a duration; write it like 500ms, 30, 1m30s or 1h" \
            "--timeout '$number'" --timeout "$number" "$probe"
    done
    refused "--timeout: '0' must be more than 0 and less than a year" "--timeout 0" --timeout=0 "$probe"
    refused "--timeout: '0s' must be more than 0 and less than a year" "--timeout 0s" --timeout=0s "$probe"
    refused "--timeout: '9999h' must be more than 0 and less than a year" "--timeout 9999h" -t 9999h "$probe"
    refused "--memory must be a whole number" "--memory 64.5" -m 64.5 "$probe"
}

test_case --quick 'an error message stays one line, whatever the value' && {
    for option in --memory --timeout --read-only --runtime --env --user --cap-drop --image --config; do
        run "$option=a"$'\n'b "$probe"
        is "$status|$out|$(wc -l <"$scratch/err")" "2||1" "$option with a line break: one line on stderr"
    done

}

# ---- what the options do; the probe prints what it finds in the container

test_case 'no option: the defaults' && {
    run "$probe"
    is "$(field stdout | own_users) $(field error)" "memory=268435456 swap=0 cpus=0.5 pids=64 net=lo root=ro \
capbnd=0000000000000000 capeff=0000000000000000 user=OWN:OWN owner=OWN:OWN workdir=67108864 tmp=67108864 \
cwd=/workspace files=probe.py null" "no option: the defaults; FILE alone is sent"
}

test_case 'every limit changed, --env, a FILE with an odd name, many arguments' && {
    odd="$scratch/-c \$(x)'é.py"
    {
        echo 'import sys; given, sys.argv[1:] = sys.argv[1:], []' # without arguments the probe prints everything
        cat "$probe"
        cat <<'END'
import time
print(sys.argv[0], ascii(given[:16]))
print(len(given), len("".join(given[16:])))
for name in "TEXT PASSED_ON EMPTY TWICE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE HOME OTHER".split():
    print(name, ascii(os.environ.get(name)))
for path in "fill", "/tmp/fill":
    file, written = open(path, "wb", 0), 0
    try:
        while True: written += file.write(b"x" * 4096)
    except OSError as error: print("full:", written, error.strerror)
    file.close()
    os.unlink(path)
forks = 0
try:
    while forks < 1000:
        if os.fork() == 0: time.sleep(600)
        forks += 1
except BlockingIOError: print("forks:", forks)
END
    } >"$odd"
    export PASSED_ON=$'from here\n' EMPTY=
    run -m96 -c.75 --pids-limit 32 --user 1000:1001 --workdir-size=8 --tmp-size 4 --runtime docker -t1h -lpython \
        --container-workdir /srv/here --network none --read-only=true --cap-drop ALL \
        --env TEXT=$'a=b "c" \'d\'\n$(id) \\ \xc3\xa9' --env=PASSED_ON --env EMPTY --env TWICE=1 --env TWICE=2 \
        --env PYTHONUNBUFFERED=2 --env HOME=/nowhere "$odd" -- \
        'two  words' '' "'\"" "\\" -x --memory=1 -- '$(x)' '`x`' '*' $'line\nbreak' $'\t' é $'\xff' ';|&<>' '{entrypoint}' \
        $(seq 20000) "$(printf '%0100000d' 0)"
    is "$status $(field error)" "0 null" "many options at once"
    # seen REGEX: the matching lines of the program's output.
    seen() { field stdout | LC_ALL=C grep -aE "$1"; }
    is "$(seen ^memory=)" "memory=100663296 swap=0 cpus=0.75 pids=32 net=lo root=ro \
capbnd=0000000000000000 capeff=0000000000000000 user=1000:1001 owner=1000:1001 workdir=8388608 tmp=4194304 \
cwd=/srv/here files=-c \$(x)'é.py" "every limit changed"
    is "$(seen '^\./-c')" "./-c \$(x)'é.py ['two  words', '', '\\'\"', '\\\\', '-x', '--memory=1', '--', '\$(x)', '\`x\`', '*', \
'line\\nbreak', '\\t', '\\xe9', '\\udcff', ';|&<>', '{entrypoint}']" \
        "FILE with an odd name; arguments reach the program as they are"
    is "$(seen '^[0-9]')" "20017 188894" "many arguments, and a long one"
    is "$(seen '^[A-Z]')" "TEXT 'a=b \"c\" \\'d\\'\\n\$(id) \\\\ \\xe9'
PASSED_ON 'from here\\n'
EMPTY ''
TWICE '2'
PYTHONUNBUFFERED '2'
PYTHONDONTWRITEBYTECODE '1'
HOME '/nowhere'
OTHER None" "--env KEY=VALUE and --env KEY; the last wins, the language's others stay"
    { read -r workdir; read -r tmp; } < <(seen ^full: | cut -d ' ' -f 2)
    within "$workdir" 6291456 8384512 "--workdir-size 8, less the program's page and the supervisor's shell, can be written"
    is "$tmp" 4194304 "--tmp-size 4 can be written"
    is "$(seen ^full: | cut -d ' ' -f 3- | sort -u)" "No space left on device" "and no more"
    within "$(seen ^forks: | cut -d ' ' -f 2)" 20 31 "--pids-limit 32: no more processes"
}

# Builds an image.
build() { # TAG DOCKERFILE DIR
    DOCKER_BUILDKIT=0 docker build -q -t "$@" >"$scratch/build" 2>&1 || diag "$(cat "$scratch/build")"
}

write='
for path in ("/written", "written", "/tmp/written"):
    try:
        open(path, "w").close()
        print("written")
    except OSError as error:
        print(error.strerror)'
shown="net root capbnd capeff user"
names=$scratch/names # for a FILE whose name has characters that are special in a Dockerfile
mkdir "$names"

test_case '--network bridge, --read-only=false and --cap-drop; the Dockerfile of a FILE with an odd name' && {
    name="a\$b [1]*?'\"\\q.py"
    { echo 'import sys; print(len(sys.argv[0]))'; cat "$probe"; echo "$write"; } >"$names/$name"
    # The engine's default is a80425fb; CHOWN is bit 0, NET_RAW bit 13, MKNOD bit 27.
    # shellcheck disable=SC2086 # a list of words
    run --memory=64 --network bridge --user 0 --read-only=false --cap-drop NET_RAW,mknod --cap-drop=CAP_CHOWN \
        --container-workdir /my/work --save-dockerfile "$scratch/Dockerfile.names" "$names/$name" -- $shown
    is "$(field stdout) $(field error)" "16
net=eth0,lo root=rw capbnd=00000000a00405fa capeff=00000000a00405fa user=0:0
written
written
written null" "--network bridge, --read-only=false, and --cap-drop twice, once with a list"

    build "$mine:names" -f "$scratch/Dockerfile.names" "$names"
    is "$(docker run --rm --network none --pull never "$mine:names" 2>&1 | head -n 1)" "16" \
        "a FILE with special characters, and another working directory: the built image repeats the run, too"
}

test_case '--network NAME and --read-only as root; the program from stdin beside --stdin FILE' && {
    docker network create "$network" >/dev/null
    { cat "$probe"; echo "$write"; echo 'text = sys.stdin.read(); print(sys.argv[:2], len(text), ascii(text[:9]))'; } \
        >"$scratch/program"
    # shellcheck disable=SC2086
    input=$scratch/program run - -l python --stdin="$scratch/large" --network="$network" --user=0 --read-only -- $shown files
    is "$(field stdout) $(field error)" "net=eth0,lo root=ro capbnd=0000000000000000 capeff=0000000000000000 user=0:0 files=main.py
Read-only file system
written
written
['main.py', 'net'] 2000008 'one\\ntwo\\n\\x00' null" "--network=NAME, a network of the engine; --read-only; without --cap-drop \
root has no capability either; - reads the program from stdin, beside a large --stdin FILE"
}

test_case '--language, --image, --user UID and --stdin -' && {
    input=$scratch/input run --language=busybox --image "$debian" --user 1234 --stdin - "$scratch/script"
    is "$(field stdout) $(field image)" "main.ash 1234:1234 1234:1234
Debian
one
two $debian" "--language: the file gets its default name; --image; --user UID; --stdin -"
}

test_case --quick '--save-dockerfile to a directory that does not exist' && {
    run "$scratch/script" --language busybox --save-dockerfile "$scratch/nothing/Dockerfile"
    outcome "2 error -1 input null cannot write the Dockerfile '$scratch/nothing/Dockerfile': No such file or directory" \
        "--save-dockerfile to a missing directory: nothing is run"
}

test_case --quick '--save-dockerfile to a directory without write permission' && {
    mkdir "$scratch/closed"
    : >"$scratch/closed/Dockerfile"
    chmod 666 "$scratch/closed/Dockerfile"
    chmod 555 "$scratch/closed"
    cp "$ISOLATOR" "$scratch/isolator"
    chmod 755 "$scratch"
    # closed FILE: runs with --save-dockerfile FILE, without an engine, as a user who may write to the existing file but
    # may not create one beside it.
    closed() {
        DOCKER_HOST=unix:///nonexistent ISOLATOR_CONFIG='' as_another "$scratch/isolator" run --language python \
            --save-dockerfile "$1" "$scratch/script" >"$scratch/out" 2>"$scratch/err"
    }
    closed "$scratch/closed/other"
    is "$(field reason): $(field error)" "input: cannot write the Dockerfile '$scratch/closed/other': Permission denied" \
        "--save-dockerfile: a new file in a directory without write permission"
    closed "$scratch/closed/Dockerfile"
    is "$(field reason)" engine "--save-dockerfile: an existing file that is writable, in such a directory"
    chmod 700 "$scratch" "$scratch/closed"
}

test_case '-v, --output-limit, stdin without --stdin; a program that fails is not saved' && {
    input=$scratch/input run -v --output-limit 1024 --save-image "$mine:failed" --save-dockerfile "$scratch/Dockerfile" \
        "$(snippet ash 'cat
[ ! -e /etc/debian_version ] || echo Debian
head -c 2500 /dev/zero | tr "\000" a; head -c 2500 /dev/zero | tr "\000" z
head -c 1024 /dev/zero | tr "\000" e >&2
exit 3')"
    is "$(field stdout)" "$(printf '%0512d\n[... 3976 bytes left out ...]\n' 0 | tr 0 a)
$(printf '%0512d' 0 | tr 0 z)" "--output-limit 1024: head, tail and the number of bytes between"
    is "$(field stdoutBytes) $(field stdoutTruncated)" "5000 true" "the true count; without --stdin the program's stdin is empty, not isolator's"
    is "$(field stderr) $(field stderrBytes) $(field stderrTruncated)" "$(printf '%01024d' 0 | tr 0 e) 1024 false" \
        "a stream of exactly the limit is whole"
    is "$(printf '%s\n' "$err" | sed -E 's/ +[0-9]+ ms$/ N ms/')" "isolator: start N ms
isolator: deliver N ms
isolator: program N ms
isolator: end N ms
isolator: container $(field container) of image isolator-test/busybox:1, configuration $ISOLATOR_CONFIG" \
        "-v: the engine's steps on stderr; no --image: the language's"
    is "$status $(field exitCode) $(field imageTag)" "1 3 null" "a program that fails: imageTag"
    is "$(docker image ls -q "$mine:failed")$(ls "$scratch/Dockerfile" 2>&1)" \
        "ls: cannot access '$scratch/Dockerfile': No such file or directory" "neither image nor Dockerfile"
}

# ---- each option: its spellings, and values that are refused

test_case --quick 'the spellings of --memory' && {
    for form in "--memory 64" "--memory=64" "-m 64" "-m64"; do
        # shellcheck disable=SC2086 # a form is one word or two
        refused "--memory 64 MB is more than the configuration allows (maximums.memoryMB: 63)" "$form" \
            $form --config "$(maximum memoryMB 63)" "$probe"
    done
}

test_case --quick 'the spellings of --cpus' && {
    for form in "--cpus 0.25" "--cpus=0.25" "-c .25" "-c0.250"; do
        # shellcheck disable=SC2086
        refused "--cpus 0.25 is more than the configuration allows (maximums.cpus: 0.01)" "$form" \
            $form --config "$(maximum cpus 0.01)" "$probe"
    done
}

test_case --quick 'the spellings of --timeout' && {
    while read -r form seconds; do
        # shellcheck disable=SC2086
        refused "--timeout $seconds s is more than the configuration allows \
(maximums.timeoutSeconds: 0.001)" "$form" ${form/_/ } --config "$(maximum timeoutSeconds 0.001)" "$probe"
    done <<'END'
--timeout_500ms 0.5
--timeout=1.5s 1.5
-t_1m30s 90
-t1h 3600
-t_1h1m1.5s 3661.5
END
}

test_case --quick 'networks that would lift the isolation are refused' && {
    way_out="would lift the isolation; use none, bridge or a network of the engine"
    refused "--network: network 'host' $way_out" "--network host" --network host "$probe"
    refused "--network: network 'container:x' $way_out" "--network container:" --network=container:x "$probe"
    refused "--network: '-x' is not the name of a network; use none, bridge or a network of the engine" \
        "--network -x" --network -x "$probe"
}

test_case '--oci-runtime' && {
    run --oci-runtime runc "$(snippet py 'print(6 * 7)')"
    is "$status|$(field stdout)$(field warnings)" "0|42" "one that the engine has"
    run --oci-runtime isolator-no-such "$probe"
    has "$status $(field reason)|$(field error)" "2 input|--oci-runtime 'isolator-no-such' is not on the engine, which has: " "another"
}

test_case '--network: a network that does not exist' && {
    run --network isolator-no-such "$probe"
    is "$status $(field reason) $(field exitCode) $(field error)" \
        "3 engine -1 cannot start the container: docker: Error response from daemon: network isolator-no-such not found" "--network: a network that does not exist"
    is "$(field stderr) $(field stderrBytes) $(field durationMs)" " 0 0" "the message is not the program's output"
    is "$(field warnings)" "" "no warning about the image"
}

test_case --quick 'wrong values of --read-only, --cap-drop, --runtime and --user' && {
    refused "--read-only: 'no' is not true or false" "--read-only=no" --read-only=no "$probe"
    refused "--cap-drop: 'ALL,' is not a list of capabilities, like ALL or NET_RAW,MKNOD" "--cap-drop ALL," \
        --cap-drop ALL, "$probe"

    refused "--runtime: 'nerdctl' is not docker or podman" "--runtime nerdctl" \
        --runtime nerdctl "$probe"

    refused "--oci-runtime: 'run c' is not the name of an OCI runtime, like runc, crun or runsc" "--oci-runtime 'run c'" \
        --oci-runtime 'run c' "$probe"

    refused "--user: 'root' is not a user; write numbers up to 2097151, like 65534 or 1000:1000" "--user root" \
        --user root "$probe"
}

test_case --quick 'an unknown language' && {
    refused "cannot tell the language of 'script'; give --language ($languages)" "no --language, no extension" \
        "$scratch/script"
    for form in "--language klingon" "--language=klingon" "-l klingon" "-lklingon"; do
        # shellcheck disable=SC2086
        refused "unknown language 'klingon'; known are: $languages" "$form" $form "$probe"
    done
}

test_case --quick '--dir and --entrypoint that do not exist' && {
    run -d "$d/nothing" -e a.py
    is "$status $(field reason) $(field error)" \
        "2 input cannot open the directory '$d/nothing': No such file or directory" "--dir: a directory that does not exist"
    run "-d$d" -enothing.py
    is "$status $(field reason) $(field error)" \
        "2 input cannot find the entrypoint 'nothing.py': No such file or directory" "--entrypoint: a file that does not exist"
}

test_case --quick 'working directories that are refused' && {
    for path in srv / // '/srv ' /a:b /a,b /a/../b; do
        refused "--container-workdir: '$path' is not a working directory; write an absolute path like /workspace" \
            "--container-workdir $path" --container-workdir "$path" "$probe"
    done
    refused "--container-workdir: '/etc/x' cannot be the working directory: it is in the system's /etc" "--container-workdir /etc/x" \
        --container-workdir=/etc/x "$probe"
}

test_case --quick 'a wrong --image' && {
    refused "'-x' is not an image; write it like name:tag" "--image -x" --image=-x "$probe"
}

test_case --quick 'wrong variables for --env' && {
    refused "variable 'OPTIND' cannot be given: shells keep it for themselves" \
        "--env with a variable of the shell" --env OPTIND=abc "$probe"
    unset NOT_HERE
    refused "--env: 'NOT_HERE' is not set in the environment" "--env KEY that is not set" --env NOT_HERE "$probe"
    for name in 1A A-B ''; do
        refused "'$name' is not the name of an environment variable: letters, digits, _" "--env '$name=x'" \
            --env "$name=x" "$probe"
    done
}

test_case --quick '--stdin is bounded; files that do not exist' && {
    input=$scratch/large run --stdin - --workdir-size 1 "$probe"
    is "$status $(field reason) $(field error)" "2 input stdin is larger than 1048576 bytes" "--stdin is bounded"
    run --stdin "$scratch/nothing" "$probe"
    is "$status $(field reason) $(field error)" \
        "2 input cannot open '$scratch/nothing': No such file or directory; --stdin names a file; - is isolator's own stdin" "--stdin: a file that does not exist"
    run "$scratch/nothing.py"
    is "$status $(field reason) $(field error)" \
        "2 input cannot open '$scratch/nothing.py': No such file or directory" "FILE that does not exist"
    refused "nothing to run; give a FILE, -, --dir or --code" "FILE after -- is an argument" -- "$probe"
}

test_case --quick '--config FILE comes before ISOLATOR_CONFIG' && {
    refused "unknown language 'klingon'; known are: $built_in" "--config FILE, not ISOLATOR_CONFIG" \
        --config "$(maximum memoryMB 64)" -l klingon "$probe"
}

# ---- --stream

test_case '--stream: the bytes and the status of the program' && {
    run --stream --output-limit 1024 "$(snippet ash 'printf "to stderr" >&2
printf "\377\000"; head -c 3000 /dev/zero | tr "\000" x; echo
exit 7')"
    is "$status" 7 "--stream: the program's status"
    is "$(od -An -c -N4 "$scratch/out") $(wc -c <"$scratch/out")" " 377  \\0   x   x 3003" \
        "--stream: stdout unchanged and whole, no JSON"
    is "$err" "to stderr" "--stream: stderr"
}

test_case '--stream: a signal, and a program that ignores none' && {
    # Only standard signals: the engine itself may have been started with a later one ignored.
    run --stream "$(snippet ash 'ignored=$(sed -n "s/^SigIgn:[[:space:]]*//p" /proc/self/status)
echo $((0x$ignored & 0x7fffffff))
kill -ABRT $$')"
    is "$out" 0 "the program starts with no signal ignored"
    is "$status|$err" "134|isolator: program was ended by signal SIGABRT" "--stream: a signal"
}

test_case '--stream: a timeout' && {
    run --stream -t 5s "$(snippet ash 'echo before; sleep 600; echo after')"
    is "$status|$out|$err" "124|before|isolator: program did not end within 5 s" "--stream: a timeout"
}

test_case --quick '--stream: an image that is not on the engine' && {
    run --stream --image isolator-test/nothing:1 "$probe"
    is "$status|$out|$err" \
        "3||isolator: image 'isolator-test/nothing:1' is not on the engine; run: docker pull isolator-test/nothing:1" \
        "--stream: no image"
}

test_case '--stream is live; no other process sees the values of --env' && {
    # The output is there while the program runs. Meanwhile the values of --env must not be readable.
    export INHERITED=inherited-$$-$RANDOM
    start --stream -t1h --env "SECRET=$secret" --env INHERITED "$(snippet py 'import os, sys, time
print("running with", len(os.environ["SECRET"]) > 9, len(os.environ["INHERITED"]) > 9)
print("to stderr", file=sys.stderr)
time.sleep(600)')"
    until_true grep -qsF "to stderr" "$scratch/err"
    until_true grep -qsF running "$scratch/out"
    is "$(cat "$scratch/out")|$(cat "$scratch/err")" "running with True True|to stderr" \
        "--stream is live, both streams apart"

    # showing VALUE: the names of the host's processes that have VALUE in their command line.
    # shellcheck disable=SC2062 # the pattern comes from stdin: it is in no command line
    showing() { grep -alsF --file=- /proc/[0-9]*/cmdline <<<"$1" | sed 's/cmdline$/comm/' | xargs -r cat; }
    container=$(own_containers)
    has "$(showing "$container")" docker "a docker command is running"
    is "$(showing "$secret")" "" "--env KEY=VALUE: in no command line, neither isolator's nor docker's"
    is "$(showing "$INHERITED")" "" "--env KEY: in no command line"
    inspected=$(docker inspect "$container")
    has "$inspected" '"Running": true' "the container runs"
    hasnt "$inspected" "$secret" "--env KEY=VALUE: not in docker inspect"
    hasnt "$inspected" "$INHERITED" "--env KEY: not in docker inspect"
    kill -TERM "$pid"
    await
    is "$status" 143 "--stream, interrupted"
}

# ---- --save-image and --save-dockerfile

test_case '--dir and --entrypoint; --save-image and --save-dockerfile repeat the run' && {
    echo 'import os, sys
sys.path.append("."); import other
print(other.name, ascii(sys.argv), os.getcwd(), sorted(os.listdir(".")), os.getuid(), os.getgid())
print(*(os.environ.get(name) for name in ("PYTHONUNBUFFERED", "SECRET")))
print(open("data").read(), open("made", "w").write("made"))' >"$d/sub/keep.py"
    echo 'name = "other"' >"$d/other.py"
    printf 'data' >"$d/data"
    arguments=('a b' '' "'\"\\" '$HOME' $'line\nbreak' -x é)
    repeated="other ['sub/keep.py', 'a b', '', '\\'\"\\\\', '\$HOME', 'line\\nbreak', '-x', '\\xe9'] /workspace \
['data', 'other.py', 'sub'] 65534 65534
1 None
data 4"
    chmod 600 "$d/data"
    run -d "$d" -e sub/keep.py --save-image "$mine:saved" --save-dockerfile "$scratch/Dockerfile" \
        --env SECRET="$secret" -- "${arguments[@]}"
    is "$status $(field imageTag) $(field error)" "0 $mine:saved null" "--save-image: imageTag"
    is "$(field stdout | own_users)" "$(sed "s/None/$secret/; s/65534/OWN/g" <<<"$repeated")" "the run itself: --dir and --entrypoint"
    is "$(docker run --rm --network none "$mine:saved" 2>&1)" "$repeated" "docker run --rm TAG repeats it"
    is "$(docker image inspect -f '{{.Config.WorkingDir}} {{.Config.User}}' "$mine:saved")" "/workspace 65534:65534" \
        "the image's directory and user"
    hasnt "$(docker image inspect "$mine:saved"; docker history --no-trunc "$mine:saved")" "$secret" \
        "the image does not hold the values of --env"
    is "$(docker image inspect -f '{{index .Config.Labels "isolator.pid"}}{{index .Config.Labels "isolator.deadline"}}' \
    "$mine:saved")" "" "nor the labels that make a container one of isolator's"
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
    build "$mine:built" -f "$scratch/Dockerfile" "$d"
    is "$(docker run --rm --network none "$mine:built" 2>&1)" "$repeated" "the image built from it repeats the run"
}

test_case 'a working directory with blanks, doubled slashes and a slash at its end' && {
    echo 'import os, sys
open("made", "w").write("made")
print(os.getcwd(), sys.argv, sorted(os.listdir(".")))' >"$scratch/where.py"
    run --container-workdir '/srv//work  space/' --artifacts "$scratch/blank" --save-image "$mine:blank" \
        --save-dockerfile "$scratch/Dockerfile.blank" "$scratch/where.py" -- 'a b'
    is "$status $(field stdout)$(field error)" "0 /srv/work  space ['where.py', 'a b'] ['made', 'where.py']null" "the program"
    is "$(cat "$scratch/blank/made")" "made" "its artifact"
    repeated="/srv/work  space ['where.py', 'a b'] ['made', 'where.py']"
    is "$(docker run --rm --network none "$mine:blank" 2>&1)" "$repeated" "the saved image repeats the run"
    build "$mine:blank-built" -f "$scratch/Dockerfile.blank" "$scratch"
    is "$(docker run --rm --network none "$mine:blank-built" 2>&1)" "$repeated" "so does the image of the Dockerfile"
    run --container-workdir //tmp/ "$scratch/where.py"
    is "$status $(field stdout)$(field error)" "0 /tmp ['where.py'] ['made', 'where.py']null" "/tmp, written in another way"
}

test_case --quick 'working directories and tags that are refused before anything runs' && {
    refused "--container-workdir: '/my \$work' is not a working directory; write an absolute path like /workspace" \
        "a working directory that a Dockerfile would not take" --container-workdir '/my $work' "$probe"
    for tag in -x a:b:c :x x: 'a b' a@b; do
        refused "'$tag' is not a tag for an image; write it like name:tag, the name in lower case" "--save-image '$tag'" --save-image="$tag" "$probe"
    done
    refused "'Upper:1' is not a tag for an image; write it like name:tag, the name in lower case" "--save-image Upper:1" --save-image Upper:1 "$probe"
    for tag in isolator-test/FOO/b:1 isolator-test/x:.y isolator-test/-x:1 "isolator-test/x:$(printf '%0129d' 0)"; do
        run --save-image "$tag" "$probe"
        is "$status|$out" "2|" "--save-image ${tag:0:30}: refused before anything runs"
    done
}

finish
