#!/usr/bin/env bash
# What is left between two tests in one container, for kinds of images: what a test can change there is restored before
# the next one, or no test runs. The attacks left_* of `isolator selftest` look for everything else.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

image=isolator-test/leftovers:$$
container=isolator-leftovers-$$
trap 'in_main || exit; docker rm --force "$container" >/dev/null 2>&1; docker rmi --force "$image" >/dev/null 2>&1; rm -rf "$scratch"' EXIT

mkdir "$scratch/three"
for name in one two three; do
    echo >"$scratch/three/$name.in"
done
cat >"$scratch/leave.py" <<'END'
import os
print(sorted(os.listdir("/data")))
try:
    os.makedirs("/data/left/below")
    open("/data/left/below/file", "w").close()
    os.chmod("/data/left", 0)
except PermissionError:
    print("refused")
END

# make_image SCRIPT: an image with the volume /data, which the script has made.
make_image() {
    docker rm --force "$container" >/dev/null 2>&1
    docker rmi --force "$image" >/dev/null 2>&1 # else it stays without a name
    docker run --name "$container" --network none isolator-test/python:bookworm sh -c "$1"
    docker commit --change 'VOLUME /data' "$container" "$image" >/dev/null
}
# outputs: each test in a line.
outputs() { json 'join "\n", map { "$_->{status} " . JSON::PP->new->allow_nonref->encode($_->{stdout}) } @{$r->{tests}}'; }

test_case 'an empty volume of the image is emptied' && {
    make_image 'mkdir -m 1777 /data'
    isolator test --no-expected --tests "$scratch/three" --image "$image" "$scratch/leave.py"
    expect "$status"$'\n'"$(outputs)" "an empty volume" <<'END'
0
passed "[]\n"
passed "[]\n"
passed "[]\n"
END
}

test_case 'attributes of a volume that everyone can write to' && {
    make_image 'mkdir -m 777 /data'
    cat >"$scratch/attributes.py" <<'END'
import os
print(os.listxattr("/data"))
os.setxattr("/data", b"user.left", b"text")
END
    isolator test --no-expected --tests "$scratch/three" --image "$image" "$scratch/attributes.py"
    expect "$status"$'\n'"$(outputs)" "attributes" <<'END'
0
passed "[]\n"
passed "[]\n"
passed "[]\n"
END
}

test_case 'a volume that the program cannot change is left alone' && {
    make_image 'mkdir -p /data/a; echo text >/data/a/file'
    isolator test --no-expected --tests "$scratch/three" --image "$image" "$scratch/leave.py"
    expect "$status"$'\n'"$(outputs)" "a closed volume" <<'END'
0
passed "['a']\nrefused\n"
passed "['a']\nrefused\n"
passed "['a']\nrefused\n"
END
}

test_case 'no test runs if the program can change the files of a volume' && {
    cannot() {
        isolator test --no-expected --tests "$scratch/three" "${@:2}" "$scratch/leave.py"
        outcome "2 error -1 input null several programs cannot run in one container of the image '$image': they can change '$1', which cannot be restored" \
            "$1 can be changed"
        is "$(json 'join " ", map { $_->{status} } @{$r->{tests}}')" "not-run not-run not-run" "$1 can be changed: the tests"
    }
    make_image 'mkdir -p /data/a; echo text >/data/a/file; chmod 666 /data/a/file'
    cannot /data/a/file --image "$image"
    make_image 'mkdir -m 777 /data; echo text >/data/file'
    cannot /data --image "$image"
    make_image 'mkdir -p /data/a; chown 1234567 /data/a'
    cannot /data/a --image "$image" --user 1234567:1234567
    cannot /dev --image "$image" --user 0:0 # devices
}

test_case 'no shell: the supervisor comes in a volume, which no program can change' && {
    isolator test --no-expected --tests "$scratch/three" --language noshell "$scratch/leave.py"
    is "$(json 'join " ", map { $_->{status} } @{$r->{tests}}')" "passed passed passed" "no shell: the tests"
}

# What goes on from test to test, in test/fixtures/known_gaps: how many numbers, each counted as two bytes, and the lines that have them.
test_case 'a test reads what the one before it has changed only in the numbers that SECURITY.md names' && {
    mkdir "$scratch/reading"
    n=0
    for test in look change look; do
        n=$((n + 1))
        echo "$test" >"$scratch/reading/$n.in"
    done
    isolator test --no-expected --timeout 60 --output-limit 1048576 --tests "$scratch/reading" test/fixtures/readable.py
    is "$(json 'join " ", map { $_->{status} } @{$r->{tests}}')" "passed passed passed" "the tests"
    for test in 0 2; do
        json "\$r->{tests}[$test]{stdout}" | sort >"$scratch/read$test"
    done
    changed=$(comm -13 "$scratch/read0" "$scratch/read2")
    has "$changed" "inode /tmp " "what goes on is seen"
    is "$(grep -vE "$(cut -d ' ' -f 2- test/fixtures/known_gaps | paste -s -d '|')" <<<"$changed")" "" "what else is different"
    numbers=$(awk '{ n += $1 } END { print n }' test/fixtures/known_gaps)
    has "$(cat SECURITY.md)" "In all these are $numbers numbers, or $((2 * numbers)) bytes." "SECURITY.md has the sum"
}

test_case 'the times of the FIFOs to an interactor are not those that a test before has made' && {
    cat >"$scratch/times.py" <<'END'
import os, sys, time
times = [time for name in ("program", "interactor") for time in os.stat("/.isolator/to-" + name)[7:10]]
print("guess", input(), flush=True)
time.sleep(1.1)
print(min(times), int(time.time()), file=sys.stderr)
END
    isolator test --tests "$scratch/three" --interactor "$(snippet py 'print("go", flush=True); input()')" "$scratch/times.py"
    is "$(json 'join " ", map { $_->{status} } @{$r->{tests}}')" "passed passed passed" "the tests"
    read -r -d '' _ end begin second_end third _ < <(json 'join "", map { $_->{stderr} } @{$r->{tests}}')
    is "$((begin >= end)) $((third >= second_end))" "1 1" "the times of the FIFOs: $begin after $end, $third after $second_end"
}

# The part of test/interpreters that removes, in a script that has made an image, a directory and a container. It is killed.
test_case 'test/interpreters removes what it made, also when it is killed' && {
    docker build -q --network none -t "$image" - >/dev/null 2>&1 <<<$'FROM isolator-test/busybox:1\nLABEL leftovers=1'
    mkdir "$scratch/made"
    sed -n '/^watch_leftovers/,/^}/p' test/interpreters >"$scratch/bed"
    printf '%s\n' 'exec {watched}> >(watch_leftovers "$1" "" "$2")' 'docker create --label isolator-test.interpreters=$$ "$2" none >/dev/null' \
        'sleep 1000; exit' >>"$scratch/bed"
    setsid bash "$scratch/bed" "$scratch/made" "$image" &
    pid=$!
    containers() { docker ps -aq --filter "label=isolator-test.interpreters=$pid" | wc -l; }
    until_true eval '[ "$(containers)" = 1 ]'
    kill -KILL -- "-$pid"
    until_true eval '! docker image inspect "$image" >/dev/null 2>&1'
    is "$(containers) $(find "$scratch/made" 2>/dev/null)" "0 " "the container, the directory and the image"
}

finish
