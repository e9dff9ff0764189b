#!/usr/bin/env bash
# shellcheck disable=SC2016 # what stands in single quotes is for the sandbox
# The files that go in: what arrives of a directory, hostile ones, and what is refused before the
# engine is touched.
. "$(dirname "$0")/lib.sh"

tree=$scratch/tree # the directory of the case at hand

# new_tree: an empty one but for main.py, which prints one line for each other file that arrived.
new_tree() {
    rm -rf "$tree"
    mkdir "$tree"
    cat >"$tree/main.py" <<'END'
import os, stat
lines = []
for path, directories, files in os.walk(b"."):
    for name in directories + files:
        name = os.path.join(path, name)[2:]
        status = os.lstat(name)
        assert status.st_uid == 65534 and status.st_gid == 65534
        mode = oct(status.st_mode)[-4:]
        kind = "link" if stat.S_ISLNK(status.st_mode) else "dir " + mode if stat.S_ISDIR(status.st_mode) else mode
        what = repr(os.readlink(name)) if kind == "link" else "" if kind[0] == "d" else repr(open(name, "rb").read())
        lines.append(("%s %r %s" % (kind, name, what)).rstrip())
print(*sorted(line for line in lines if "main.py" not in line[:20]), sep="\n")
END
}

# sent: runs the tree.
sent() { run --dir "$tree" --entrypoint main.py; }

# refused_input MESSAGE NAME ARG...: the run is an input error of this message, and docker was not called.
refused_input() {
    local message=$1 name=$2
    shift 2
    faulty "" run "$@"
    outcome "2 error -1 input null $message" "$name"
    is "$(docker_calls)|$err" "|" "$name: docker was not called, nothing on stderr"
}

# ---- kinds of files
new_tree
mkdir -p "$tree/empty" "$tree/sub/deeper"
echo text >"$tree/file"
: >"$tree/nothing"
sent
outcome "0 success 0 exit null null" "files and directories"
is "$(field stdout)" "0644 b'file' b'text\\n'
0644 b'nothing' b''
dir 0755 b'empty'
dir 0755 b'sub'
dir 0755 b'sub/deeper'" "files and directories, also empty ones"

new_tree
mkdir "$tree/sub" "$tree/outer"
ln -s main.py "$tree/inside"
ln -s ../main.py "$tree/sub/up"
ln -s sub "$tree/to a directory"
ln -s ./sub/.././sub//up "$tree/winding"
ln -s nowhere "$tree/dangling"
ln -s . "$tree/self"
ln -s /etc/passwd "$tree/absolute"
ln -s /workspace/main.py "$tree/absolute inside"
ln -s .. "$tree/parent"
ln -s ../../secret "$tree/sub/above"
ln -s sub/../../secret "$tree/sneaky"
ln -s ../secret $'"bad\xff\n'
mv $'"bad\xff\n' "$tree/outer"
ln -s ../../secret $'bad\xff\n'
mv $'bad\xff\n' "$tree/outer"
echo secret >"$scratch/secret"
sent
outcome "0 success 0 exit null null" "links"
is "$(field stdout)" "dir 0755 b'outer'
dir 0755 b'sub'
link b'dangling' b'nowhere'
link b'inside' b'main.py'
link b'outer/\"bad\\xff\\n' b'../secret'
link b'self' b'.'
link b'sub/up' b'../main.py'
link b'to a directory' b'sub'
link b'winding' b'./sub/.././sub//up'" "links that stay inside travel as links"
is "$(field warnings)" "left out link 'absolute': its target '/etc/passwd' leaves the directory
left out link 'absolute inside': its target '/workspace/main.py' leaves the directory
left out link 'outer/bad\xff\\n': its target '../../secret' leaves the directory
left out link 'parent': its target '..' leaves the directory
left out link 'sneaky': its target 'sub/../../secret' leaves the directory
left out link 'sub/above': its target '../../secret' leaves the directory" \
    "links that leave the directory are left out and named"
run --dir "$tree" --language noshell --entrypoint main.py
is "$status $(json 'scalar @{$r->{warnings}}')" "0 7" "no shell: links that leave the directory are left out"
ln -s "$tree" "$scratch/link to the tree"
run --dir "$scratch/link to the tree" --entrypoint main.py
is "$status" 0 "--dir itself may be a link"

new_tree
mkdir "$tree/sub"
mkfifo "$tree/sub/pipe"
refused_input "'sub/pipe' is a FIFO, which cannot be sent" "a FIFO" --dir "$tree" -e main.py
rm "$tree/sub/pipe"
mkfifo "$tree/sub/"$'\xff\n'
refused_input "'sub/\xff\\n' is a FIFO, which cannot be sent" "a FIFO with a bad name" --dir "$tree" -e main.py
new_tree
perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un($ARGV[0])) or die' "$tree/s"
refused_input "'s' is a socket, which cannot be sent" "a socket" --dir "$tree" -e main.py
faulty "" run --language python --dir /dev --entrypoint null
has "$status $(fields reason error)" "2 input '" "a device: the reason"
has "$(field error)" "' is a device, which cannot be sent" "a device: the message"
is "$(docker_calls)" "" "a device: docker was not called"

new_tree
for mode in 4755 2711 6644 0600 0700 0400 0777 0645; do
    echo x >"$tree/$mode"
    chmod "$mode" "$tree/$mode"
done
mkdir "$tree/dir1777" "$tree/dir2700"
chmod 1777 "$tree/dir1777"
chmod 2700 "$tree/dir2700"
sent
is "$(field stdout)" "0644 b'0400' b'x\\n'
0644 b'0600' b'x\\n'
0644 b'6644' b'x\\n'
0755 b'0645' b'x\\n'
0755 b'0700' b'x\\n'
0755 b'0777' b'x\\n'
0755 b'2711' b'x\\n'
0755 b'4755' b'x\\n'
dir 0755 b'dir1777'
dir 0755 b'dir2700'" "modes are sane, setuid bits are stripped"

new_tree
printf '#!/bin/sh\necho ran\n' >"$tree/script"
chmod 700 "$tree/script"
echo './script && . ./main.sh.d/part' >"$tree/main.sh"
mkdir "$tree/main.sh.d"
echo 'echo sourced' >"$tree/main.sh.d/part"
run --dir "$tree" --entrypoint main.sh
is "$(field stdout)" "ran
sourced" "executables can be executed"

# ---- names
new_tree
for name in $'new\nline' '"quotes"' "it's" 'back\slash' '-dash' '--' $'\xff\xfe' $'\xed\xa0\x80' ' spaces ' '*' '$(id)' '~' \
    $'tab\t' $'\x01\x7f' 'ünïcode' '.hidden' '.isolator-0' 'semi;colon' '%s%n' '...'; do
    echo x >"$tree/$name"
done
sent
outcome "0 success 0 exit null null" "names of any bytes"
is "$(field stdout)" "0644 b\"it's\" b'x\\n'
0644 b' spaces ' b'x\\n'
0644 b'\"quotes\"' b'x\\n'
0644 b'\$(id)' b'x\\n'
0644 b'%s%n' b'x\\n'
0644 b'*' b'x\\n'
0644 b'--' b'x\\n'
0644 b'-dash' b'x\\n'
0644 b'...' b'x\\n'
0644 b'.hidden' b'x\\n'
0644 b'.isolator-0' b'x\\n'
0644 b'\\x01\\x7f' b'x\\n'
0644 b'\\xc3\\xbcn\\xc3\\xafcode' b'x\\n'
0644 b'\\xed\\xa0\\x80' b'x\\n'
0644 b'\\xff\\xfe' b'x\\n'
0644 b'back\\\\slash' b'x\\n'
0644 b'new\\nline' b'x\\n'
0644 b'semi;colon' b'x\\n'
0644 b'tab\\t' b'x\\n'
0644 b'~' b'x\\n'" "names of any bytes survive"
for name in -c.py -- $'a b\n"c'\''$(id)\\.py' $'\xff.py' 'sub/-e.py' '{entrypoint}.py'; do
    mkdir -p "$tree/sub"
    echo 'import sys; print("ran", sys.argv[1:])' >"$tree/$name"
    run --language python --dir "$tree" --entrypoint="$name" -- -x
    is "$status $(field stdout)" "0 ran ['-x']" "an entrypoint named $(printf %q "$name")"
done
for name in -c.txt $'ü\n"c'\''$(id)\.txt'; do
    echo 'x' >"$tree/$name"
    run --dir "$tree" --entrypoint="$name"
    is "$status $(field stdout | tail -n 1)" "0 x" "no shell: an entrypoint named $(printf %q "$name")"
done
# The engine takes arguments as JSON: such bytes would reach the program as other ones.
echo 'x' >"$tree/"$'\xff.txt'
run --dir "$tree" --entrypoint $'\xff.txt'
is "$status $(field reason)" "2 input" "no shell: an argument that is not UTF-8 is refused"

new_tree
long=$(printf '%0100d' 7)
longest=$(printf '%0255d' 8)
mkdir -p "$tree/$long/$long/$long/$long"
echo one >"$tree/$long/${long}x"
echo two >"$tree/$long/$long/$long/$long/$longest"
ln -s "$long/$long/$long/$long/$longest" "$tree/short"
ln -s "../$long/${long}x" "$tree/$long/up"
cat >"$tree/main.py" <<END
print(open("short").read(), open("$long/up").read(), len("$long/$long/$long/$long/$longest"))
END
sent
is "$status $(field stdout)" "0 two
 one
 659" "paths and link targets longer than 100 and 256 characters"
cp "$tree/$long/${long}x" "$tree/$long/$long/$long/$long/text.txt"
run --dir "$tree" --entrypoint "$long/$long/$long/$long/text.txt"
is "$status $(field stdout | tail -n 1)" "0 one" "no shell: a long path"

# in_depth COUNT NAME: that many directories of this name in one another, a file in the last.
in_depth() {
    cat >"$tree/main.py" <<'END'
import os
depth = 0
while os.path.isdir(name := min(os.listdir("."))):
    os.chdir(name)
    depth += 1
print(depth, open(name).read())
END
    perl -e 'chdir shift; my ($n, $name) = @ARGV; for (1 .. $n) { mkdir $name; chdir $name or die }
        open my $f, ">", "leaf" or die; print $f "deep\n"' "$tree" "$1" "$2"
}
new_tree
in_depth 128 d
sent
is "$status $(field stdout)" "0 128 deep" "128 directories in one another"
new_tree
in_depth 129 d
refused_input "'$(printf 'd/%.0s' $(seq 128))d' is nested deeper than 128 directories" "129 directories in one another" \
    --dir "$tree" -e main.py
new_tree
in_depth 15 "$longest"
sent
is "$status $(field stdout)" "0 15 deep" "a path of 3844 bytes"
rm -rf "$tree"
new_tree
in_depth 16 "$longest"
faulty "" run --dir "$tree" -e main.py
is "$status $(field reason)" "2 input" "a path of 4100 bytes is refused"
has "$(field error)" "8' is a path longer than 4000 bytes" "a path of 4100 bytes: the message"
is "$(docker_calls)" "" "a path of 4100 bytes: docker was not called"
new_tree
perl -e 'chdir shift; mkdir "many"; for (1 .. 5000) { open my $f, ">", "many/$_" or die }' "$tree"
echo 'import os; print(len(os.listdir("many")))' >"$tree/main.py"
sent
is "$status $(field stdout)" "0 5000" "5000 files"

# ---- sizes
new_tree
head -c 1048576 /dev/zero >"$tree/big"
too_much="the files need more than the 1 MB of the working directory; raise --workdir-size (workdirMB)"
refused_input "$too_much" "more than the workdir" --dir "$tree" -e main.py --workdir-size 1
rm "$tree/big"
for i in $(seq 256); do echo x >"$tree/$i"; done
refused_input "$too_much" "many small files that are more than the workdir" --dir "$tree" -e main.py --workdir-size 1
new_tree
truncate -s 9G "$tree/sparse"
refused_input "${too_much/the 1 MB/the 64 MB}" "a sparse file of 9 GB" --dir "$tree" -e main.py
head -c 2000000 /dev/zero >"$scratch/big.py"
too_large="'$scratch/big.py' is larger than the working directory (1 MB); raise --workdir-size (workdirMB)"
refused_input "$too_large" "a file that is more than the workdir" "$scratch/big.py" --workdir-size 1
refused_input "$too_large" "a stdin that is more than the workdir" prompts/hello_world.py --stdin "$scratch/big.py" --workdir-size 1
input=$scratch/big.py refused_input "stdin is larger than 1048576 bytes" "a program from stdin that is more than the workdir" \
    --language python --workdir-size 1 -

new_tree
head -c 62914560 /dev/urandom >"$tree/big"
cat >"$tree/main.py" <<'END'
import hashlib
print(hashlib.sha256(open("big", "rb").read()).hexdigest())
END
expected=$(sha256sum <"$tree/big")
sent
is "$status $(field stdout)" "0 ${expected%% *}" "60 MB in a workdir of 64 MB"
gcc -O1 -w -o "$scratch/peak" test/fixtures/peak.c
within "$("$scratch/peak" "$ISOLATOR" run --dir "$tree" --entrypoint main.py)" 500 16384 "60 MB of input: peak memory of isolator in kB"
mv "$tree/main.py" "$tree/main.txt"
run --dir "$tree" --entrypoint big --language noshell --output-limit 1024
is "$status $(field stdoutBytes)" "0 62914570" "no shell: 60 MB"
within "$("$scratch/peak" "$ISOLATOR" run --dir "$tree" --entrypoint main.txt)" 500 16384 "no shell: 60 MB of input: peak memory in kB"

# ---- files that are not what they say: the kernel's, whose sizes are made up
refused_input "'main.py' grew while it was read" "a file that grows" --language python /proc/version
refused_input "'main.py' shrank while it was read" "a file that shrinks" --language python /sys/devices/system/cpu/online

# ---- entrypoints
new_tree
mkdir "$tree/sub"
cp "$tree/main.py" "$tree/sub"
ln -s main.py "$tree/link.py"
ln -s sub "$tree/linked"
ln -s /etc/hostname "$tree/outside.py"
refused_input "entrypoint: '$tree/main.py' must be relative to the directory" "an absolute entrypoint" \
    --dir "$tree" -e "$tree/main.py"
for path in ../tree/main.py sub/../main.py sub/./main.py sub//main.py sub/ .. ''; do
    refused_input "entrypoint: '$path' must not have '..', '.' or empty parts" "entrypoint '$path'" \
        --language python --dir "$tree" --entrypoint "$path"
done
refused_input "cannot find the entrypoint 'missing.py': No such file or directory" "a missing entrypoint" \
    --dir "$tree" -e missing.py
refused_input "cannot find the entrypoint 'main.py/x.py': Not a directory" "an entrypoint below a file" \
    --dir "$tree" -e main.py/x.py
refused_input "the entrypoint 'sub' is not a regular file of the directory" "an entrypoint that is a directory" \
    --language python --dir "$tree" -e sub
for path in link.py linked/main.py outside.py; do
    refused_input "the entrypoint '$path' is not a regular file of the directory" "entrypoint $path: a link" \
        --dir "$tree" -e "$path"
done
refused_input "entrypoint: a part of '$(printf '%080d' 0)...' is longer than 255 bytes" "a long entrypoint" \
    --language python --dir "$tree" -e "$(printf '%0256d' 0)"
run --language python --dir "$tree"
is "$status" 0 "without --entrypoint the language's default file is run"
refused_input "cannot find the entrypoint 'main.ash': No such file or directory" "a missing default file" \
    --language busybox --dir "$tree"

# ---- directories and files that are none
refused_input "cannot open the directory '$scratch/missing': No such file or directory" "a missing --dir" \
    --dir "$scratch/missing" -e main.py
refused_input "cannot open the directory '$tree/main.py': Not a directory" "a file as --dir" --dir "$tree/main.py" -e main.py
refused_input "cannot open '$scratch/missing.py': No such file or directory" "a missing FILE" "$scratch/missing.py"
mkdir "$scratch/directory.py"
refused_input "'$scratch/directory.py' is not a regular file; - reads from stdin" "a directory as FILE" "$scratch/directory.py"
mkfifo "$scratch/fifo.py"
# Comes to the help of an isolator that waits for a writer.
perl -e 'sleep 20; open my $f, "+<", $ARGV[0]; sleep 20' "$scratch/fifo.py" >"$scratch/writer" 2>&1 &
writer=$!
began=$SECONDS
refused_input "'$scratch/fifo.py' is not a regular file; - reads from stdin" "a FIFO as FILE" "$scratch/fifo.py"
refused_input "'$scratch/fifo.py' is not a regular file; - reads from stdin" "a FIFO as --stdin" \
    --stdin "$scratch/fifo.py" prompts/hello_world.py
within $((SECONDS - began)) 0 15 "a FIFO is not waited for"
kill "$writer"
refused_input "cannot open '$scratch/missing': No such file or directory" "a missing --stdin" \
    --stdin "$scratch/missing" prompts/hello_world.py
ln -s "$PWD/prompts/hello_world.py" "$scratch/link.py"
run "$scratch/link.py"
is "$status $(field stdout)" "0 Hello, World from Python!" "FILE may be a link: the user names it"

finish
