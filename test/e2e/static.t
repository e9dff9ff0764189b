#!/usr/bin/env bash
# The programs of `make static`: they need no other file and no C library, also in a system that has only busybox and a
# docker command. Needs root or sudo.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2034,SC2154 # the dollars are those of another shell; lib.sh sets $scratch and its like
[ "$(id -u)" = 0 ] || exec sudo -n env PATH="$PATH" ISOLATOR="${ISOLATOR-}" ISOLATOR_CONFIG="${ISOLATOR_CONFIG-}" "$0" "$@"
. "$(dirname "$0")/lib.sh"
machine=$(uname -m)
static=$PWD/build/static/$machine
[ -x "$static/isolator-mcp" ] || make -s static >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; exit 1; }

# make_root NAME: a system in $scratch/NAME from a tar on stdin, with the programs and the language python, and with a
# docker command that is the one of the host.
make_root() {
    local root=$scratch/$1
    mkdir -p "$root"
    tar -x -C "$root"
    mkdir -p "$root/host" "$root/proc" "$root/dev" "$root/tests" "$root/usr/local/bin"
    cp "$static"/* "$root/usr/local/bin"
    cp "$ISOLATOR_CONFIG" "$root/config.json"
    printf '#!/bin/sh\nexec chroot /host docker "$@"\n' >"$root/usr/local/bin/docker"
    chmod +x "$root/usr/local/bin/docker"
    cp prompts/hello_world.py "$root/hello.py"
}
# inside NAME COMMAND...: runs it in that system, without a network; all processes end with it.
inside() {
    local name=$1; shift
    unshare --mount --net --pid --fork --kill-child sh -c '
        mount --rbind / "$1/host" && mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && root=$1 && shift &&
        exec chroot "$root" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin HOME=/ ISOLATOR_CONFIG=/config.json "$@"' sh "$scratch/$name" "$@"
}
# of_image IMAGE: the files of an image.
of_image() {
    local id
    id=$(docker create --network none "$1" true) && docker export "$id"
    docker rm "$id" >/dev/null
}

# check_system NAME: a run, a session, a call of a tool, and texts that are elsewhere in files.
check_system() {
    is "$(inside "$1" isolator run /hello.py </dev/null | grep -o '"stdout": "[^"]*"')" '"stdout": "Hello, World from Python!\n"' "$1: a run"
    is "$(printf 'x = 6\n# %%%%\nx * 7\n' | inside "$1" isolator session)" 42 "$1: a session"
    local messages=(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
        '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"language":"python","entrypoint_code":"print(6*7)"}}}')
    : >"$scratch/answers" # the input ends after the answer: calls get little time after that
    { printf '%s\n' "${messages[@]}"; until_true grep -q '"id":2' "$scratch/answers"; } | inside "$1" isolator-mcp >"$scratch/answers" 2>&1
    got=$(cat "$scratch/answers")
    is "$(grep -o '"stdout":"[^"]*"' <<<"$got")" '"stdout":"42\n"' "$1: a call of isolator-mcp"
    is "$(inside "$1" isolator help gc --man | head -n 1 | cut -c 1-14)" 'ISOLATOR-GC(1)' "$1: a manual page"
    has "$(inside "$1" env -u ISOLATOR_CONFIG isolator config | grep python.image)" 'languages.python.image = "python:3.11-alpine"' "$1: the default configuration"
    is "$(inside "$1" isolator config --schema | cmp - share/isolator_config.schema.json)" "" "$1: the schema"
}

test_case 'the files: static, below 2.5 MB, without a path of the build' && {
    for program in isolator isolator-mcp; do
        file=$static/$program
        within "$(wc -c <"$file")" 500000 2621440 "$program: the bytes"
        is "$(readelf -lW "$file" | grep -cE 'INTERP')$(readelf -dW "$file" | grep -cE 'NEEDED|RPATH|RUNPATH|TEXTREL')" 00 "$program: needs no library"
        expect "$(readelf -lW "$file" | grep -oE 'GNU_(STACK|RELRO) .* RW?E? ' | sed -E 's/ .* (R[^ ]*) $/ \1/')" \
            "$program: no executable stack, and tables that are read-only" <<'END'
GNU_STACK RW
GNU_RELRO R
END
        is "$(readelf -hW "$file" | sed -nE 's/ *Type: *([A-Z]+).*/\1/p')" DYN "$program: its addresses are random"
        is "$(grep -acF "$PWD" "$file")" 0 "$program: has no path of the build"
    done
}

test_case 'a system with busybox and no C library' && {
    of_image isolator-test/busybox:1 | make_root busybox
    is "$(find "$scratch/busybox" -xdev -name '*.so*')" "" "there is no library"
    check_system busybox
}

test_case 'a minimal Debian' && {
    make_root debian <build/engine/root.tar
    check_system debian
}

test_case 'without docker, the message names the package of the distribution' && {
    of_image isolator-test/busybox:1 | make_root alpine
    printf 'NAME="Alpine Linux"\nID=alpine\n' >"$scratch/alpine/etc/os-release"
    rm "$scratch/alpine/usr/local/bin/docker"
    is "$(inside alpine isolator run --format text /hello.py 2>&1 </dev/null)" \
        "isolator: cannot run 'docker': No such file or directory; to install it: apk add docker" "isolator run"
    has "$(inside alpine isolator doctor 2>&1)" "apk add docker" "isolator doctor"
    rm "$scratch/alpine/etc/os-release"
    has "$(inside alpine isolator run --format text /hello.py 2>&1 </dev/null)" "No such file or directory; is it installed, and on PATH?" "another distribution"
}

# musl has no option for that.
test_case 'search domains complete no name, but hosts are known' && {
    got=$(ISOLATOR=$static/isolator test/e2e/network.t --run 'its search domains' 2>&1)
    is "$(grep -cE '^ok ' <<<"$got") $(grep '^not ok' <<<"$got")" "2 " "with names: $got"
}

# A thread of musl has 128 KiB of stack by default.
test_case 'the deepest JSON' && {
    nested() { printf '%*s' "$1" '' | tr ' ' '['; printf '%*s' "$1" '' | tr ' ' ']'; }
    for depth in 2000 2047 2048 3000; do
        got=$(printf '{"id": "a", "language": "python", "entrypoint_code": "1", "x": %s}\n{"id": "b", "language": "python", "entrypoint_code": "print(2)"}\n' \
            "$(nested "$depth")" | "$static/isolator" batch 2>/dev/null)
        is "$(grep -c '"stdout":"2\\n"' <<<"$got") $(grep -c '"reason":"input"' <<<"$got")" "1 1" "batch: $depth levels"
        got=$(printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"language":"python","entrypoint_code":%s}}}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n' \
            "$(nested "$depth")" | "$static/isolator-mcp" 2>/dev/null)
        has "$got" '"id":2,"result":{}' "isolator-mcp: $depth levels"
    done
}

finish
