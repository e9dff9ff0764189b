# The library of the end-to-end tests: named cases, assertions, running isolator, checking what it left behind.
# shellcheck shell=bash
#
# A test file sources this file, lists its cases and ends with `finish`:
#
#   . "$(dirname "$0")/lib.sh"
#
#   test_case 'a program that fails' && {
#       code sh 'exit 3'
#       outcome "1 error 3 exit null program exited with status 3" "exit status 3"
#   }
#
#   finish
#
# test_case TITLE [BODY] starts a case. Its body is the block after `&&`, or the string BODY, as in git's test
# library. The block is the usual form: its quotes need no escaping, shellcheck reads it, and messages have the
# right line. A case is one test point (TAP). It passes if every assertion in it passed and there was at least one.
# A failing assertion prints its place, its name and what it saw, and the case goes on. Expectations are literal.
#
# `is` compares two strings. Where several facts belong together, a case prints them one a line and compares them with a
# here document by `expect`, which prints the differences:
#
#       expect "$(find . -type f -printf '%P %m %s\n' | sort)" "the files, with their modes and sizes" <<'END'
#   data/table.csv 644 4
#   tool.sh 755 10
#   END
#
# Cases stand at the left margin, each on a line of its own, so that --list finds them. What stands between the
# cases is set-up for all cases after it. It runs always, so it must be cheap. A case may use the set-up and changes
# nothing that another case needs, so that each runs alone.
#
# A case that needs no container engine is marked `test_case --quick`. These always run with test/fixtures/docker-stand-in
# as `docker` and the configuration test/fixtures/quick.json, in a process of their own before the others. With QUICK=1
# (`make check-quick`) only they run.
#
# Options of every test file:
#   --list         print the number and the title of each case, and run nothing
#   --run PATTERN  run only some cases: by number (3, 2-5, 1,4), or those whose title contains PATTERN, which may
#                  be a glob; case does not matter
#   --loops N      run them N times, each time in a new process, until one fails: to reproduce a failure that is rare

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
test_file=$PWD/test/e2e/${0##*/}

# ---- options of the test file

# Prints the titles as they stand in the file. The number of a line is the number of the case.
case_titles() { sed -nE "s/^test_case (--quick )?('([^']*)'|\"([^\"]*)\").*/\3\4/p" "$test_file"; }

usage() { echo "usage: $0 [--list] [--run NUMBER|PATTERN] [--loops N]" >&2; exit 2; }

case_pattern=
loops=
while [ $# -gt 0 ]; do
    case $1 in
    --list) case_titles | cat -n; exit ;;
    --run=?*) case_pattern=${1#--run=} ;;
    --run) [ -n "${2-}" ] || usage; case_pattern=$2; shift ;;
    --loops=*) set -- --loops "${1#--loops=}" "${@:2}"; continue ;;
    --loops) [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage; loops=$2; shift ;;
    *) usage ;;
    esac
    shift
done

if [ -n "$loops" ]; then
    for ((loop = 1; loop <= loops; loop++)); do
        echo "# loop $loop of $loops"
        bash "$test_file" ${case_pattern:+"--run=$case_pattern"} || exit
    done
    exit
fi

quick_status=0
if [ -z "${QUICK-}" ] && grep -q '^test_case --quick' "$test_file"; then
    QUICK=1 bash "$test_file" ${case_pattern:+"--run=$case_pattern"}
    quick_status=$?
fi

ISOLATOR=${ISOLATOR:-$PWD/build/isolator}
scratch=$(mktemp -d)
# in_main: whether this is not a child. bash runs the trap of EXIT also in a child that is killed right after its start,
# before it has forgotten that trap. So each of them begins with `in_main || exit`.
in_main() { [ "$BASHPID" = $$ ]; }
trap 'in_main || exit; rm -rf "$scratch"' EXIT
# Prepared images and jobs of the user make no difference; that the engine has shown that it enforces limits stays known.
proven=${XDG_STATE_HOME:-$HOME/.local/state}/isolator/enforced
[ ! -d "$proven" ] || { mkdir -p "$scratch/state/isolator" && cp -r "$proven" "$scratch/state/isolator"; }
export XDG_CONFIG_HOME=$scratch/home XDG_STATE_HOME=$scratch/state
export TERM=dumb # on a slow machine a status line would appear anywhere; cases about it choose another terminal
own_pids=" "
if [ -n "${QUICK-}" ]; then
    mkdir "$scratch/stand-in"
    ln -s "$PWD/test/fixtures/docker-stand-in" "$scratch/stand-in/docker"
    PATH=$scratch/stand-in:$PATH
    unset DOCKER_HOST
    export DOCKER_STAND_IN=$scratch/stand-in/state ISOLATOR_CONFIG=$PWD/test/fixtures/quick.json
else
    export ISOLATOR_CONFIG=${ISOLATOR_CONFIG:-$PWD/build/engine/test.json}
fi

# What the engine of this configuration is called by: "docker" or "podman". In a test, `docker` is a command of this engine
# (the test beds of podman have podman under this name too), and engine_is says which, where the two differ.
engine_command=$(sed -n 's/^{"containerCommand": "\([^"]*\)".*/\1/p' "$ISOLATOR_CONFIG" 2>/dev/null)
engine_command=${engine_command:-docker}
engine_is() { [ "$engine_command" = "$1" ]; }

# make_programs DIRECTORY: makes it like a directory of `make static`, with the programs that are tested.
make_programs() {
    mkdir -p "$1"
    strip -o "$1/isolator" "$ISOLATOR"
    strip -o "$1/isolator-mcp" "$ISOLATOR-mcp"
    echo licenses >"$1/LICENSES"
}

# The names of the languages that are built in, in the order of messages.
built_in="python, go, javascript, typescript, c, cpp, rust, java, ruby, php, perl, bash, lua, r"

# ---- cases

case_number=0     # of the case that runs or ran last
case_title=       # empty while no case runs
case_assertions=0 # in this case
case_failed=      # set if one of them failed
case_matched=     # set if --run selects one
points=0          # cases that have ended
points_failed=0   # of them
assertions=0      # in all of them
uses_engine=yes   # a file that never needs the engine sets this to "no" before its first case
volumes_before=   # set when the first case starts that needs the engine

# test_case [--quick] TITLE [BODY]: ends the previous case and starts this one; fails if this one is not selected.
test_case() {
    local quick=
    end_case
    [ "$1" != --quick ] || { quick=1; shift; }
    case_number=$((case_number + 1))
    is_selected "$1" "$quick" || return
    [ -n "$quick$volumes_before" ] || [ "$uses_engine" = no ] || volumes_before=$(dangling_volumes)
    case_title=$1 case_assertions=0 case_failed=
    [ $# -eq 1 ] || eval "$2"
    return 0
}

# is_selected TITLE QUICK: whether --run selects this case, and it is one of those that this process runs.
is_selected() {
    matches_pattern "$1" || return
    case_matched=1
    [ "$2" = "${QUICK:+1}" ]
}

matches_pattern() { # TITLE
    local range numbers='^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$'
    [ -n "$case_pattern" ] || return 0
    if [[ $case_pattern =~ $numbers ]]; then
        for range in ${case_pattern//,/ }; do
            [ "$case_number" -lt "${range%-*}" ] || [ "$case_number" -gt "${range#*-}" ] || return 0
        done
        return 1
    fi
    [[ ${1,,} == *${case_pattern,,}* ]]
}

# Prints the test point of the case that runs, unless a failed assertion has done so.
end_case() {
    [ -n "$case_title" ] || return 0
    [ ! -e "$scratch/lost" ] || count_assertion 1 "an assertion ran in a subshell, where it does not count"
    rm -f "$scratch/lost"
    [ "$case_assertions" -gt 0 ] || count_assertion 1 "the case made no assertion"
    points=$((points + 1))
    assertions=$((assertions + case_assertions))
    [ -n "$case_failed" ] || echo "ok $case_number - $case_title"
    case_title=
}

# count_assertion STATUS NAME: counts an assertion of the case that runs; it passes if STATUS is 0. Returns STATUS.
count_assertion() {
    if [ -z "$case_title" ]; then
        echo "Bail out! $(assertion_place): this assertion stands outside of every case: $2"
        exit 1
    fi
    case_assertions=$((case_assertions + 1))
    [ "$BASHPID" = $$ ] || : >"$scratch/lost"
    [ "$1" != 0 ] || return 0
    if [ -z "$case_failed" ]; then
        echo "not ok $case_number - $case_title"
        case_failed=1
        points_failed=$((points_failed + 1))
    fi
    diag "$(assertion_place): $2"
    return "$1"
}

# Prints the line of the failed assertion; if a function of the file called it, also the line that called that function.
assertion_place() {
    local i place=
    for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
        [ "${BASH_SOURCE[i]}" != "${BASH_SOURCE[0]}" ] || continue
        place+="${place:+, called from }line ${BASH_LINENO[i - 1]}"
    done
    echo "${0##*/}, $place"
}

# Ends the file: checks that no container and no volume remains, and prints the plan. Fails if a case failed. A file
# may define a function check_at_end with further assertions.
finish() {
    local cases
    end_case
    cases=$(case_titles | wc -l)
    if [ "$case_number" -ne "$cases" ]; then
        echo "Bail out! $0 lists $cases cases, but came to $case_number"
        exit 1
    fi
    if [ -z "$case_matched" ]; then
        echo "Bail out! no case matches '$case_pattern'; $0 --list shows all"
        exit 1
    fi
    if [ -n "$volumes_before" ]; then
        case_number=$((case_number + 1)) case_title="nothing is left behind" case_assertions=0 case_failed=
        gone "no container is left"
        volumes_gone "no volume is left"
        ! declare -F check_at_end >/dev/null || check_at_end
        end_case
    fi
    [ "$points" -eq 0 ] || printf '%s\n' "# cases: $points, assertions: $assertions" "1..$points"
    [ "$points_failed" -eq 0 ] && [ "$quick_status" -eq 0 ]
}

# A file that runs into a time limit says which case waited, and where.
trap 'count_assertion 1 "SIGTERM during this case"; exit 143' TERM

# ---- assertions: the last argument says what is expected

# ok STATUS NAME: passes if STATUS is 0.
ok() { count_assertion "$1" "$2"; }

# Prints text as TAP comments.
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# is GOT EXPECTED NAME: equal strings.
is() {
    if [ "$1" = "$2" ]; then count_assertion 0 "$3"; return; fi
    count_assertion 1 "$3"
    diag "  got:      $1"
    diag "  expected: $2"
    return 1
}

# expect GOT NAME <<'END': GOT, a text of any number of lines, equals the here document without its last newline, which
# "$(...)" leaves out too. GOT is an argument, since an assertion in a pipe does not count.
expect() {
    local expected
    IFS= read -r -d '' expected
    expected=${expected%$'\n'}
    if [ "$1" = "$expected" ]; then count_assertion 0 "$2"; return; fi
    count_assertion 1 "$2"
    diff -u --label expected --label found <(whole_lines "$expected") <(whole_lines "$1") | sed 's/^/#   /'
    return 1
}

# whole_lines TEXT: prints it with a newline at its end; nothing if it is empty.
whole_lines() { printf '%s' "$1${1:+$'\n'}"; }

# has TEXT PART NAME: TEXT contains PART.
has() {
    if [[ $1 == *"$2"* ]]; then count_assertion 0 "$3"; return; fi
    count_assertion 1 "$3"
    diag "  got:     $1"
    diag "  without: $2"
    return 1
}

# hasnt TEXT PART NAME: TEXT does not contain PART.
hasnt() {
    if [[ $1 != *"$2"* ]]; then count_assertion 0 "$3"; return; fi
    count_assertion 1 "$3"
    diag "  got:  $1"
    diag "  with: $2"
    return 1
}

# within NUMBER MIN MAX NAME: MIN <= NUMBER <= MAX.
within() {
    if [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; then count_assertion 0 "$4"; return; fi
    count_assertion 1 "$4"
    diag "  got $1, not from $2 to $3"
    return 1
}

# memory KB MAX NAME: a peak of memory. A sanitizer (make asan, make tsan) needs several times as much, so there
# only the order of magnitude is checked.
memory() {
    local max=$2
    [ -z "${ISOLATOR_SANITIZED-}" ] || max=$((4 * max + 131072))
    within "$1" 500 "$max" "$3"
}

# ---- running isolator

# peak COMMAND [ARG...]: prints the peak memory of the command, without its children, in kB. The command is traced,
# so the leak sanitizer, which traces it too, is off.
peak() {
    [ -x "$scratch/peak" ] || cc -O2 -w -o "$scratch/peak" test/fixtures/peak.c
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 "$scratch/peak" "$@"
}

# run ARG...: runs `isolator run ARG...` and sets $status, $out (stdout) and $err (stderr). Stdin is
# the file $input, or /dev/null if that is not set.
run() { isolator run "$@"; }

# isolator ARG...: the same for any command.
isolator() {
    local pid
    start_isolator "$@"
    await
}

# start ARG..., start_isolator ARG...: the same in the background; $pid is the process. Then `await`.
start() { start_isolator run "$@"; }
start_isolator() {
    # Before the process starts: a test that waits for its output must not find that of the last one.
    : >"$scratch/out" 2>"$scratch/err"
    "$ISOLATOR" "$@" <"${input:-/dev/null}" >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
}

await() {
    wait "$pid"
    status=$?
    take_output
}

take_output() { # bash drops bytes that are 0, and says so
    { out=$(<"$scratch/out") err=$(<"$scratch/err"); } 2>/dev/null
}

# refused MESSAGE NAME ARG...: asserts that `isolator run ARG...` prints MESSAGE on stderr in one line, nothing on
# stdout, and exits with 2.
refused() {
    local message=$1 name=$2
    shift 2
    run "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

# field NAME...: these members of the JSON object in $out, in one line; null, true and false as these words, an array one
# item a line. "(no JSON)" if $out is not one JSON object.
field() {
    if [ test/fixtures/field.c -nt build/field ]; then
        cc -O1 -o build/field.$$ test/fixtures/field.c -ljansson && mv build/field.$$ build/field
    fi
    build/field "$@" <"$scratch/out"
}

# json EXPRESSION: a Perl expression about the result, which is the hash %$r.
json() {
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        local $/; our $r = eval { JSON::PP->new->utf8->decode(<STDIN>) };
        print ref $r eq "HASH" ? eval($ARGV[0]) : "(no JSON)"' "$1" <"$scratch/out"
}

# outcome EXPECTED NAME: asserts how the run ended, "EXIT-STATUS status exitCode reason signal error".
outcome() { is "$status $(field status exitCode reason signal error)" "$1" "$2"; }

# as_another COMMAND...: runs the command as an unprivileged user if this one is root, who may do everything. To let
# it reach files in $scratch, `chmod 755 "$scratch"` first.
as_another() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}

# code EXTENSION TEXT [ARG...]: runs this program.
code() {
    local file
    file=$(snippet "$1" "$2")
    shift 2
    run "$file" "$@"
}

# with_servers JSON [MORE]: makes a configuration of the engine with these tool servers the one that is used.
with_servers() {
    SERVERS="{\"tools\": {$1}${2-}}" perl -MJSON::PP -0777 -ne 'print encode_json({%{decode_json($_)}, %{decode_json($ENV{SERVERS})}})' \
        "${plain_config:=$ISOLATOR_CONFIG}" >"$scratch/with-servers.json"
    export ISOLATOR_CONFIG=$scratch/with-servers.json
}
# tool_server NAME MODE [MORE]: a fake one, of which all tools are allowed unless MORE says something else.
tool_server() { printf '"%s": {"command": "%s", "args": ["%s"]%s}' "$1" "$PWD/test/fixtures/upstream" "$2" "${3-, \"allow\": [\"*\"]}"; }

# reaches_hosts: asserts that a program in ash reaches a host of the list, which is a web server at 127.0.0.1, and no other.
reaches_hosts() {
    local server port
    python3 -c 'import http.server
class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello\n")
server = http.server.HTTPServer(("127.0.0.1", 0), Hello)
print(server.server_port, flush=True)
server.serve_forever()' >"$scratch/port" 2>"$scratch/served" &
    server=$!
    until_true test -s "$scratch/port"
    port=$(<"$scratch/port")
    code ash 'wget -q -O - "http://127.0.0.1:'"$port"'/"; wget -q -O - http://10.0.0.1/ || echo refused' --allow-host "127.0.0.1:$port"
    kill "$server"
    is "$status $(field stdout) $(json 'join " ", map { "$_->{host} $_->{status}" } @{$r->{network}{connections}}')" \
        "0 hello"$'\n'"refused 127.0.0.1 connected 10.0.0.1 refused" "what a program got of a host of the list, and of another one"
}

# ---- waiting

# until_true COMMAND...: waits until the command succeeds, at most two minutes; if it does not, the case has failed.
until_true() {
    local end=$((SECONDS + 120))
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { count_assertion 1 "waited two minutes in vain: $*"; return 1; }
        sleep 0.1
    done
}

# until_running: waits until the program that `start -v` runs has begun.
until_running() { until_true grep -qs '^isolator: deliver ' "$scratch/err"; }

# children PID: its child processes, without the reaper, which has a session of its own. process_group PID: its group.
# Read from proc(5), whose second field may hold any character.
children() {
    local file line
    for file in /proc/[0-9]*/stat; do
        read -r line 2>/dev/null <"$file" || continue
        # shellcheck disable=SC2086 # words
        set -- "$1" "${file//[^0-9]/}" ${line##*) }
        [ "$4" != "$1" ] || [ "$6" = "$2" ] || echo "$2"
    done 2>/dev/null
}
process_group() { sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 3; }

# engine_seconds: prints the engineTimeoutSeconds for tests in which the engine hangs: 30, or on a slow machine seven
# times the duration of an ordinary run, which this measures (an image without a shell takes two).
engine_seconds() {
    local began=${EPOCHREALTIME/./} needed
    run "$(snippet ash 'echo')"
    needed=$(((${EPOCHREALTIME/./} - began) * 7 / 1000000 + 1))
    echo $((needed > 30 ? needed : 30))
}

# ---- a docker command with faults

# faulty FAULT COMMAND...: runs the command with a docker that has this fault ("run 1 fail", see
# test/fixtures/docker-fault; "" for none). The arguments of each call are in $calls/SUBCOMMAND.N, in a new directory,
# since the reaper of an earlier run may still be at work.
calls=
faulty() {
    local DOCKER_REAL DOCKER_SESSION DOCKER_FAULT=$1 DOCKER_CALLS PATH=$PATH
    shift
    calls=$(mktemp -d "$scratch/calls-XXXXXX")
    DOCKER_CALLS=$calls
    mkdir -p "$scratch/fault"
    DOCKER_REAL=$(command -v docker)
    DOCKER_SESSION=$(ps -o sid= -p $$ | tr -d ' ')
    ln -sf "$PWD/test/fixtures/docker-fault" "$scratch/fault/$engine_command"
    PATH=$scratch/fault:$PATH
    export DOCKER_SESSION DOCKER_REAL DOCKER_FAULT DOCKER_CALLS PATH
    "$@"
}

# without SED COMMAND...: runs the command with a docker whose `run` and `create` options this script changes, see
# test/fixtures/docker-without.
without() {
    local DOCKER_REAL DOCKER_WITHOUT=$1 PATH=$PATH
    shift
    mkdir -p "$scratch/without"
    DOCKER_REAL=$(command -v docker)
    ln -sf "$PWD/test/fixtures/docker-without" "$scratch/without/$engine_command"
    PATH=$scratch/without:$PATH
    export DOCKER_REAL DOCKER_WITHOUT PATH
    "$@"
}

# The calls of docker since the last `faulty`, by their subcommands: "run rm"; "" for none. Those of the
# reaper come at any time and are left out.
docker_calls() {
    find "$calls" -type f ! -name 'gc.*' -printf '%T@ %f\n' | sort -n | sed 's/^[^ ]* //; s/\..*//' | paste -s -d ' '
}

# own_users: replaces on stdin each user that a container gets as its own, by the default configuration, with OWN.
own_users() { sed -E 's/\b19[0-6][0-9]{4}\b/OWN/g'; }

# snippet EXTENSION TEXT: writes a program and prints its path.
snippet() {
    local file
    file=$(mktemp "$scratch/snippet-XXXXXX.$1")
    printf '%s\n' "$2" >"$file"
    printf '%s\n' "$file"
}

# processes_of CONTAINER: its processes, "PID ARGUMENTS" as the host has them, one a line below a title.
processes_of() {
    if engine_is podman; then docker top "$1" hpid args; else docker top "$1" -o pid,args; fi
}

# ---- what is left behind

# label_of NAME: this label in the template of `ps`; podman 4.3 does not have .Label.
label_of() { if engine_is podman; then echo "{{index .Labels \"$1\"}}"; else echo "{{.Label \"$1\"}}"; fi; }

# The containers that runs of this file left behind, found by the labels that name their owner.
own_containers() {
    local all
    all=$(docker ps -a --filter label=isolator.pid --format "$(label_of isolator.pid) {{.Names}}") ||
        echo "docker ps failed"
    while read -r owner name; do
        case $own_pids in *" $owner "*) echo "$name" ;; esac
    done <<<"$all"
}

# gone NAME: asserts that no container of this file's runs is left within a minute.
gone() {
    local left end=$((SECONDS + 60))
    while left=$(own_containers); [ -n "$left" ] && [ "$SECONDS" -lt "$end" ]; do
        sleep 0.1
    done
    is "$left" "" "$1"
}

# How many anonymous volumes no container uses.
dangling_volumes() { docker volume ls -q --filter dangling=true | wc -l; }
# volumes_gone NAME: asserts that within a minute there are no more of them than before this file. The other workers of
# test/run have volumes too, which are unused for a moment.
volumes_gone() {
    local end=$((SECONDS + 60)) count
    while count=$(dangling_volumes) && [ "$count" -gt "$volumes_before" ] && [ "$SECONDS" -lt "$end" ]; do
        sleep 0.1
    done
    within "$count" 0 "$volumes_before" "$1"
}
