#!/usr/bin/env bash
# The supervisors that the build embeds: with musl or without, for one architecture or several, and which of them a
# container gets. The cross compiler is a stand-in, whose program no machine can execute.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $status and its like
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS B CC SANITIZE SUPERVISORS MUSL_CC

own=$(uname -m) other=aarch64
[ "$own" = x86_64 ] || other=x86_64
declare -A engine_name=([x86_64]=amd64 [aarch64]=arm64)
built=$scratch/built

mkdir "$scratch/bin"
cat >"$scratch/bin/$other-linux-gnu-gcc" <<'END_OF_FILE'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
head -c 100000 /dev/zero | tr '\0' x >"$2"
END_OF_FILE
chmod +x "$scratch/bin/$other-linux-gnu-gcc"

# build ARGUMENT...: makes the programs in $built, without what most of it needs: optimization. Sets $said to what make
# says of supervisors.
build() {
    PATH=$scratch/bin:$PATH make -j 2 B="$built" CFLAGS=-O0 "$@" all >"$scratch/log" 2>&1
    ok $? "make $*"
    said=$(sed -nE 's/[0-9]+ KB/N KB/; s|^  .*/supervisor/([a-z0-9_]*\.elf: )|\1|p' "$scratch/log")
}

# says_hello IMAGE COMMAND COPIES [OUTPUT]: what was built runs this program in the image, after so many `docker cp`: one
# would hide that the shell did not get its supervisor.
says_hello() {
    printf '{"languages": {"txt": {"image": "%s", "command": [%s], "extensions": [".txt"], "defaultFilename": "main.txt"}},
        "warm": {}, "engineTimeoutSeconds": 300}\n' "$1" "$2" >"$scratch/hello.json"
    ISOLATOR_CONFIG=$scratch/hello.json ISOLATOR=$built/isolator code txt 'echo hello' --verbose
    is "$(field status error) $(grep -c '^isolator: cp ' <<<"$err") $(field stdout | tail -n 1)" "success null $3 ${4-hello}" \
        "$1: the program runs"
}
everywhere() {
    says_hello isolator-test/python:bookworm '"sh", "{entrypoint}"' 0
    says_hello isolator-test/busybox:1 '"sh", "{entrypoint}"' 0
    says_hello isolator-test/noshell:1 '"/hello", "--cat", "{entrypoint}"' 1 'echo hello'
}
supervisor_kb() { echo $(($(wc -c <"$built/supervisor/$1.elf") / 1024)); }

test_case 'without musl-gcc the C library of the compiler is used, and make says so' && {
    build MUSL_CC=no-such-compiler
    is "$said" "$own.elf: N KB, with the C library of cc since there is no musl-gcc (package musl-tools)" "what make says"
    within "$(supervisor_kb "$own")" 128 1023 "its size in KB"
    everywhere
}

test_case 'with musl-gcc the supervisor is small' && {
    build
    is "$said" "" "make says nothing"
    within "$(supervisor_kb "$own")" 1 127 "its size in KB"
    everywhere
}

test_case 'of two architectures the container gets the one of its machine' && {
    build SUPERVISORS="$other $own"
    is "$said" "$other.elf: N KB, with the C library of $other-linux-gnu-gcc" "what make says"
    everywhere
    build SUPERVISORS="$own $other"
    everywhere
    # The shell leaves the file with both of them, which would be something that a program can change.
    ISOLATOR=$built/isolator isolator selftest left_memory
    is "$status" 0 "several tests in a container: $(tail -n 2 <<<"$out")"
}

test_case 'only another architecture' && {
    build SUPERVISORS="$other"
    for image in busybox noshell; do
        code txt hello --image "isolator-test/$image:1" --language python
        has "$(field error)" "No such file or directory" "$image: the program that was there before"
        ISOLATOR=$built/isolator code txt hello --image "isolator-test/$image:1" --language python
        outcome "3 error -1 command null the image 'isolator-test/$image:1' is for ${engine_name[$own]}, and this isolator \
was built to run images for ${engine_name[$other]}" "$image: is refused"
    done
}

test_case 'what is too large is an error' && {
    sed -i 's/100000/1100000/' "$scratch/bin/$other-linux-gnu-gcc"
    rm -f "$built/supervisor/$other.elf"
    PATH=$scratch/bin:$PATH make B="$built" SUPERVISORS="$other" "$built/supervisor/$other.elf" >"$scratch/log" 2>&1
    is "$?|$(grep bytes "$scratch/log")|$(ls "$built/supervisor/$other.elf" 2>/dev/null)" \
        "2|$built/supervisor/$other.elf has 1100000 bytes, more than 1024 KB|" "make"
}

finish
