#!/usr/bin/env bash
# This host runs out of a resource: descriptors, processes, memory, room in files or on a disk. isolator run, isolator
# batch and isolator-mcp then work, or say what is wrong; none hangs or crashes, and nothing is left. Needs root or sudo,
# for a full disk and for users of its own, whose processes are counted.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $scratch and its like
[ "$(id -u)" = 0 ] || exec sudo -n env PATH="$PATH" ISOLATOR="${ISOLATOR-}" ISOLATOR_CONFIG="${ISOLATOR_CONFIG-}" \
    DOCKER_HOST="${DOCKER_HOST-}" "$0" "$@"
. "$(dirname "$0")/lib.sh"

disk=$scratch/disk # of 64 kB
mkdir "$disk"
trap 'in_main || exit; umount "$disk"; rm -rf "$scratch"' EXIT
mount -t tmpfs -o size=64k,mode=1777 none "$disk" || { echo "Bail out! cannot mount a tmpfs"; exit 1; }
export HOME=$scratch # of docker, for those users

# Users without a name may run the programs, and reach the engine by the group of its socket.
chmod 755 "$scratch"
mkdir "$scratch/bin"
cp "$ISOLATOR" "$(dirname "$ISOLATOR")/isolator-mcp" "$scratch/bin"
ISOLATOR=$scratch/bin/isolator
socket=${DOCKER_HOST:-unix:///var/run/docker.sock}
group=$(stat -L -c %g "${socket#unix://}")
perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, engineTimeoutSeconds => 20,
    promptsDir => "/"})' <"$ISOLATOR_CONFIG" >"$scratch/config.json"
export ISOLATOR_CONFIG=$scratch/config.json
hello=$(snippet ash 'echo hello')
echo '{"id": 2, "language": "busybox", "entrypoint_code": "echo hello"}' >"$scratch/lines"
cat >"$scratch/messages" <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"resources","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"language":"busybox","entrypoint_code":"echo hello"}}}
END
chmod 644 "$hello" "$ISOLATOR_CONFIG" "$scratch/lines"

# ---- limits of a process

# within_limit DIR COMMAND...: runs this command, which executes one of the programs, and kills it if it hangs. Writes
# DIR/status, DIR/out, DIR/err and DIR/pid.
within_limit() {
    local dir=$1
    shift
    trap - EXIT
    mkfifo "$dir/in"
    # Through pipes, since the size of files may be limited.
    { to_its_end "$dir" "$@" 2>&1 >&3 3>&- | cat >"$dir/err"; } 3>&1 | cat >"$dir/out"
}
to_its_end() {
    local dir=$1 in pid
    shift
    exec {in}<>"$dir/in"
    cat "$dir/input" >&"$in"
    perl -e 'alarm 200; exec @ARGV or exit 127' "$@" <"$dir/in" {in}>&- &
    pid=$!
    echo "$pid" >"$dir/pid"
    case $* in # a server goes on until the end of its input
    *isolator-mcp*) until_true eval 'grep -qs "\"id\":2," "$dir/out" || ! kill -0 "$pid" 2>/dev/null' ;;
    esac
    exec {in}>&-
    wait "$pid"
    echo $? >"$dir/status"
}

# Prints what is wrong with how a program ended: nothing if it succeeded, or reported its failure properly. MUST is
# "succeeds" or "fails" if only that is right, else "either".
verdict='
    my ($dir, $program, $must) = @ARGV;
    my ($status, $out, $err) = map { open my $file, "<", "$dir/$_" or die; local $/; <$file> // "" } qw(status out err);
    chomp $status;
    my @objects = map { eval { decode_json($_) } // exit print "no JSON: $_" } split /\n/, $out;
    my $how = "status $status, stdout: $out, stderr: $err";
    my $line = $err =~ /^$program: \S[^\n]+\n\z/ && !@objects;
    my $failed;
    if ($status == 127 && $err =~ /error while loading shared libraries/) { $failed = "by the loader" }
    elsif ($line) { $failed = $status == 3 ? "line" : exit print "a line with $how" }
    elsif ($program eq "isolator-mcp") {
        my ($answer) = grep { ($_->{id} // "") eq 2 } @objects;
        exit print $how unless $answer && $status == 0;
        my $text = $answer->{error} ? $answer->{error}{message} : $answer->{result}{content}[0]{text};
        if ($text ne "--- stdout ---\nhello\n") { $failed = length $text > 40 ? $text : exit print $how }
    } else {
        exit print $how unless @objects == 1;
        my $result = $objects[0];
        if ($result->{status} eq "success") {
            exit print $how unless $status == 0 && $result->{stdout} eq "hello\n" && !defined $result->{error};
        } else {
            exit print $how unless $result->{reason} eq "engine" && length $result->{error} > 20 && $status == 3;
            $failed = $result->{error};
        }
    }
    print "it failed: $how" if $must eq "succeeds" && defined $failed;
    print "it succeeded" if $must eq "fails" && !defined $failed;'

attempts=()
uid=$((100000 + $$ % 10000 * 100)) # of the last user
# attempt MUST NAME COMMAND...: starts all three programs by this command, beside other attempts.
attempt() {
    local must=$1 name=$2 program dir arguments input
    shift 2
    for program in "isolator run" "isolator batch" isolator-mcp; do
        while [ "$(jobs -rp | wc -l)" -ge 8 ]; do sleep 0.05; done
        case $program in
        "isolator run") input=/dev/null arguments=(isolator run "$hello") ;;
        "isolator batch") input=$scratch/lines arguments=(isolator batch -j 2) ;;
        *) input=$scratch/messages arguments=(isolator-mcp) ;;
        esac
        dir=$(mktemp -d "$scratch/attempt-XXXXXX")
        uid=$((uid + 1))
        ln -s "$input" "$dir/input"
        within_limit "$dir" "${@//UID/$uid}" "$scratch/bin/${arguments[0]}" "${arguments[@]:1}" 2>"$dir/shell" &
        attempts+=("$dir|$must|$program: $name")
    done
}

# judge: waits for all attempts and asserts how each ended.
judge() {
    local attempt dir must name program
    wait
    for attempt in "${attempts[@]}"; do
        IFS='|' read -r dir must name <<<"$attempt"
        own_pids="$own_pids$(cat "$dir/pid") "
        case $name in isolator-mcp*) program=isolator-mcp ;; *) program=isolator ;; esac
        is "$(perl -MJSON::PP -e "$verdict" "$dir" "$program" "$must"; cat "$dir/shell")" "" "$name"
    done
    attempts=()
}

test_case 'too few descriptors' && {
    for n in 3 {5..20} 24 28; do attempt either "$n descriptors" prlimit --nofile="$n"; done
    attempt fails "4 descriptors" prlimit --nofile=4
    attempt succeeds "40 descriptors" prlimit --nofile=40
    judge
}

test_case 'too few processes' && {
    # Each as another user: the reaper of a program stays for a while and would count for the next one.
    for n in 1 2 3 4 6 8 10 12 14 16 20 24 1000; do
        must=either
        [ "$n" != 1 ] || must=fails
        [ "$n" != 1000 ] || must=succeeds
        attempt "$must" "$n processes" setpriv --reuid UID --regid "$group" --clear-groups prlimit --nproc="$n"
    done
    judge
}

test_case 'too little address space' && {
    for n in 8 16 32 64 128 1024; do attempt either "$n MB of addresses" prlimit --as=$((n << 20)); done
    judge
}

test_case 'a limit on the size of files' && {
    attempt fails "files of 0 bytes" prlimit --fsize=0
    attempt fails "files of 500 bytes" prlimit --fsize=500
    attempt succeeds "files of 1 MB" prlimit --fsize=1000000
    judge
}

# ---- a disk that is full
head -c 1000000 /dev/zero >"$disk/full" 2>/dev/null
full="No space left on device"
# full_output COMMAND...: writes to a file on the full disk; $status, $err.
full_output() {
    "$@" <"$input" >"$disk/out" 2>"$scratch/err" &
    own_pids="$own_pids$! "
    wait $!
    status=$?
    err=$(cat "$scratch/err")
}

test_case 'TMPDIR on a full disk' && {
    TMPDIR=$disk run "$hello"
    outcome "0 success 0 exit null null" "TMPDIR on a full disk"
}

test_case '--save-dockerfile on a full disk' && {
    run --save-dockerfile "$disk/Dockerfile" "$hello"
    outcome "3 error 0 engine null cannot write the Dockerfile '$disk/Dockerfile': $full" "--save-dockerfile on a full disk"
    is "$(ls "$disk")" full "--save-dockerfile on a full disk: no partial file is left"
}

test_case 'output to a full disk' && {
    input=/dev/null full_output "$ISOLATOR" run "$hello"
    is "$status|$err" "3|isolator: cannot write the result: $full" "run: the output on a full disk"
    input=$scratch/lines full_output "$ISOLATOR" batch
    is "$status|$err" "3|isolator: cannot write the results: $full" "batch: the output on a full disk"
    input=$scratch/messages full_output "$scratch/bin/isolator-mcp"
    is "$status|$err" "3|isolator-mcp: cannot write the responses: $full" "mcp: the output on a full disk"
}

finish
