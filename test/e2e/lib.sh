# Sourced by the end-to-end tests: TAP output, running isolator, looking at what it left behind.
# shellcheck shell=bash
#
# Each test file ends with `finish`, which checks that the runs of this file left no container and no
# volume behind and prints the plan. Expectations are literal; a failing assertion prints what it saw.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
ISOLATOR=${ISOLATOR:-$PWD/build/isolator}
export ISOLATOR_CONFIG=${ISOLATOR_CONFIG:-$PWD/build/engine/test.json}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CONFIG_HOME=$scratch/home # what the user has prepared makes no difference
tests=0
own_pids=" "

# ok STATUS NAME: a test point that passes where STATUS is 0.
ok() {
    tests=$((tests + 1))
    if [ "$1" = 0 ]; then echo "ok $tests - $2"; else echo "not ok $tests - $2"; fi
    return "$1"
}

# Prints text as TAP comments.
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# is GOT EXPECTED NAME: equal strings.
is() {
    if [ "$1" = "$2" ]; then ok 0 "$3"; else ok 1 "$3"; diag "got:      $1"; diag "expected: $2"; fi
}

# has TEXT PART NAME: TEXT contains PART.
has() {
    case $1 in *"$2"*) ok 0 "$3" ;; *) ok 1 "$3"; diag "got:         $1"; diag "not in it:   $2" ;; esac
}

# hasnt TEXT PART NAME: TEXT does not contain PART.
hasnt() {
    case $1 in *"$2"*) ok 1 "$3"; diag "got:   $1"; diag "with:  $2" ;; *) ok 0 "$3" ;; esac
}

# within NUMBER LEAST MOST NAME
within() {
    if [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; then ok 0 "$4"; else ok 1 "$4"; diag "got $1, not from $2 to $3"; fi
}

# memory KB MOST NAME: a peak of memory. What a sanitizer keeps beside it is as much several times over
# (make asan, make tsan), so that there only the order is checked.
memory() {
    local most=$2
    [ -z "${ISOLATOR_SANITIZED-}" ] || most=$((4 * most + 131072))
    within "$1" 500 "$most" "$3"
}

# peak COMMAND [ARG...]: prints the most memory that the command had at once, without its children, in kB.
# It is traced, and in what is traced nobody can look for leaks.
peak() {
    [ -x "$scratch/peak" ] || cc -O2 -w -o "$scratch/peak" test/fixtures/peak.c
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 "$scratch/peak" "$@"
}

# run ARG...: runs `isolator run ARG...` and sets $status, $out (stdout) and $err (stderr). Stdin is
# the file $input, /dev/null where that is not set.
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
    # By now, not when the new process gets there: who waits for its output is not to find that of the last one.
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

take_output() {
    out=$(tr -d '\000' <"$scratch/out")
    err=$(tr -d '\000' <"$scratch/err")
}

# refused MESSAGE NAME ARG...: `isolator run ARG...` says MESSAGE on stderr in one line, nothing on
# stdout, and exits with 2.
refused() {
    local message=$1 name=$2
    shift 2
    run "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

# field NAME: the member of the JSON object in $out; null, true and false as these words, an array one
# item a line. "(no JSON)" where $out is not one JSON object.
field() {
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        local $/; my $text = <STDIN>;
        my $object = eval { JSON::PP->new->utf8->decode($text) };
        if (ref $object ne "HASH") { print "(no JSON)"; exit }
        if (!exists $object->{$ARGV[0]}) { print "(no member)"; exit }
        my $value = $object->{$ARGV[0]};
        print !defined $value ? "null"
            : JSON::PP::is_bool($value) ? ($value ? "true" : "false")
            : ref $value eq "ARRAY" ? join("\n", @$value)
            : $value;' "$1" <"$scratch/out"
}

# json EXPRESSION: a Perl expression about the result, which is the hash %$r.
json() {
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        local $/; our $r = eval { JSON::PP->new->utf8->decode(<STDIN>) };
        print ref $r eq "HASH" ? eval($ARGV[0]) : "(no JSON)"' "$1" <"$scratch/out"
}

# fields NAME...: these members, which are no arrays, in one line.
fields() { json "join ' ', map { \$_ // 'null' } @\$r{qw($*)}"; }

# outcome EXPECTED NAME: how it ended, "EXIT-STATUS status exitCode reason signal error".
outcome() { is "$status $(fields status exitCode reason signal error)" "$1" "$2"; }

# as_another COMMAND...: runs the command as another user where this one is root, who may do everything. What it is
# to reach in $scratch needs `chmod 755 "$scratch"`.
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

# until_true COMMAND...: waits till the command succeeds, at most two minutes.
until_true() {
    local end=$((SECONDS + 120))
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# until_running: waits till the program that `start -v` runs has begun.
until_running() { until_true grep -qs '^isolator: deliver ' "$scratch/err"; }

# children PID: the processes whose parent it is, but its janitor, which has a session of its own. process_group PID: its group. By proc(5), whose second
# field may hold any character.
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

# engine_seconds: prints the engineTimeoutSeconds for tests in which the engine hangs: 30, or on a slow
# machine seven times what an ordinary run takes, which this measures (without a shell it takes two).
engine_seconds() {
    local began=${EPOCHREALTIME/./} needed
    run "$(snippet ash 'echo')"
    needed=$(((${EPOCHREALTIME/./} - began) * 7 / 1000000 + 1))
    echo $((needed > 30 ? needed : 30))
}

# faulty FAULT COMMAND...: runs the command with a docker that has this fault ("create 1 fail", see
# test/fixtures/docker-fault; "" for none). What docker was told: $calls/SUBCOMMAND.N, in a directory of its own,
# since a janitor of an earlier run may still be at work.
calls=
faulty() {
    local DOCKER_REAL DOCKER_SESSION DOCKER_FAULT=$1 DOCKER_CALLS PATH=$PATH
    shift
    calls=$(mktemp -d "$scratch/calls-XXXXXX")
    DOCKER_CALLS=$calls
    mkdir -p "$scratch/fault"
    DOCKER_REAL=$(command -v docker)
    DOCKER_SESSION=$(ps -o sid= -p $$ | tr -d ' ')
    ln -sf "$PWD/test/fixtures/docker-fault" "$scratch/fault/docker"
    PATH=$scratch/fault:$PATH
    export DOCKER_SESSION DOCKER_REAL DOCKER_FAULT DOCKER_CALLS PATH
    "$@"
}

# without SED COMMAND...: runs the command with a docker whose `create` options this script changes, see
# test/fixtures/docker-without.
without() {
    local DOCKER_REAL DOCKER_WITHOUT=$1 PATH=$PATH
    shift
    mkdir -p "$scratch/without"
    DOCKER_REAL=$(command -v docker)
    ln -sf "$PWD/test/fixtures/docker-without" "$scratch/without/docker"
    PATH=$scratch/without:$PATH
    export DOCKER_REAL DOCKER_WITHOUT PATH
    "$@"
}

# The calls of docker since the last `faulty`, by their sub-commands: "create start rm"; "" for none. That of
# the sweep comes when it likes, and is left out.
docker_calls() {
    find "$calls" -type f ! -name 'sweep.*' -printf '%T@ %f\n' | sort -n | sed 's/^[^ ]* //; s/\..*//' | paste -s -d ' '
}

# snippet EXTENSION TEXT: writes a program and prints its path.
snippet() {
    local file
    file=$(mktemp "$scratch/snippet-XXXXXX.$1")
    printf '%s\n' "$2" >"$file"
    printf '%s\n' "$file"
}

# Containers that runs of this file left behind, by the labels that name their owner.
own_containers() {
    local all
    all=$(docker ps -a --filter label=isolator.pid --format '{{.Label "isolator.pid"}} {{.Names}}') ||
        echo "docker ps failed"
    while read -r owner name; do
        case $own_pids in *" $owner "*) echo "$name" ;; esac
    done <<<"$all"
}

# gone NAME: no container of this file's runs is left, or none is within a minute.
gone() {
    local left end=$((SECONDS + 60))
    while left=$(own_containers); [ -n "$left" ] && [ "$SECONDS" -lt "$end" ]; do
        sleep 0.1
    done
    is "$left" "" "$1"
}

# How many anonymous volumes nobody uses.
dangling_volumes() { docker volume ls -q --filter dangling=true | wc -l; }
volumes_before=$(dangling_volumes)

finish() {
    gone "no container is left"
    within "$(dangling_volumes)" 0 "$volumes_before" "no volume is left"
    echo "1..$tests"
}
