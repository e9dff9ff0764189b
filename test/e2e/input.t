#!/usr/bin/env bash
# The files that are sent into the container: what arrives of a directory, hostile directories, and what is refused
# before the engine is called.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the container; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

tree=$scratch/tree # the directory that a case sends

# new_tree: one with nothing but main.py.
new_tree() {
    rm -rf "$tree"
    mkdir "$tree"
    echo pass >"$tree/main.py"
}

# in_depth COUNT NAME: adds that many nested directories of this name to the tree, with a file in the innermost.
in_depth() {
    perl -e 'chdir shift; my ($n, $name) = @ARGV; for (1 .. $n) { mkdir $name; chdir $name or die }
        open my $f, ">", "leaf" or die; print $f "deep\n"' "$tree" "$1" "$2"
}

# refused_input MESSAGE NAME ARG...: asserts that the run is an input error of this message, and docker was not called.
refused_input() {
    local message=$1 name=$2
    shift 2
    PATH=$scratch/fault:$PATH DOCKER_CALLS=$calls run "$@"
    outcome "2 error -1 input null $message" "$name"
    is "$(docker_calls)|$err" "|" "$name: docker was not called, nothing on stderr"
}
faulty "" true # from now on $scratch/fault has the docker that writes down its calls

long=$(printf '%0100d' 7)
longest=$(printf '%0255d' 8)

test_case 'a directory with everything that can be sent' && {
    new_tree
    echo text >"$tree/file"
    : >"$tree/nothing"
    mkdir -p "$tree/empty" "$tree/sub/deeper" "$tree/outer"

    ln -s main.py "$tree/inside"
    ln -s ../main.py "$tree/sub/up"
    ln -s sub "$tree/to a directory"
    ln -s ./sub/.././sub//up "$tree/winding"
    ln -s nowhere "$tree/dangling"
    ln -s . "$tree/self"
    ln -s ../secret "$tree/outer/"$'"bad\xff\n'
    ln -s ../../secret "$tree/outer/"$'bad\xff\n'
    ln -s /etc/passwd "$tree/absolute"
    ln -s /workspace/main.py "$tree/absolute inside"
    ln -s .. "$tree/parent"
    ln -s ../../secret "$tree/sub/above"
    ln -s sub/../../secret "$tree/sneaky"
    echo secret >"$scratch/secret"

    for mode in 4755 2711 6644 0600 0700 0400 0777 0645; do
        echo x >"$tree/$mode"
        chmod "$mode" "$tree/$mode"
    done
    mkdir "$tree/dir1777" "$tree/dir2700"
    chmod 1777 "$tree/dir1777"
    chmod 2700 "$tree/dir2700"
    printf '#!/bin/sh\necho ran\n' >"$tree/script"
    chmod 700 "$tree/script"

    for name in $'new\nline' '"quotes"' "it's" 'back\slash' '-dash' '--' $'\xff\xfe' $'\xed\xa0\x80' ' spaces ' '*' '$(id)' '~' \
        $'tab\t' $'\x01\x7f' 'ünïcode' '.hidden' '.isolator-0' 'semi;colon' '%s%n' '...'; do
        echo x >"$tree/$name"
    done

    mkdir -p "$tree/$long/$long/$long/$long"
    echo one >"$tree/$long/${long}x"
    echo two >"$tree/$long/$long/$long/$long/$longest"
    ln -s "$long/$long/$long/$longest" "$tree/$long/short"
    ln -s "../$long/${long}x" "$tree/$long/up"
    in_depth 128 d
    in_depth 15 "$longest"
    perl -e 'chdir shift; mkdir "many"; for (1 .. 5000) { open my $f, ">", "many/$_" or die }' "$tree"

    cat >"$tree/main.py" <<'END'
import os, stat, subprocess, sys
lines = []
long, longest = sys.argv[1:]
for path, directories, files in os.walk(b"."):
    directories[:] = [name for name in directories if name not in (b"d", b"many", long.encode(), longest.encode())]
    for name in directories + files:
        name = os.path.join(path, name)[2:]
        status = os.lstat(name)
        assert status.st_uid == os.getuid() and status.st_gid == os.getgid()
        mode = oct(status.st_mode)[-4:]
        kind = "link" if stat.S_ISLNK(status.st_mode) else "dir " + mode if stat.S_ISDIR(status.st_mode) else mode
        what = repr(os.readlink(name)) if kind == "link" else "" if kind[0] == "d" else repr(open(name, "rb").read())
        lines.append(("%s %r %s" % (kind, name, what)).rstrip())
print(*sorted(line for line in lines if "main.py" not in line[:20]), sep="\n")
print("run:", subprocess.run(["./script"], stdout=subprocess.PIPE).stdout)
print("long:", [open(long + "/" + name).read() for name in ("short", "up", "/".join((long, long, long, longest)))])
print("deep:", open("d/" * 128 + "leaf").read().strip(), "in", len(os.listdir("d/" * 128)))
print("far:", open((longest + "/") * 15 + "leaf").read().strip(), "in", len(longest + "/") * 15 + 4)
print("many:", len(os.listdir("many")))
END
    ln -s "$tree" "$scratch/link to the tree"
    run --language python --dir "$scratch/link to the tree" -- "$long" "$longest"
    outcome "0 success 0 exit null null" "--dir may be a link; without --entrypoint the language's default file is run"
    # arrived KIND: the program's lines about the files of this kind.
    arrived() { field stdout | LC_ALL=C grep -a "^$1 "; }
    is "$(arrived 0644)" "0644 b\"it's\" b'x\\n'
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
0644 b'0400' b'x\\n'
0644 b'0600' b'x\\n'
0644 b'6644' b'x\\n'
0644 b'\\x01\\x7f' b'x\\n'
0644 b'\\xc3\\xbcn\\xc3\\xafcode' b'x\\n'
0644 b'\\xed\\xa0\\x80' b'x\\n'
0644 b'\\xff\\xfe' b'x\\n'
0644 b'back\\\\slash' b'x\\n'
0644 b'file' b'text\\n'
0644 b'new\\nline' b'x\\n'
0644 b'nothing' b''
0644 b'semi;colon' b'x\\n'
0644 b'tab\\t' b'x\\n'
0644 b'~' b'x\\n'" "files, with names of any bytes"
    is "$(arrived 0755)" "0755 b'0645' b'x\\n'
0755 b'0700' b'x\\n'
0755 b'0777' b'x\\n'
0755 b'2711' b'x\\n'
0755 b'4755' b'x\\n'
0755 b'script' b'#!/bin/sh\\necho ran\\n'" "executable files; setuid bits are stripped"
    is "$(arrived dir)" "dir 0755 b'dir1777'
dir 0755 b'dir2700'
dir 0755 b'empty'
dir 0755 b'outer'
dir 0755 b'sub'
dir 0755 b'sub/deeper'" "directories, empty ones too"
    is "$(arrived link)" "link b'dangling' b'nowhere'
link b'inside' b'main.py'
link b'outer/\"bad\\xff\\n' b'../secret'
link b'self' b'.'
link b'sub/up' b'../main.py'
link b'to a directory' b'sub'
link b'winding' b'./sub/.././sub//up'" "links that stay inside are sent as links"
    is "$(field warnings)" "omitted the link 'absolute': its target '/etc/passwd' is outside the directory
omitted the link 'absolute inside': its target '/workspace/main.py' is outside the directory
omitted the link 'outer/bad\xff\\n': its target '../../secret' is outside the directory
omitted the link 'parent': its target '..' is outside the directory
omitted the link 'sneaky': its target 'sub/../../secret' is outside the directory
omitted the link 'sub/above': its target '../../secret' is outside the directory" \
        "links that leave the directory are left out and reported"
    is "$(arrived run:)" "run: b'ran\\n'" "executables can be executed"
    is "$(arrived long:)" "long: ['two\\n', 'one\\n', 'two\\n']" "paths and link targets longer than 100 and 256 characters"
    is "$(arrived deep:)" "deep: deep in 1" "128 nested directories"
    is "$(arrived far:)" "far: deep in 3844" "a path of 3844 bytes"
    is "$(arrived many:)" "many: 5000" "5000 files"
    is "$(field stdout | LC_ALL=C grep -avE '^(0644|0755|dir|link|run:|long:|deep:|far:|many:) ')" "" "nothing else arrives"
}

# ---- what cannot be sent

test_case --quick 'a FIFO is refused' && {
    new_tree
    mkdir "$tree/sub"
    mkfifo "$tree/sub/pipe"
    refused_input "'sub/pipe' is a FIFO, which cannot be sent" "a FIFO" --dir "$tree" -e main.py
    rm "$tree/sub/pipe"
    mkfifo "$tree/sub/"$'\xff\n'
    refused_input "'sub/\xff\\n' is a FIFO, which cannot be sent" "a FIFO with a bad name" --dir "$tree" -e main.py
}

test_case --quick 'a socket is refused' && {
    new_tree
    perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un($ARGV[0])) or die' "$tree/s"
    refused_input "'s' is a socket, which cannot be sent" "a socket" --dir "$tree" -e main.py
}

test_case --quick 'a device is refused' && {
    faulty "" run --language python --dir /dev --entrypoint null
    has "$status $(field reason error)" "2 input '" "a device: the reason"
    has "$(field error)" "' is a device, which cannot be sent" "a device: the message"
    is "$(docker_calls)" "" "a device: docker was not called"
}

test_case --quick 'directories nested too deeply' && {
    new_tree
    in_depth 129 d
    refused_input "'$(printf 'd/%.0s' $(seq 128))d' is nested deeper than 128 directories" "129 nested directories" \
        --dir "$tree" -e main.py
}

test_case --quick 'a path that is too long' && {
    new_tree
    in_depth 16 "$longest"
    faulty "" run --dir "$tree" -e main.py
    is "$status $(field reason)" "2 input" "a path of 4100 bytes is refused"
    has "$(field error)" "8' is a path longer than 4000 bytes" "a path of 4100 bytes: the message"
    is "$(docker_calls)" "" "a path of 4100 bytes: docker was not called"
}

test_case 'what .isolatorignore names is not sent' && {
    new_tree
    mkdir "$tree/big" && truncate -s 1G "$tree/big/data"
    echo 'import os; print(sorted(os.listdir(".")))' >"$tree/main.py"
    echo big/ >"$tree/.isolatorignore"
    run --dir "$tree" -e main.py
    is "$status $(field stdout)" "0 ['.isolatorignore', 'main.py']" "what .isolatorignore names is not sent"
}

# ---- sizes
head -c 2000000 /dev/zero >"$scratch/big.py"
# too_much NEEDED ROOM HINT: the error, with sizes in MB, and what it says of the largest file.
too_much() { echo "the files need $1 MB, more than the $2 MB of the working directory$3; raise --workdir-size"; }

test_case --quick 'files larger than the working directory' && {
    new_tree
    head -c 1048576 /dev/zero >"$tree/big"
    refused_input "$(too_much 1.1 1 "; 'big' has 1.0 MB")" "a file as large as the working directory" --dir "$tree" -e main.py --workdir-size 1
    rm "$tree/big"
    for i in $(seq 256); do echo x >"$tree/$i"; done
    refused_input "$(too_much 1.1 1 "")" "many small files" --dir "$tree" -e main.py --workdir-size 1
}

test_case --quick 'a sparse file of 9 GB' && {
    new_tree
    truncate -s 9G "$tree/sparse"
    refused_input "$(too_much 9216.1 64 "; 'sparse' has 9216.0 MB")" "a sparse file of 9 GB" --dir "$tree" -e main.py
}

# libtar's sizes are ints: a larger file would make an archive that nothing can read.
test_case --quick 'a file or stdin of 3 GB, which the working directory has room for' && {
    new_tree
    truncate -s 3G "$tree/sparse" "$scratch/sparse.py"
    most="is larger than 2147483647 bytes"
    for options in "--stdin $scratch/sparse.py prompts/hello_world.py" "$scratch/sparse.py"; do
        # shellcheck disable=SC2086 # words
        refused_input "'$scratch/sparse.py' $most, the maximum for one file" "$options" --workdir-size 8000 $options
    done
    refused_input "'sparse' $most, the maximum for one file" "--dir" --dir "$tree" -e main.py --workdir-size 8000
    input=$scratch/sparse.py refused_input "stdin $most" "--stdin -" --stdin - --workdir-size 8000 prompts/hello_world.py
    memory "$(peak "$ISOLATOR" run --stdin - --workdir-size 8000 prompts/hello_world.py <"$scratch/sparse.py")" 50000 \
        "nothing of it is read into memory"
}

test_case --quick 'a program or stdin larger than the working directory' && {
    too_large="'$scratch/big.py' is larger than the working directory (1 MB); raise --workdir-size"
    refused_input "$too_large" "a program" "$scratch/big.py" --workdir-size 1
    refused_input "$too_large" "a file for stdin" prompts/hello_world.py --stdin "$scratch/big.py" --workdir-size 1
    input=$scratch/big.py refused_input "stdin is larger than 1048576 bytes" "a program from stdin" \
        --language python --workdir-size 1 -
}

# ---- much input, and odd entrypoints
# measured ARG...: like run, but sets no $status; $peak is the peak memory of isolator itself in kB.
measured() {
    peak=$(peak sh -c 'echo $$ >"$0/pid"; exec "$@" >"$0/out" 2>"$0/err"' "$scratch" \
        "$ISOLATOR" run "$@" </dev/null)
    own_pids="$own_pids$(cat "$scratch/pid") "
    take_output
}

# new_big_tree: one with a file of 60 MB, which is text, so that all of it comes back from an image without a shell.
new_big_tree() {
    new_tree
    seq -w 99999999 | head -c 62914560 >"$tree/big"
}

test_case '60 MB of input, and an entrypoint with an odd name' && {
    new_big_tree
    name=$'-c a b\n"\'$(id)\\\xff{entrypoint}.py'
    cat >"$tree/$name" <<'END'
import hashlib, sys
print("ran", sys.argv[1:], hashlib.sha256(open("big", "rb").read()).hexdigest())
END
    expected=$(sha256sum <"$tree/big")
    measured --dir "$tree" --entrypoint="$name" --timeout 10m -- -x
    is "$(field status error) $(field stdout)" "success null ran ['-x'] ${expected%% *}" \
        "60 MB in a workdir of 64 MB; an entrypoint named $(printf %q "$name")"
    memory "$peak" 16384 "60 MB of input: peak memory in kB"
}

test_case 'no shell: 60 MB of input, an entrypoint with an odd name, a long path' && {
    new_big_tree
    name=$'-c ü\n"\'$(id)\\.txt'
    echo "of that name" >"$tree/$name"
    mkdir -p "$tree/$long/$long/$long/$long"
    echo "far away" >"$tree/$long/$long/$long/$long/text"
    ln -s /etc/passwd "$tree/absolute"
    measured --dir "$tree" --entrypoint="$name" --language noshell --output-limit 2048 --timeout 10m -- \
        --cat big --cat "$long/$long/$long/$long/text"
    is "$(field status error stdoutBytes)" "success null 62915034" "no shell: 60 MB"
    memory "$peak" 16384 "no shell: 60 MB of input: peak memory in kB"
    is "$(field stdout | head -n 8 | cut -c 1-30)" "--cat
./-c ü
\"'\$(id)\\.txt
--cat
big
--cat
${long:0:30}
of that name" "no shell: an entrypoint named $(printf %q "$name")"
    is "$(field stdout | tail -n 1)" "$(tail -c 20 "$tree/big" | tail -n 1)far away" "no shell: a long path; the end of 60 MB"
    is "$(json '$r->{warnings}[0]')" "omitted the link 'absolute': its target '/etc/passwd' is outside the directory" \
        "no shell: links that leave the directory are left out"
}

test_case --quick 'no shell: an argument that is not UTF-8' && {
    # It is no argument of docker, which the engine would take as JSON.
    new_tree
    echo x >"$tree/"$'\xff.txt'
    run --dir "$tree" --entrypoint $'\xff.txt'
    is "$status $(field stdout)" "0 --cat
�.txt
x" "no shell: an argument that is not UTF-8 reaches the program"
}

test_case --quick 'files of the kernel, whose sizes are made up' && {
    refused_input "'main.py' grew while it was read" "a file that grows" --language python /proc/version
    refused_input "'main.py' shrank while it was read" "a file that shrinks" --language python /sys/devices/system/cpu/online
}

# ---- entrypoints

test_case --quick 'entrypoints that are refused' && {
    new_tree
    mkdir "$tree/sub"
    cp "$tree/main.py" "$tree/sub"
    ln -s sub "$tree/linked"
    ln -s /etc/hostname "$tree/outside.py"
    refused_input "entrypoint: '$tree/main.py' must be relative to the directory" "an absolute entrypoint" \
        --dir "$tree" -e "$tree/main.py"
    for path in ../tree/main.py ''; do
        refused_input "entrypoint: '$path' must not have '..', '.' or empty parts" "entrypoint '$path'" \
            --language python --dir "$tree" --entrypoint "$path"
    done
    refused_input "cannot find the entrypoint 'missing.py': No such file or directory" "a missing entrypoint" \
        --dir "$tree" -e missing.py
    refused_input "cannot find the entrypoint 'main.py/x.py': Not a directory" "an entrypoint below a file" \
        --dir "$tree" -e main.py/x.py
    refused_input "the entrypoint 'sub' is not a regular file of the directory" "an entrypoint that is a directory" \
        --language python --dir "$tree" -e sub
    for path in linked/main.py outside.py; do
        refused_input "the entrypoint '$path' is not a regular file of the directory" "entrypoint $path: a link" \
            --dir "$tree" -e "$path"
    done
    refused_input "entrypoint: a part of '$(printf '%080d' 0)...' is longer than 255 bytes" "a long entrypoint" \
        --language python --dir "$tree" -e "$(printf '%0256d' 0)"
    refused_input "cannot find the entrypoint 'main.ash': No such file or directory; it is the language's default file; \
name another one with --entrypoint" "a missing default file" \
        --language busybox --dir "$tree"
}

test_case --quick 'directories and files that do not exist, or are something else' && {
    new_tree
    refused_input "cannot open the directory '$scratch/missing': No such file or directory" "a missing --dir" \
        --dir "$scratch/missing" -e main.py
    refused_input "cannot open the directory '$tree/main.py': Not a directory" "a file as --dir" --dir "$tree/main.py" -e main.py
    refused_input "cannot open '$scratch/missing.py': No such file or directory" "a missing FILE" "$scratch/missing.py"
    mkdir "$scratch/directory.py"
    refused_input "'$scratch/directory.py' is a directory; run a program in it with --dir $scratch/directory.py --entrypoint PATH" \
        "a directory as FILE" "$scratch/directory.py"
}

test_case --quick 'a FIFO as FILE or stdin is refused at once' && {
    mkfifo "$scratch/fifo.py"
    # If isolator waits for a writer, this opens the FIFO at last, and says so.
    perl -e '$| = 1; sleep 100; open my $f, "+<", $ARGV[0]; print "waited"; sleep 20' "$scratch/fifo.py" >"$scratch/writer" 2>&1 &
    writer=$!
    refused_input "'$scratch/fifo.py' is not a regular file; use - to read stdin" "a FIFO as FILE" "$scratch/fifo.py"
    refused_input "'$scratch/fifo.py' is not a regular file; use - to read stdin" "a FIFO as --stdin" \
        --stdin "$scratch/fifo.py" prompts/hello_world.py
    is "$(cat "$scratch/writer")" "" "a FIFO is not waited for"
    kill "$writer"
    refused_input "cannot open '$scratch/missing': No such file or directory; --stdin names a file; - is isolator's own stdin" "a missing --stdin" \
        --stdin "$scratch/missing" prompts/hello_world.py
}

# A program that prints the files below its working directory, each with its content.
contents=$(snippet ash 'find . -type f ! -name "snippet*" | sort | while read -r f; do echo "$f $(cat "$f")"; done')

test_case 'files and directories beside the program' && {
    mkdir -p "$scratch/data/sub"
    echo one >"$scratch/words.txt"
    echo two >"$scratch/data/sub/two"
    ln -s sub/two "$scratch/data/link"
    run "$contents" "$scratch/words.txt" --file "$scratch/data/"
    is "$status|$(field stdout)" "0|./data/sub/two two
./words.txt one" "each under its last name"
    new_tree
    echo three >"$tree/three"
    run -l busybox --dir "$tree" -e main.py --file "$contents" --file "$scratch/words.txt" # main.py is "pass"
    is "$(field status reason)" "error exit" "with --dir: the program runs"
    echo 'cat three words.txt' >"$tree/main.ash"
    run --dir "$tree" -e main.ash --file "$scratch/words.txt"
    is "$status|$(field stdout)" "0|three
one" "with --dir"
    run - -l busybox "$scratch/words.txt" </dev/null
    is "$status" 0 "with a program from stdin"
}

test_case 'the language of a file without an extension, --code, and extensions in upper case' && {
    for line in '#!/bin/sh' '#!/usr/bin/env -S X=1 bash -u' $'#! /usr/bin/python3.11 -u\r'; do
        printf '%s\n' "$line" 'print("Python")' >"$scratch/program"
        printf '%s\n' "$line" 'x=${X-}; echo "shell"' >"$scratch/script"
        if [[ $line == *python* ]]; then run "$scratch/program"; else run --image isolator-test/bash:1 "$scratch/script"; fi
        has "$status $(field stdout)" "0 $([[ $line == *python* ]] && echo Python || echo shell)" "$line"
    done
    for line in '#!/usr/bin/env nope' '#!' '# python' ''; do
        echo "$line" >"$scratch/program"
        run "$scratch/program"
        has "$status|$err" "2|isolator: cannot tell the language of 'program'" "a first line that names none: $line"
    done
    cp "$(snippet py 'print("upper case")')" "$scratch/MAIN.PY"
    run "$scratch/MAIN.PY"
    is "$status $(field stdout)" "0 upper case" "MAIN.PY"
    echo one >"$scratch/words.txt"
    run -l python --code 'import sys; print(6 * 7, sys.argv[1:], open("words.txt").read())' --file "$scratch/words.txt" -- a
    is "$status $(field stdout)" "0 42 ['a'] one" "--code"
    run --network brige "$scratch/MAIN.PY"
    has "$(field error)" "; did you mean the network 'bridge'?" "a network misspelt"
}

test_case --quick 'files beside the program that are refused' && {
    new_tree
    mkdir -p "$scratch/data"
    echo one | tee "$tree/one" >"$scratch/data/main.py"
    refused_input "cannot open '$scratch/missing': No such file or directory; put the program's arguments after --" "a missing FILE" \
        prompts/hello_world.py "$scratch/missing"
    refused_input "cannot open '$scratch/missing': No such file or directory" "a missing --file" --file "$scratch/missing" prompts/hello_world.py
    refused_input "'main.py' is the name of the program too" "the name of the program" "$tree/main.py" --file "$scratch/data/main.py"
    refused_input "'one' is in the directory of the program too" "a name in --dir" --dir "$tree" -e main.py --file "$tree/one"
    refused_input "'/dev/null' is neither a file nor a directory" "a device" --file /dev/null prompts/hello_world.py
    truncate -s 65M "$scratch/large"
    refused_input "$(too_much 65.1 64 "; 'large' has 65.0 MB")" "a file that is too large" \
        prompts/hello_world.py "$scratch/large"
}

test_case 'FILE may be a symbolic link' && {
    ln -s "$(snippet ash 'echo "$0"')" "$scratch/link.ash"
    run "$scratch/link.ash"
    is "$status $(field stdout)" "0 link.ash" "FILE may be a link: the user names it"
}

finish
