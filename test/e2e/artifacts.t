#!/usr/bin/env bash
# Artifacts, the files that a program leaves: which come back, what the result says of them, how they are written, and
# how hostile programs and images are handled.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

image=
trap 'in_main || exit; [ -z "$image" ] || docker rmi -f "$image" >/dev/null; rm -rf "$scratch"' EXIT
dir=$scratch/back

# listed DIRECTORY: the files in it, "PATH TYPE MODE SIZE" a line.
listed() { (cd "$1" && find . -mindepth 1 ! -type d -printf '%P %y %m %s\n' | sort); }
# names: the names of the artifacts in $out.
names() { json 'join " ", map { $_->{name} } @{$r->{artifacts}}'; }
# warnings: the warnings about artifacts.
warnings() { field warnings | grep -F artifact; }

# ---- what comes back
umask 022
program='
import os, pathlib
pathlib.Path("out/deep").mkdir(parents=True)
pathlib.Path("out/deep/table.csv").write_text("a,b\n")
pathlib.Path("plot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(248)))
pathlib.Path("empty").touch()
pathlib.Path("tool.sh").write_text("#!/bin/sh\n")
os.chmod("tool.sh", 0o700)
pathlib.Path("caf\u00e9 menu").write_text("text")
with open("input.txt", "a") as file: file.write("changed")
os.chmod("kept.txt", 0o600)
os.utime("kept.txt", (0, 0))
print("done")
'
project=$scratch/project
mkdir "$project"
printf '%s' "$program" >"$project/main.py"
printf 'given ' >"$project/input.txt"
printf 'given' >"$project/kept.txt"
file=$(snippet hello 'given') # for the image without a shell

test_case 'new and changed files come back' && {
    run --dir "$project" --entrypoint main.py --artifacts "$dir"
    outcome "0 success 0 exit null null" "a program that leaves files"
    expect "$(json 'join "\n", map { "$_->{bytes} $_->{mimeType} $_->{name}" } @{$r->{artifacts}}')" "their sizes and types" <<'END'
4 text/plain café menu
0 text/plain empty
13 text/plain input.txt
4 text/csv out/deep/table.csv
264 image/png plot.png
10 text/plain tool.sh
END
    is "$(json 'join "\n", map { "$_->{sha256}  $_->{name}" } @{$r->{artifacts}}')" \
        "$(cd "$dir" && sha256sum 'café menu' empty input.txt out/deep/table.csv plot.png tool.sh)" "their digests"
    is "$(listed "$dir")" "café menu f 644 4
empty f 644 0
input.txt f 644 13
out/deep/table.csv f 644 4
plot.png f 644 264
tool.sh f 755 10" "all are written, with ordinary modes"
    is "$(cat "$dir/input.txt")" "given changed" "their contents"
    is "$(field warnings)" "" "nothing is left out"
    is "$(find "$project" -newer "$project/kept.txt" -type f)" "" "the files that were sent are unchanged"
}

test_case 'files whose name begins with a dot' && {
    rm -rf "$dir"
    dots=$(snippet py 'import os
os.mkdir(".d")
for name in (".coverage", ".d/x", "y"): open(name, "w").close()')
    run --artifacts "$dir" "$dots"
    is "$(names)|$(warnings)" "y|files with a dot at the start of a name are no artifacts unless a pattern has that dot: .coverage, .d/x" \
        "they do not come back, and a warning names them"
    run --artifacts "$scratch/dots" --artifact '.c*' --artifact '.d/*' "$dots"
    is "$(names)|$(warnings)" ".coverage .d/x|" "a pattern selects them"
}

test_case '--artifact selects files by a pattern' && {
    rm -rf "$dir"
    run --dir "$project" --entrypoint main.py --artifacts "$dir" --artifact '*.csv' --artifact 'e*'
    is "$(names)" "empty out/deep/table.csv" "--artifact: by the last part of the path"
    run --dir "$project" --entrypoint main.py --artifacts "$dir" --artifact 'out/*' --stream
    has "$status $out $err" "0 done isolator: warning: no artifact was found: the pattern matches none of the new files: " \
        "--artifact: a pattern with a slash is for all of the path"
    has "$err" "plot.png, " "the warning lists the names that exist"
    run --dir "$project" --entrypoint ./main.py --artifacts "$scratch/same" --artifact '/workspace/out/**'
    is "$(names)" "out/deep/table.csv" "--artifact, --entrypoint: other spellings of the same path"
    run --artifact '/etc/*' --artifacts "$scratch/same" "$project/main.py"
    is "$status $err" "2 isolator: --artifact: '/etc/*' must be a pattern for paths in the working directory, like *.png" "a path elsewhere"
    run --dir "$project" --entrypoint main.py
    is "$(json 'scalar @{$r->{artifacts}}')" 0 "without --artifacts there are none"
}

# ---- existing files

test_case 'an existing file is kept, unless --force is given' && {
    rm -rf "$dir"
    mkdir "$dir"
    printf 'mine' >"$dir/empty"
    run --dir "$project" --entrypoint main.py --artifacts "$dir" --artifact 'e*' --artifact '*.sh'
    outcome "2 error 0 input null cannot write 1 of 2 artifacts; see the warnings" "a file that exists"
    is "$(warnings)" "cannot write artifact 'empty': it already exists; use --force to replace it" "it is named"
    is "$(cat "$dir/empty") $(wc -c <"$dir/tool.sh")" "mine 10" "it stays, the others are written"
    run --dir "$project" --entrypoint main.py --artifacts "$dir" --artifact 'e*' --force
    outcome "0 success 0 exit null null" "--force"
    is "$(wc -c <"$dir/empty")" 0 "--force: it is replaced"
}

test_case 'a symbolic link in the directory is not followed' && {
    rm -rf "$dir"
    mkdir "$dir"
    ln -s "$scratch" "$dir/out2"
    code py 'import os; os.mkdir("out2"); open("out2/escaped", "w")' --artifacts "$dir" --force
    is "$status $(warnings)" "2 cannot write artifact 'out2/escaped': a part of its path exists and is not a directory" \
        "a link in the directory: the artifact is not written"
    ok "$([ ! -e "$scratch/escaped" ]; echo $?)" "nothing is written to its target"
}

test_case 'files come back however the program ends' && {
    for case in 'sys.exit(3)|1 error 3 exit null program exited with status 3' \
        'time.sleep(600)|124 timeout 137 timeout SIGKILL program did not end within 2 s' \
        'os.kill(os.getpid(), 9)|1 error 137 signal SIGKILL program was ended by signal SIGKILL'; do
        rm -rf "$dir"
        code py "import os, sys, time; open('log', 'w').write('so far'); ${case%%|*}" --artifacts "$dir" --timeout 2s
        outcome "${case#*|}" "${case%%|*}"
        is "$(cat "$dir/log" 2>&1)" "so far" "${case%%|*}: its file comes back"
    done
}

# ---- hostile programs and images

test_case 'a program that leaves odd files' && {
    rm -rf "$dir"
    code py '
import os
open("good", "w").write("good")
os.symlink("/etc/passwd", "symlink")
os.symlink("/", "root")
os.link("good", "hard")
os.mkfifo("fifo")
open("new\nline", "w")
open(b"latin\xe9", "w")
open("\x1b[31mred", "w")
os.chmod(os.open("unreadable", os.O_CREAT), 0)
os.makedirs(".git/hooks")
open(".git/hooks/post-commit", "w")
open("good", "a").write("!")
' --artifacts "$dir"
    outcome "0 success 0 exit null null" "odd files"
    is "$(listed "$dir")" "good f 644 5
hard f 644 5
unreadable f 644 0" "only regular files with valid names come back"
    is "$(warnings | sort)" "the artifact '.git/hooks/post-commit' is omitted: it would be written into the .git or .hg directory of a repository
the artifact '\\x1b[31mred' is omitted: its name has control characters or is not valid UTF-8
the artifact 'fifo' is omitted: it is not a regular file
the artifact 'latin\\xe9' is omitted: its name has control characters or is not valid UTF-8
the artifact 'new\\nline' is omitted: its name has control characters or is not valid UTF-8
the artifact 'root' is omitted: it is a symbolic link
the artifact 'symlink' is omitted: it is a symbolic link" "the warnings name the others"
}

test_case 'a file with a hole of a terabyte' && {
    rm -rf "$dir"
    code py 'open("hole", "w").truncate(1 << 40)' --artifacts "$dir" --timeout 60s
    is "$status $(warnings)" "0 the artifact 'hole' is omitted: it exceeds the limit maxArtifactBytes" \
        "a file with a hole of a terabyte: it is not read"
    is "$(listed "$dir")" "" "nothing is written of it"
}

test_case 'child processes that still write are ended first' && {
    # They could change files while these are read, or write into the tar.
    rm -rf "$dir"
    code py '
import os, sys
open("a", "w").write("a" * 1000000)
for child in range(8):
    if os.fork() == 0:
        os.setsid()
        while True:
            sys.stdout.write("noise\n" * 1000)
            sys.stdout.flush()
os._exit(0)
' --artifacts "$dir"
    is "$(names) $(tr -d a <"$dir/a" | wc -c)" "a 0" "child processes do not disturb"
}

# The image's shell receives the supervisor, so an image can put another program in its place.
# protocol_values: the values that it needs, as Python: "FRAME_BEGUN = 13".
protocol_values() {
    cc -std=c11 -Isrc -o "$scratch/values" -x c - <<'END' && "$scratch/values"
#include "supervisor/protocol.h"
#include <stdio.h>
#define PRINT(value) printf(#value " = %d\n", value)
int main(void)
{
    PRINT(FRAME_VERSION); PRINT(FRAME_HELLO); PRINT(FRAME_RUN); PRINT(FRAME_BEGUN); PRINT(FRAME_END);
    PRINT(FRAME_FILES); PRINT(FRAME_FILES_END);
}
END
}

# fake_supervisor COLLECT: the program; COLLECT, in Python, sends the files.
fake_supervisor() {
    echo '#!/usr/bin/python3'
    protocol_values
    cat <<'END'
import os, re, struct, sys, time
def read(length):
    data = b""
    while len(data) < length:
        part = os.read(0, length - len(data))
        if not part: sys.exit()
        data += part
    return data
def send(kind, payload=b""):
    os.write(1, struct.pack("<IB3x", len(payload), kind) + payload)
read(int(re.search(r"head -c (\d+)", sys.argv[2]).group(1)))
send(FRAME_HELLO, b"isolator supervisor\0" + struct.pack("<I", FRAME_VERSION) + bytes(3 * 4096 - 24))
while True:
    length, kind = struct.unpack("<IB3x", read(8))
    read(length)
    if kind == FRAME_RUN:
        send(FRAME_BEGUN)
        send(FRAME_END, bytes(4 * 4 + 9 * 8)) # the order to collect the files has come before
        archive = open("/hostile.tar", "rb").read()
END
    sed 's/^/        /' <<<"$1"
}

# fake_image COLLECT: makes $image, with this supervisor and the archive $scratch/hostile/tar.
fake_image() {
    local container=isolator-hostile-$$

    fake_supervisor "$1" >"$scratch/hostile/sh"
    chmod 755 "$scratch/hostile/sh"
    [ -z "$image" ] || docker rmi -f "$image" >/dev/null
    image=isolator-test/hostile:$$
    docker create --name "$container" isolator-test/python:bookworm true >/dev/null
    docker cp "$scratch/hostile/tar" "$container:/hostile.tar"
    docker cp "$scratch/hostile/sh" "$container:/bin/sh"
    docker commit "$container" "$image" >/dev/null
    docker rm "$container" >/dev/null
}

test_case 'an image whose shell plays the supervisor and sends what it likes' && {
    mkdir -p "$scratch/hostile"
    printf 'escaped' >"$scratch/hostile/file"
    tar -C "$scratch/hostile" -P -cf "$scratch/hostile/tar" --transform 's,^file$,../../escaped,' file
    tar -C "$scratch/hostile" -P -rf "$scratch/hostile/tar" --transform "s,^file\$,$scratch/escaped," file
    ln -s "$scratch" "$scratch/hostile/way"
    tar -C "$scratch/hostile" -P -rf "$scratch/hostile/tar" way
    tar -C "$scratch/hostile" -P -rf "$scratch/hostile/tar" --transform 's,^file$,way/escaped,' file
    tar -C "$scratch/hostile" -P -rf "$scratch/hostile/tar" --transform 's,^file$,good,' file file
    fake_image 'send(FRAME_FILES, archive); send(FRAME_FILES_END)'
    rm -rf "$dir"
    code py 'print()' --image "$image" --artifacts "$dir"
    outcome "0 success 0 exit null null" "a hostile image"
    is "$(listed "$dir")" "good f 644 7
way/escaped f 644 7" "a hostile archive: its files stay below the directory"
    is "$(find "$scratch" -maxdepth 1 -name escaped)" "" "a hostile archive: nothing is written elsewhere"
    is "$(warnings)" "the artifact '../../escaped' is omitted: its path leads out of the working directory or is too long
the artifact '$scratch/escaped' is omitted: its path leads out of the working directory or is too long
the artifact 'way' is omitted: it is a symbolic link
the artifact 'good' is omitted: it is a hard link to another file" "a hostile archive: the warnings name the others"
}

# By default 3 s may pass without a byte of the files.
test_case 'files come back from an engine that is slow, as long as bytes arrive' && {
    mkdir -p "$scratch/hostile"
    head -c 30000 /dev/zero >"$scratch/hostile/zeros"
    tar -C "$scratch/hostile" -cf "$scratch/hostile/tar" zeros
    slow='for part in range(0, len(archive), 10240): time.sleep(1.2); send(FRAME_FILES, archive[part:part + 10240])'
    fake_image "$slow"$'\nsend(FRAME_FILES_END)'
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); $c->{engineTimeoutSeconds} = 10; print encode_json($c)' \
        <"$ISOLATOR_CONFIG" >"$scratch/slow.json"
    rm -rf "$dir"
    code py 'print()' --config "$scratch/slow.json" --image "$image" --artifacts "$dir"
    is "$status|$(listed "$dir")|$(warnings)" "0|zeros f 644 30000|" "all bytes arrive"
    fake_image $'send(FRAME_FILES, archive[:10240])\ntime.sleep(600)'
    rm -rf "$dir"
    code py 'print()' --config "$scratch/slow.json" --image "$image" --artifacts "$dir"
    is "$status|$(listed "$dir")|$(warnings)" "0||artifacts may be missing: the container did not send them in time" "no more bytes arrive"
}

# ---- without a shell

test_case 'no shell: files come back, also of a program that had to be ended' && {
    rm -rf "$dir"
    run --language noshell --artifacts "$dir" "$file" -- --write=made
    outcome "0 success 0 exit null null" "an image without a shell"
    is "$(listed "$dir")" "made f 644 0" "an image without a shell: its file comes back"
    run --language noshell --container-workdir '/my work/' --artifacts "$dir" --force "$file" -- --write=made
    is "$status $(listed "$dir")" "0 made f 644 0" "a working directory with a blank"
    rm -rf "$dir"
    run --language noshell --artifacts "$dir" --timeout 2s "$file" -- --write=made --sleep=600
    is "$status|$(warnings)|$(listed "$dir")" "124||made f 644 0" "a program that had to be ended"
}

test_case 'maxArtifacts and maxArtifactBytes' && {
    config=$scratch/config.json
    perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); @$c{qw(maxArtifacts maxArtifactBytes)} = (2, 10); print encode_json($c)' \
        <"$ISOLATOR_CONFIG" >"$config"
    rm -rf "$dir"
    code ash 'printf 12345678 >a; printf 12345678 >b; printf 1 >c; printf 2 >d; printf 3 >e' --config "$config" --artifacts "$dir"
    is "$(json 'scalar @{$r->{artifacts}}')" 2 "maxArtifacts"
    is "$(warnings | wc -l)" 3 "the warnings name the others"
    is "$(cat "$dir"/* | wc -c | awk '{ print ($1 <= 10) }')" 1 "maxArtifactBytes"
}

{
    echo '{"language": "busybox", "entrypoint_code": "echo one >a; echo two >b", "artifacts": ["a"]}'
    echo
    echo '{"language": "busybox", "entrypoint_code": "mkdir d; echo three >d/a; exit 3", "artifacts": ["**"]}'
    echo '{"language": "busybox", "entrypoint_code": "echo four >a"}'
} >"$scratch/requests"

test_case 'a batch: a directory for each request' && {
    rm -rf "$dir"
    isolator batch --artifacts "$dir" "$scratch/requests"
    is "$status $(listed "$dir" | cut -d ' ' -f 1)" $'1 1/a\n3/d/a' "a batch: files by the line of the request"
    is "$(cat "$dir/1/a" "$dir/3/d/a")" "one
three" "a batch: their contents"
    isolator batch "$scratch/requests"
    is "$(grep -o '"artifacts":\[{"name":"[^"]*"' "$scratch/out" | sort)" '"artifacts":[{"name":"a"
"artifacts":[{"name":"d/a"' "a batch without --artifacts: they are listed"
    isolator batch --artifacts "$dir" "$scratch/requests"
    is "$status $(grep -c 'it already exists' "$scratch/out")" "1 2" "a batch: existing files are kept"
    isolator batch --artifacts "$dir" --force "$scratch/requests"
    is "$(grep -c 'it already exists' "$scratch/out")" 0 "a batch: --force"
}

test_case --quick 'wrong options' && {
    refused "--artifact needs --artifacts DIR" "--artifact alone" --artifact '*' "$file"
    refused "--force needs --artifacts DIR" "--force alone" --force "$file"
    refused "--artifact: '/etc/*.png' must be a pattern for paths in the working directory, like *.png" "an absolute pattern" \
        --artifacts "$dir" --artifact '/etc/*.png' --language busybox "$file"
    refused "--artifact: the pattern 'plot[0-9.png' has a '[' without a ']'; '[[]' is the character itself" "an open set" \
        --artifacts "$dir" --artifact 'plot[0-9.png' "$file"
}

test_case --quick 'a directory that cannot be created' && {
    : >"$scratch/file"
    code ash 'echo' --artifacts "$scratch/file/deep"
    outcome "2 error -1 input null cannot open the directory '$scratch/file/deep': Not a directory" "its parent is a file"
}

finish
