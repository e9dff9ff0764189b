#!/usr/bin/env bash
# Workspaces: containers in which commands run, one visit after the other, from any process of the user.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

busybox=isolator-test/busybox:1
echo "a file" >"$scratch/more.txt"

# workspace NAME ARG...: makes one. visit NAME ARG...: runs a command in it.
workspace() {
    isolator create --name "$@"
    is "$status|$out|$err" "0|$1|" "the workspace is made"
}
visit() { isolator exec "$1" -- "${@:2}"; }
container_of() { docker ps -a --filter "label=isolator.job.name=$1" --format '{{.Names}}'; }
has_ended() { [ "$(docker inspect -f '{{.State.Status}}' "$(container_of "$1")" 2>/dev/null)" = exited ]; }
refuses() { isolator "${@:2}"; is "$status|$out" "2|" "${*:2}"; has "$err" "$1" "${*:2}: the reason"; }
remove() { isolator rm --force "$@"; is "$status" 0 "it is removed"; }

test_case 'commands find the files of those before, and their results are those of a run' && {
    mkdir -p "$scratch/tree/below" && echo deep >"$scratch/tree/below/file"
    workspace w1 --image $busybox --dir "$scratch/tree" "$scratch/more.txt"
    visit w1 sh -c 'cat more.txt below/file; echo error >&2; echo made >made.txt; exit 3'
    is "$status $(field workspace status exitCode reason stdout stderr signal warm)" \
        "1 w1 error 3 exit a file"$'\n'"deep"$'\n'" error"$'\n'" null true" "the first command"
    visit w1 cat made.txt
    is "$status $(field stdout)" "0 made" "the second command"
    isolator exec w1 --env GREETING=hello --stdin "$scratch/more.txt" -- sh -c 'echo $GREETING; cat; echo $HOME; pwd; id -u >/dev/null'
    is "$(field stdout)" $'hello\na file\n/tmp\n/workspace' "environment, standard input, directory"
    isolator exec --stream w1 -- sh -c 'echo out; echo err >&2; exit 7'
    is "$status|$out|$err" "7|out|err" "--stream"
    is "$(echo typed | "$ISOLATOR" exec -i --stream w1 -- cat)" typed "--interactive"
    visit w1 nosuchcommand
    is "$status $(field reason)" "3 command" "a command that is not there"
    remove w1
    is "$(container_of w1)" "" "the container is gone"
}

test_case 'a command starts in another directory: --workdir' && {
    mkdir -p "$scratch/below/src" && printf '#!/bin/sh\npwd -P\n' >"$scratch/below/src/where" && chmod 755 "$scratch/below/src/where"
    workspace w12 --image $busybox --dir "$scratch/below"
    isolator exec -w src w12 -- ./where
    is "$status $(field stdout)" "0 /workspace/src" "from the working directory on"
    isolator exec --workdir /dev w12 -- pwd
    is "$status $(field stdout)" "0 /dev" "an absolute path"
    visit w12 pwd
    is "$(field stdout)" /workspace "the next command starts where it always does"
    isolator exec -w none w12 -- pwd
    is "$status $(field reason error)" "2 input cannot start in the directory 'none': No such file or directory" "one that is not there"
    visit w12 sh -c 'mkdir closed; chmod 0 closed; echo >file'
    for name in closed file; do
        isolator exec -w $name w12 -- pwd
        is "$status $(field reason)" "2 input" "$name"
    done
    refuses "--workdir: a path has 1 to 4095 bytes" exec -w '' w12 -- pwd
    remove w12
}

test_case 'what a command leaves running is killed, and the next one sees none of it' && {
    workspace w2 --image $busybox
    visit w2 sh -c 'sleep 1000 & (trap "" TERM HUP; setsid sleep 1001 &) ; echo over'
    is "$status $(field stdout)" "0 over" "a command that leaves processes"
    visit w2 sh -c 'for p in /proc/[0-9]*; do tr "\0" " " <$p/cmdline 2>/dev/null; echo; done | grep -c "slee[p]"'
    is "$(field stdout)" "0" "the next one finds none"
    remove w2
}

test_case 'the limits of a command: time, CPU time, output; and of the workspace: memory, processes' && {
    workspace w3 --image isolator-test/python:bookworm --memory 64m --pids-limit 20
    isolator exec --timeout 1s w3 -- sleep 1000
    is "$status $(field reason exitCode)" "124 timeout 137" "the timeout"
    isolator exec --cpu-seconds 1 w3 -- sh -c 'while :; do :; done'
    is "$(field reason)" "cpu-time" "the CPU time"
    visit w3 sh -c yes
    is "$(field reason)" "output-limit" "the output"
    visit w3 python3 -c 'x = bytearray(200 << 20)'
    is "$(field reason)" "oom" "the memory"
    visit w3 sh -c 'i=0; while [ $i -lt 50 ]; do sleep 5 & i=$((i + 1)); done; wait'
    has "$(field warnings)" "the limit of 20 processes and threads" "the processes"
    visit w3 python3 -c 'x = bytearray(20 << 20)'
    is "$(field status) $(json '$r->{peakMemoryBytes} > 20 << 20 ? "more" : $r->{peakMemoryBytes}')" "success more" "its memory"
    visit w3 echo still
    is "$(field stdout)" "still" "the workspace goes on after all of them"
    is "$(json '$r->{peakMemoryBytes} < 8 << 20 ? "less" : $r->{peakMemoryBytes}')" "less" "and its memory is not that of those before"
    remove w3
}

test_case 'a second command waits for the first one' && {
    workspace w4 --image $busybox
    "$ISOLATOR" exec --stream w4 -- sh -c 'echo begun; sleep 2; echo first >>order' >"$scratch/first" &
    until_true grep -q begun "$scratch/first"
    visit w4 sh -c 'echo second >>order; cat order'
    wait $!
    is "$(field stdout)" $'first\nsecond' "one after the other"
    remove w4
}

test_case 'many commands at once: each gets its own result, and its processes are those of no other' && {
    workspace many --image $busybox --pids-limit 16 --memory 32m
    "$ISOLATOR" exec --stream many -- sh -c 'echo begun; sleep 3; for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait' >"$scratch/held" 2>"$scratch/refused" &
    until_true grep -q begun "$scratch/held"
    for i in {1..24}; do
        "$ISOLATOR" exec --timeout 60s many -- sh -c 'echo "$0"; echo x >>all' "own $i" >"$scratch/own$i" &
    done
    wait
    is "$(cat "$scratch/held" "$scratch/refused")" begun "those that wait are no processes of the container"
    for i in {1..24}; do
        is "$(perl -MJSON::PP -0ne '$r = decode_json($_); print "@$r{qw(status stdout)} @{$r->{warnings}}"' "$scratch/own$i")" \
            "success own $i"$'\n '  "the result of command $i"
    done
    visit many sh -c 'grep -c x all'
    is "$(field stdout)" 24 "each has run once"
    remove many
}

test_case 'a container in which no process can be started for a moment is entered again' && {
    workspace again --image $busybox
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/docker" <<END
#!/bin/sh
if [ "\$1" = exec ] && [ ! -e "$scratch/failed" ]; then
    touch "$scratch/failed"
    echo "OCI runtime exec failed: exec failed: fork: Resource temporarily unavailable"
    exit 126
fi
exec "$(command -v docker)" "\$@"
END
    chmod +x "$scratch/bin/docker"
    PATH=$scratch/bin:$PATH isolator exec again -- echo entered
    is "$status $(field stdout) $(ls "$scratch/failed")" "0 entered $scratch/failed" "the second try"
    remove again
}

test_case 'a workspace of another version of isolator' && {
    workspace older --image $busybox
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/docker" <<END
#!/bin/sh
[ "\$1" = exec ] || exec "$(command -v docker)" "\$@"
"$(command -v docker)" "\$@" | perl -e '\$| = 1; binmode STDIN; sysread STDIN, my \$head, 8 + 20 + 1;
    substr(\$head, 28, 1) = "\x01"; print \$head; print while sysread STDIN, \$_, 65536'
END
    chmod +x "$scratch/bin/docker"
    PATH=$scratch/bin:$PATH isolator exec older -- echo no
    is "$status $(field error)" "2 the workspace was made by another version of isolator, which alone can use it; with this one, remove \
it with isolator rm --force and make another" "it is told, and what to do"
    remove older
}

test_case 'exec is killed: the command ends, and the workspace goes on' && {
    workspace w5 --image $busybox
    for round in 1 2 3; do
        "$ISOLATOR" exec w5 --stream -- sh -c 'trap "" TERM INT HUP; echo begun; sleep 1000' >"$scratch/out5" &
        killed=$!
        until_true grep -q begun "$scratch/out5"
        kill -9 $killed
        wait $killed 2>/dev/null
        : >"$scratch/out5"
        visit w5 sh -c 'for p in /proc/[0-9]*; do tr "\0" " " <$p/cmdline 2>/dev/null; echo; done | grep -c "slee[p] 1000"'
        is "$status $(field stdout)" "1 0" "round $round: its processes are gone"
    done
    remove w5
}

test_case 'it ends by itself: unused, over, stopped; exec says so, and ps knows' && {
    workspace idle --image $busybox --idle 1s
    workspace over --image $busybox --lifetime 2s
    workspace stopped --image $busybox
    isolator ps --json
    is "$(grep -F '"stopped"' <<<"$out" | perl -MJSON::PP -e '$r = decode_json(<>); print "@$r{qw(kind state language)}"')" \
        "workspace running python" "ps --json"
    isolator stop stopped
    is "$status" 0 "stop"
    for name in idle over stopped; do
        until_true has_ended $name
    done
    visit idle true
    is "$status $(field error)" "2 the workspace has ended: it was not used for a while" "unused"
    visit over true
    is "$status $(field error)" "2 the workspace has ended: its lifetime is over" "over"
    visit stopped true
    is "$status $(field error)" "2 the workspace has ended: it was stopped" "stopped"
    docker rm --force --volumes "$(container_of over)" >/dev/null
    visit over true
    has "$(field error)" "the workspace is not on this engine: it was removed" "removed by other means"
    remove idle over stopped
}

test_case 'a command whose workspace is ended says so, and so do those that wait' && {
    for word in stop 'rm --force'; do
        workspace ends --image $busybox
        : >"$scratch/first" # what an earlier one has written must not be found
        "$ISOLATOR" exec --stream ends -- sh -c 'echo begun; sleep 1000' >"$scratch/first" 2>"$scratch/why" &
        until_true grep -q begun "$scratch/first"
        "$ISOLATOR" exec ends -- true >"$scratch/second" &
        isolator $word ends
        wait
        has "$(cat "$scratch/why")" "the workspace " "$word: the command"
        hasnt "$(cat "$scratch/why")" "memory" "$word: not another reason"
        has "$(cat "$scratch/second")" '"error": "the workspace ' "$word: one that waits"
        "$ISOLATOR" rm --force ends >/dev/null 2>&1
    done
}

test_case 'refusals' && {
    refuses "no workspace 'nosuch'; isolator ps lists them" exec nosuch -- true
    refuses "the command follows two dashes, as in: isolator exec w1 -- ls -l" exec w1
    refuses "the command follows two dashes" exec w1 true
    refuses "no workspace is named" exec -- true
    refuses "-t is the timeout; programs have no terminal" exec -it w1 -- sh
    refuses "the configuration allows 28800 seconds at most" create --image $busybox --lifetime 9h
    refuses "'abc' cannot be the name of a workspace: up to 64 letters" create --image $busybox --name abc
    refuses "cannot run as user 0" create --image $busybox --user 0:0
    sed '1s/{/{"defaults": {"network": "bridge"}, /' "$ISOLATOR_CONFIG" >"$scratch/bridge.json"
    refuses "a workspace cannot have a network: it goes on when isolator has ended" create --image $busybox --config "$scratch/bridge.json"
    workspace w6 --image $busybox
    isolator create --name w6 --image $busybox
    has "$err" "there is a job or workspace 'w6' already" "a name twice"
    refuses "the workspace runs; to end and remove it, use --force" rm w6
    refuses "'w6' is a workspace" wait w6
    refuses "'w6' is a workspace" logs w6
    remove w6
    id=$("$ISOLATOR" start --language busybox --code 'sleep 100')
    refuses "is a job and no workspace" exec "$id" -- true
    isolator rm --force "$id"
}

test_case 'hosts, tools and the audit file of a command' && {
    audit=$scratch/audit.jsonl
    with_servers "$(tool_server one rich)"
    isolator create --audit "$audit" --name w9 --language python
    isolator exec --audit "$audit" --tools one w9 -- python3 -c 'import tools; print(tools.one.echo(a=1))'
    is "$status $(field stdout) $(json '$r->{toolCallCounts}{ok}')" "0 {'got': {'a': 1}} 1" "the tools of a server"
    visit w9 python3 -c 'import tools; print(tools.one.echo(a=1))'
    has "$status $(field stderr)" "1 Traceback" "not for the next command"
    isolator exec --allow-host 127.0.0.1:1 w9 -- python3 -c 'import os; print(os.environ["http_proxy"][:7])'
    is "$status $(field stdout) $(json '$r->{network}{connections} ? "[]" : "none"')" "0 http:// []" "hosts"
    id=$(container_of w9)
    is "$(perl -MJSON::PP -ne 'my $l = decode_json($_); print join(" ", map { $_ // "null" } @$l{qw(container status exitCode)}), "\n"' "$audit")" \
        "$id started null"$'\n'"$id success 0" "a line of the start, and one of the command"
    export ISOLATOR_CONFIG=$plain_config
    remove w9
}

# copies and lists as `isolator cp` and `isolator ls` do, and asserts that they succeed.
copy() { isolator cp "$@"; is "$status|$err" "0|" "cp $*"; }
names() { isolator ls "$1"; echo "$out" | paste -s -d ' '; }

test_case 'files in and out' && {
    workspace w10 --image isolator-test/python:bookworm
    mkdir -p "$scratch/files/below" && cd "$scratch/files" || exit
    echo one >one && echo hidden >.hidden && printf '#!/bin/sh\necho it runs\n' >below/run && chmod 755 below/run
    head -c 3000000 /dev/urandom >large && touch -d @1000000000 one
    copy one below w10:
    is "$(names w10)" "below/ one" "into the working directory"
    copy one w10:other
    copy one w10:new/directory/
    copy below w10:renamed
    copy one w10:below
    copy ./. w10:/tmp/all
    is "$(names w10) | $(names w10:new/directory) | $(names w10:renamed) | $(names w10:below)" \
        "below/ new/ one other renamed/ | one | run | one run" "a name, a new directory, a directory renamed, one that is there"
    is "$(names w10:/tmp/all)" ".hidden below/ large one" "what is in a directory"
    visit w10 below/run
    has "$out" '"stdout": "it runs\n"' "an executable file stays one"
    isolator ls --json w10:one
    is "$out" '{"name": "one", "type": "file", "mode": "0644", "bytes": 4, "modifiedAt": 1000000000}' "ls --json of a file"
    isolator ls --long --config "$ISOLATOR_CONFIG" w10:below
    has "$out" "MODE  BYTES  MODIFIED" "ls -l: a heading"
    has "$out" "0755  23" "ls -l: a row"
    copy w10:/tmp/all/large w10:renamed "$scratch/got/new"
    cmp large "$scratch/got/new/large"
    ok $? "the bytes of a file"
    is "$(cd "$scratch/got" && find . -type f -perm -100)" "./new/renamed/run" "a directory, and what is executable"
    isolator cp w10:renamed/run "$scratch/got/new/renamed"
    is "$status" 1 "a file that exists"
    has "$err" "it already exists; use --force to replace it" "which is said"
    visit w10 sh -c 'echo changed >renamed/run'
    copy --force w10:renamed/run "$scratch/got/new/renamed"
    is "$(<"$scratch/got/new/renamed/run")" changed "--force"
    isolator cp w10:/tmp/all/. "$scratch/contents"
    is "$status|$(ls -A "$scratch/contents" | paste -s -d ' ')" "1|below large one" "of a directory's contents, no names with a dot"
    has "$err" "'.hidden' is omitted: a dot begins its name, and nothing names it" "which is said"
    copy w10:/tmp/all/.hidden "$scratch/contents"
    is "$(<"$scratch/contents/.hidden")" hidden "unless it is named"
    cd - >/dev/null || exit
    remove w10
}

test_case 'files that programs have left to do harm' && {
    workspace w11 --image isolator-test/python:bookworm
    cat >"$scratch/leave.py" <<'END'
import os
os.makedirs("left/deep")
os.symlink("/etc/passwd", "left/link"); os.symlink("..", "left/up"); os.mkfifo("left/fifo")
for name in (b"left/a\nb", b"left/\xff", b"left/\x1b[2J"): open(name, "w").write("x")
os.makedirs("left/.git/hooks"); open("left/.git/hooks/pre-commit", "w").write("x")
open("left/good", "w").write("good"); open("left/secret", "w").write("secret"); os.chmod("left/secret", 0)
path = "left/deep"
for i in range(300):
    path += "/d"
    try: os.mkdir(path)
    except OSError: break
os.symlink("/", "root"); os.symlink("loop", "loop")
END
    isolator exec --stdin "$scratch/leave.py" w11 -- python3 -
    is "$status" 0 "the program"
    isolator ls w11:left
    has "$out" 'a\nb'$'\n' "a line feed in a name"
    has "$out" '\xff' "what is no UTF-8"
    hasnt "$out" $'\e' "no escape sequence"
    isolator cp w11:left "$scratch/left"
    has "$status|$err" "2|isolator: cannot read 'left': " "what is too deep"
    visit w11 python3 -c 'import shutil; shutil.rmtree("left/deep"); open("left/holes", "w").truncate(1 << 32)'
    isolator cp w11:left "$scratch/left"
    is "$status|$err" "2|isolator: these are more than 64 MiB, which one command cannot copy; copy a part of them" "what is too large"
    visit w11 sh -c 'rm left/holes'
    isolator cp w11:left "$scratch/left"
    is "$status|$(cd "$scratch/left" && find . -type f | LC_ALL=C sort | paste -s -d ' ')" "1|./left/good ./left/secret" "what is copied"
    for why in "'left/link' is omitted: it is a symbolic link" "'left/fifo' is omitted: it is not a regular file" \
        "'left/a\\nb' is omitted: its name has control characters" "pre-commit' is omitted: it would be written into the .git"; do
        has "$err" "$why" "what is not"
    done
    refuses "cannot read 'root/..': " cp w11:root/.. "$scratch/left"
    refuses "cannot list 'loop': Symbolic link loop" ls w11:loop
    refuses "cannot list 'left/none': No such file or directory" ls w11:left/none
    refuses "cannot write 'more.txt': Read-only file system" cp "$scratch/more.txt" w11:root/usr/
    mkdir -p "$scratch/outside" && ln -s "$scratch/outside" "$scratch/left/left/sub"
    visit w11 sh -c 'mkdir left/sub; echo x >left/sub/file'
    isolator cp w11:left "$scratch/left"
    is "$(ls "$scratch/outside")" "" "a link of this host is not followed"
    head -c 40000000 /dev/zero >"$scratch/big"
    visit w11 sh -c 'head -c 40000000 /dev/zero >filled'
    refuses "cannot write 'big': No space left on device" cp "$scratch/big" w11:
    remove w11
}

test_case 'copied are the bytes that a file has, whatever its size says' && {
    workspace w13 --image isolator-test/python:bookworm
    visit w13 python3 -c 'f = open("sparse", "wb"); f.truncate(60 << 20); f.seek(50 << 20); f.write(b"x"); f = open("limits", "w"); f.write(open("/proc/self/limits").read())'
    copy w13:sparse "$scratch/sizes"
    is "$(stat -c %s "$scratch/sizes/sparse") $(tr -d '\0' <"$scratch/sizes/sparse" | wc -c) $(tail -c +52428801 "$scratch/sizes/sparse" | head -c 1)" \
        "62914560 1 x" "a file with holes"
    copy w13:/proc/self/status w13:/proc/self/limits w13:/sys/devices/system/cpu/online "$scratch/sizes"
    is "$(grep -c '^Name:' "$scratch/sizes/status")|$(tr -d '0-9,-' <"$scratch/sizes/online" | od -An -c | tr -d ' ')" '1|\n' "files of the kernel"
    visit w13 cat limits
    is "$(<"$scratch/sizes/limits")" "$(field stdout)" "as they are read"
    isolator cp w13:/proc/self/pagemap "$scratch/sizes"
    is "$status|$(ls "$scratch/sizes/pagemap" 2>&1 | grep -c 'No such file')" "1|1" "one without an end"
    has "$err" "'pagemap' is omitted: it is not a regular file" "which is said"
    remove w13
}

test_case 'of workspaces that are created with one name at the same time, one gets it' && {
    pids=()
    for i in 1 2 3 4; do
        "$ISOLATOR" create --name same --image $busybox >"$scratch/create.$i" 2>&1 &
        pids+=($!)
    done
    wait "${pids[@]}"
    is "$(sort "$scratch"/create.? | uniq -c | tr -s ' ')" $' 3 isolator: there is a job or workspace \'same\' already\n 1 same' "the others are told"
    is "$(container_of same | wc -l) $(find "$XDG_STATE_HOME/isolator/jobs" -name '*same' | wc -l)" "1 1" "one container, and one file"
    visit same echo works
    is "$(field stdout)" works "it is whole"
    remove same
    is "$(container_of same)$(find "$XDG_STATE_HOME/isolator/jobs" -name '*same')" "" "and removed"
}

test_case 'a workspace of another user is out of reach' && {
    workspace own --image $busybox
    id=$(container_of own) id=${id##*-}
    visit own sh -c 'echo mine >file'
    is "$(stat -c %a "$XDG_STATE_HOME/isolator/jobs" "$XDG_STATE_HOME/isolator/jobs/$id.own" | paste -s -d ' ')" "700 600" "its file is of its user alone"
    # Another user has other files, and by this docker command another label.
    mkdir -p "$scratch/bin"
    printf '#!/usr/bin/env bash\nexec %s "${@/isolator.job.user=*/isolator.job.user=4242@elsewhere}"\n' "$(command -v docker)" >"$scratch/bin/$engine_command"
    chmod +x "$scratch/bin/$engine_command"
    other() { PATH=$scratch/bin:$PATH XDG_STATE_HOME=$scratch/other isolator "$@"; }
    for name in own "$id"; do
        while read -r words; do
            # shellcheck disable=SC2086 # words
            other $words
            is "$status|$out" "2|" "$words"
            has "$err" "workspace '$name'; isolator ps lists them" "$words: the reason"
        done <<END
exec $name -- true
cp $name:file $scratch/stolen
cp $scratch/more.txt $name:
ls $name
stop $name
rm --force $name
END
    done
    other ps --quiet
    is "$status|$(grep -c "$id" <<<"$out")" "0|0" "ps"
    other create --name own --image $busybox
    other exec own -- ls
    is "$status $(field stdout)" "0 " "the name may be given again"
    other rm --force own
    visit own cat file
    is "$status $(field stdout)" "0 mine" "it is as it was"
    remove own
}

test_case 'cp and ls: what is refused' && {
    refuses "two words are needed" cp w1:
    refuses "none of these is of a workspace" cp "$scratch/more.txt" "$scratch"
    refuses "all files but the last word must be of one workspace" cp w1:a w2:b "$scratch"
    refuses "copied to this host, and then to another one" cp w1:a w2:b
    refuses "no workspace 'nosuch'; isolator ps lists them" cp "$scratch/more.txt" nosuch:
    refuses "no workspace 'nosuch'; isolator ps lists them" ls nosuch
    refuses "--force is for files of this host" cp --force "$scratch/more.txt" w1:
    refuses "no workspace is named" ls
    refuses "cannot open the directory" cp w1:a "$scratch/more.txt"
}

# shell NAME CODE [OPTION...]: runs code in the shell of a workspace.
shell() { isolator exec --shell "${@:3}" "$1" -- "$2"; }

test_case 'the shell of a workspace keeps what code leaves' && {
    for image in isolator-test/python:bookworm $busybox; do
        workspace w14 --image $image
        shell w14 'mkdir -p "a b"; cd "a b"; x="1  2
'"'"'three"; export y=y; umask 027; set -u'
        is "$status $(field stdout stderr error)" "0   null" "$image: the first code"
        shell w14 'echo "$x|$PWD|$(umask)"; env | grep ^y; echo $none' --env E=first
        is "$status $(field exitCode stdout)" "1 $([ $image = $busybox ] && echo 2 || echo 127) 1  2
'three|/workspace/a b|0027
y=y" "$image: directory, variables, umask and options are kept"
        shell w14 'echo $E ${http_proxy-none}; exit 7' --env E=second --allow-host 127.0.0.1:1
        has "$(field exitCode stdout)" "7 second http://127.0.0.1:" "$image: --env and the proxy are of each code"
        shell w14 'echo $E ${http_proxy-none}; z=lost; sleep 100' --timeout 1s
        is "$(field reason stdout)" "timeout second none" "$image: and exit ends nothing"
        has "$(field warnings)" "what it has set is not kept" "$image: a warning about code that is ended"
        shell w14 'echo ${z-none} ${y-none}'
        is "$(field stdout)" "none y" "$image: the shell is as before it"
        shell w14 'if'
        is "$(field exitCode) $(field stdout)" "2 " "$image: a mistake of syntax"
        shell w14 'trap "echo never" EXIT; sleep 1000 & v=1; set -e'
        shell w14 'echo $v; false; echo not reached'
        is "$(field exitCode stdout)" "1 1" "$image: errexit"
        shell w14 'set +e; false; echo reached'
        is "$(field exitCode stdout)" "0 reached" "$image: and without"
        remove w14
    done
    workspace w14 --image isolator-test/python:bookworm
    shell w14 'f() { echo "f $1"; }; list=(1 "2 3"); declare -A map=([k]=v); readonly r=1; shopt -s nullglob; alias l="echo alias"'
    shell w14 'f 1; echo "${list[1]} ${map[k]} $r" *none'
    is "$(field stdout)" $'f 1\n2 3 v 1' "functions, arrays and options of bash"
    shell w14 "$(printf 'echo %070000d' 1) | wc -c"
    is "$(field stdout)" 70001 "long code"
    isolator exec --shell w14 -- echo two
    is "$status" 2 "more than one word"
    has "$err" "--shell takes one word of code" "which is said"
    isolator exec --shell --workdir /tmp w14 -- pwd
    has "$status|$err" "2|isolator: --shell and --workdir cannot be used together" "another directory"
    remove w14
}

# results PERL: the expression for each line of $out, whose result is $r, in the order of "line".
results() { perl -MJSON::PP -e 'my @all = sort { $a->{line} <=> $b->{line} } map { decode_json($_) } <STDIN>; for our $r (@all) { print eval $ARGV[0] } die $@ if $@' "$1" <<<"$out"; }

test_case 'lines of a batch' && {
    workspace w12 --image isolator-test/python:bookworm
    cat >"$scratch/lines" <<'END'
{"id": "a", "workspace": "w12", "command": ["sh", "-c", "echo $WORD >made; pwd; cat"], "environment": {"WORD": "word"}, "stdin": "in"}
{"workspace": "w12", "command": ["cat", "made"], "artifacts": ["made"]}
{"workspace": "w12", "additional_files": [{"filename": "sub/main.py", "content": "print(6 * 7)"}]}
{"workspace": "w12", "command": ["python3", "sub/main.py"], "timeout_seconds": 50}
{"workspace": "w12", "command": ["sleep", "100"], "timeout_seconds": 0.3}
{"workspace": "w12", "command": ["nosuch"]}
{"workspace": "w12", "command": ["sh", "-c", "sleep 1000 & exit 3"]}
{"workspace": "w12", "artifacts": ["made", "sub/*"]}
{"workspace": "nosuch", "command": ["true"]}
{"workspace": "w12", "command": ["true"], "memory_mb": 64}
{"workspace": "w12", "command": "true"}
{"command": ["true"]}
{"workspace": "w12", "shell": "v=kept; cd sub"}
{"workspace": "w12", "shell": "echo $v $(basename $PWD) $E", "environment": {"E": "e"}}
{"workspace": "w12", "shell": "true", "command": ["true"]}
{"workspace": "w12", "command": ["true"], "language": "python", "entrypoint_code": ""}
{"workspace": "w12", "command": ["sh", "-c", "grep -l sleep /proc/[0-9]*/comm | wc -l"]}
END
    faulty "" isolator batch -j 4 --share --artifacts "$scratch/returned" "$scratch/lines"
    expect "$(results 'join("|", map({ $_ // "null" } @$r{qw(workspace reason exitCode stdout error)}), map { $_->{name} } @{$r->{artifacts}}) . "\n"')" "the results" <<'END'
w12|exit|0|/workspace
in|null
w12|exit|0|word
|null|made
w12|exit|0||null
w12|exit|0|42
|null
w12|timeout|137||program did not end within 0.3 s
w12|command|-1||cannot execute 'nosuch' in the image 'isolator-test/python:bookworm': No such file or directory
w12|exit|3||program exited with status 3
w12|exit|0||null|made|sub/main.py
nosuch|input|-1||no workspace 'nosuch'; isolator ps lists them
w12|input|-1||memory_mb does not go with workspace, whose command runs under what isolator create was given
w12|input|-1||command must be an array of strings; text came, which is not that in JSON
null|input|-1||command and shell need workspace, the name of one
w12|exit|0||null
w12|exit|0|kept sub e
|null
w12|input|-1||command and shell cannot be used together
w12|input|-1||language does not go with workspace, whose command runs under what isolator create was given
w12|exit|0|0
|null
END
    is "$(docker_calls | tr ' ' '\n' | grep -c '^exec$')" 1 "one docker command for all of them"
    is "$(cat "$scratch/returned/2/made" "$scratch/returned/8/sub/main.py")" $'word\nprint(6 * 7)' "their files"
    isolator batch --detach "$scratch/lines"
    has "$out" "a job cannot use a session or a workspace" "no jobs"
    remove w12
}

test_case 'several processes take turns in a workspace' && {
    workspace w13 --image $busybox
    visit w13 sh -c 'echo 0 >count'
    for i in $(seq 20); do
        echo '{"workspace": "w13", "command": ["sh", "-c", "n=$(cat count); sleep 0.01; echo $((n + 1)) >count"]}'
    done >"$scratch/lines"
    for i in 1 2 3; do "$ISOLATOR" batch "$scratch/lines" >"$scratch/shared.$i" 2>/dev/null & done
    wait
    visit w13 cat count
    is "$(field stdout) $(cat "$scratch"/shared.* | grep -c '"success"')" "60 60" "each ran alone, and once"
    mkfifo "$scratch/input"
    "$ISOLATOR" batch -q "$scratch/input" >"$scratch/kept" 2>&1 &
    kept=$!
    exec 7>"$scratch/input"
    echo '{"workspace": "w13", "command": ["echo", "first"]}' >&7
    until_true grep -q first "$scratch/kept"
    visit w13 echo between
    is "$status $(field stdout)" "0 between" "a connection that is kept makes way"
    echo '{"workspace": "w13", "command": ["echo", "second"]}' >&7
    until_true grep -q second "$scratch/kept"
    isolator stop w13
    until_true has_ended w13
    echo '{"workspace": "w13", "command": ["echo", "third"]}' >&7
    exec 7>&-
    wait $kept
    has "$(tail -n 1 "$scratch/kept")" '"error":"the workspace has ended: it was stopped"' "it has ended meanwhile"
    remove w13
}

test_case 'an image without a shell' && {
    workspace w7 --image isolator-test/noshell:1
    visit w7 /hello
    is "$status" 0 "a command runs"
    copy "$scratch/more.txt" w7:
    is "$(names w7)" "more.txt" "files are copied and listed"
    shell w7 'echo never'
    is "$status $(field reason warnings)" "3 command " "no shell, and no word of code that was ended"
    remove w7
}

test_case 'a program cannot be the client, take its place, or keep it out' && {
    workspace w8 --image isolator-test/python:bookworm
    name=$(docker inspect -f '{{index .Config.Cmd 3}}' "$(container_of w8)")
    cat >"$scratch/attack.py" <<'END'
import array, os, socket, sys
name = "\0isolator-" + sys.argv[1]
try:
    socket.socket(socket.AF_UNIX).bind(name)
    print("bound")
except OSError:
    print("not bound")
held = []
for i in range(50):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(1)
    try:
        s.connect(name)
        s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1]))])
    except OSError:
        break
    held.append(s)
got = 0
for s in held:
    try:
        got += len(s.recvmsg(100, 100)[1])
    except OSError:
        pass
print("descriptors", got)
END
    isolator exec --stdin "$scratch/attack.py" w8 -- python3 - "$name"
    is "$status $(field stdout)" $'0 not bound\ndescriptors 0' "neither the name nor a descriptor"
    visit w8 echo still
    is "$status $(field stdout)" "0 still" "the next command runs"
    visit w8 sh -c 'kill -9 1; kill -STOP 1; cat /proc/1/environ; ls -l /proc/1/fd; echo x >/.isolator/supervisor; ls /.isolator/scripts' 
    hasnt "$(field stdout)" "pipe" "process 1 shows nothing"
    visit w8 echo still
    is "$status $(field stdout)" "0 still" "and goes on"
    remove w8
}

finish
