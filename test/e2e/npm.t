#!/usr/bin/env bash
# The npm packages: what is in them, that npm runs them from a file without a network, and their launchers. Needs root or
# sudo. No registry is asked for anything: npm has no network here.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $scratch and its like
[ "$(id -u)" = 0 ] || exec sudo -n env PATH="$PATH" ISOLATOR="${ISOLATOR-}" ISOLATOR_CONFIG="${ISOLATOR_CONFIG-}" "$0" "$@"
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS MCP_NAME
export SOURCE_DATE_EPOCH=1700000000

version=$("$ISOLATOR" --version | sed 's/.* //')
machine=$(uname -m)
cpu=$(sed 's/x86_64/x64/; s/aarch64/arm64/' <<<"$machine")
programs=$scratch/programs
packages=$scratch/packages
package=$scratch/unpacked/package

# Both machines have the programs of this one, which makes no difference to how they are packed.
make_programs "$programs/x86_64"
cp -r "$programs/x86_64" "$programs/aarch64"
share/packaging/npm "$programs" "$version" "$packages" >"$scratch/made"
mkdir "$scratch/unpacked"
tar -xzf "$packages/isolator-mcp-$version.tgz" -C "$scratch/unpacked"

# offline COMMAND...: runs it in $scratch without a network, with an empty home of its own.
offline() {
    rm -rf "$scratch/npm-home"
    mkdir "$scratch/npm-home"
    (cd "$scratch" && exec unshare --net env HOME="$scratch/npm-home" npm_config_fetch_retries=0 "$@")
}
npx_file() { offline npx -y "./packages/isolator-mcp-$version.tgz" "$@"; }
npx_isolator() { offline npx -y -p "./packages/isolator-mcp-$version.tgz" isolator "$@"; }
# entries FILE: what is in an archive: mode, owner, date and name.
entries() { TZ=UTC tar -tvzf "$1" | awk '{ print $1, $2, $4, $6 }'; }
# member FILE EXPRESSION: an expression of JavaScript about the package.json of an archive, as p.
member() { tar -xOzf "$1" package/package.json | node -p "const p = JSON.parse(require('fs').readFileSync(0)); $2"; }

initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}'
initialized='{"jsonrpc":"2.0","method":"notifications/initialized"}'

# ---- what is in the packages

test_case 'the file that runs by itself has the programs of all machines, and depends on nothing' && {
    file=$packages/isolator-mcp-$version.tgz
    is "$(entries "$file")" "-rw-r--r-- 0/0 2023-11-14 package/LICENSE
-rw-r--r-- 0/0 2023-11-14 package/README.md
-rwxr-xr-x 0/0 2023-11-14 package/bin/isolator
-rwxr-xr-x 0/0 2023-11-14 package/bin/isolator-mcp
-rw-r--r-- 0/0 2023-11-14 package/package.json
-rw-r--r-- 0/0 2023-11-14 package/programs/aarch64/LICENSES
-rwxr-xr-x 0/0 2023-11-14 package/programs/aarch64/isolator
-rwxr-xr-x 0/0 2023-11-14 package/programs/aarch64/isolator-mcp
-rw-r--r-- 0/0 2023-11-14 package/programs/x86_64/LICENSES
-rwxr-xr-x 0/0 2023-11-14 package/programs/x86_64/isolator
-rwxr-xr-x 0/0 2023-11-14 package/programs/x86_64/isolator-mcp" "its files"
    is "$(member "$file" 'JSON.stringify([p.name, p.version, p.license, p.bin])')" \
        "[\"isolator-mcp\",\"$version\",\"MIT\",{\"isolator\":\"bin/isolator\",\"isolator-mcp\":\"bin/isolator-mcp\"}]" "its package.json"
    is "$(member "$file" 'Object.keys(p).filter((key) => /dependencies|scripts/i.test(key)).join()')" "" "no dependency, no script"
    ok "$(cmp -s "$programs/x86_64/isolator-mcp" "$package/programs/x86_64/isolator-mcp"; echo $?)" "the program is the one that was given"
}

test_case 'the packages to publish: one without programs, and one for each machine' && {
    is "$(cd "$packages/publish" && printf '%s\n' *)" "isolator-mcp-$version.tgz
isolator-mcp-linux-arm64-$version.tgz
isolator-mcp-linux-x64-$version.tgz" "the files"
    file=$packages/publish/isolator-mcp-$version.tgz
    is "$(entries "$file" | grep -c programs/)" "0" "the first has no programs"
    is "$(member "$file" 'JSON.stringify(p.optionalDependencies)')" \
        "{\"isolator-mcp-linux-x64\":\"$version\",\"isolator-mcp-linux-arm64\":\"$version\"}" "but those of the machines, in this version alone"
    file=$packages/publish/isolator-mcp-linux-arm64-$version.tgz
    is "$(member "$file" 'JSON.stringify([p.name, p.os, p.cpu, p.bin])')" '["isolator-mcp-linux-arm64",["linux"],["arm64"],null]' "a machine's package.json"
    is "$(entries "$file" | grep programs/)" "-rw-r--r-- 0/0 2023-11-14 package/programs/aarch64/LICENSES
-rwxr-xr-x 0/0 2023-11-14 package/programs/aarch64/isolator
-rwxr-xr-x 0/0 2023-11-14 package/programs/aarch64/isolator-mcp" "a machine's programs"
    (export MCP_NAME=org.example/isolator; share/packaging/npm "$programs" "$version" "$scratch/named" >/dev/null)
    is "$(member "$scratch/named/publish/isolator-mcp-$version.tgz" p.mcpName)" "org.example/isolator" "MCP_NAME"
}

test_case 'the same bytes from another directory, with another umask' && {
    mkdir -p "$scratch/elsewhere/share"
    cp -r Makefile LICENSE "$scratch/elsewhere"
    cp -r share/packaging "$scratch/elsewhere/share"
    cp -r "$programs" "$scratch/elsewhere/built"
    chmod -R go-rwx "$scratch/elsewhere"
    (umask 077 && cd "$scratch/elsewhere" && share/packaging/npm built "$version" out >/dev/null)
    is "$(cd "$scratch/elsewhere/out" && find . -type f | sort | xargs sha256sum)" "$(cd "$packages" && find . -type f | sort | xargs sha256sum)" \
        "the packages"
    within "$(find "$packages" -type f | wc -l)" 4 4 "there are packages"
    is "$(grep -rl "$scratch" "$package")" "" "no path of the build is in them"
}

test_case 'machines without programs are left out' && {
    mkdir "$scratch/one"
    cp -r "$programs/aarch64" "$scratch/one"
    share/packaging/npm "$scratch/one" "$version" "$scratch/one-package" >/dev/null
    is "$(entries "$scratch/one-package/isolator-mcp-$version.tgz" | grep -c x86_64) $(ls "$scratch/one-package/publish")" "0 isolator-mcp-$version.tgz
isolator-mcp-linux-arm64-$version.tgz" "the packages"
}

# not_made MESSAGE NAME ARG...: share/packaging/npm refuses these arguments.
not_made() {
    local message=$1 name=$2
    shift 2
    is "$(share/packaging/npm "$@" 2>&1; echo $?)" "$message
1" "$name"
}

test_case 'packages that cannot be made' && {
    not_made 'usage: share/packaging/npm PROGRAMS_DIRECTORY VERSION OUTPUT_DIRECTORY' "an argument is missing" "$programs" "$version"
    mkdir -p "$scratch/none" "$scratch/half/x86_64"
    not_made "share/packaging/npm: there are no programs in '$scratch/none': build them with \`make static\`" "no programs" "$scratch/none" 1.0.0 "$scratch/x"
    not_made "share/packaging/npm: cannot read '$scratch/half/x86_64/isolator': No such file or directory" "a program is missing" \
        "$scratch/half" 1.0.0 "$scratch/x"
    not_made "share/packaging/npm: '1.0' is not a version like 0.1.0" "a wrong version" "$programs" 1.0 "$scratch/x"
    not_made "share/packaging/npm: cannot write '$scratch/made/x/isolator-mcp-1.0.0.tgz': Not a directory" "no place for them" \
        "$programs" 1.0.0 "$scratch/made/x"
    SOURCE_DATE_EPOCH=now not_made "share/packaging/npm: SOURCE_DATE_EPOCH is 'now', not a number of seconds" "a wrong time" \
        "$programs" 1.0.0 "$scratch/x"
}

# ---- npm runs them

test_case 'npx runs the file in an empty home without a network' && {
    is "$(npx_file --version 2>&1)" "isolator-mcp $version" "npx FILE"
    is "$(grep -rhi fetch "$scratch/npm-home/.npm/_logs" | grep isolator | grep -v 'fetch manifest isolator-mcp@file:')" "" \
        "npm asks no registry for it"
    within "$(grep -rhc 'fetch manifest isolator-mcp@file:' "$scratch/npm-home/.npm/_logs")" 1 1 "npm's log says what it fetches"
    is "$(npx_isolator --version 2>&1)" "isolator $version" "npx -p FILE isolator"
}

test_case 'a session of MCP through npx, which ends with standard input' && {
    said=$(printf '%s\n' "$initialize" "$initialized" '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' | npx_file 2>"$scratch/err")
    status=$?
    is "$status|$(<"$scratch/err")" "0|" "status and stderr"
    is "$(wc -l <<<"$said")" 2 "two responses"
    has "$said" "\"serverInfo\":{\"name\":\"isolator\",\"version\":\"$version\"" "initialize"
    expect "$(grep -o '"name":"[a-z_]*","title"' <<<"$said")" "tools/list" <<'END'
"name":"execute_code","title"
"name":"close_session","title"
"name":"wait_job","title"
END
}

# start_server COMMAND...: runs the server with the fifo $lines as its standard input, until it has answered; $pid.
start_server() {
    rm -f "$scratch/lines"
    mkfifo "$scratch/lines"
    "$@" <"$scratch/lines" >"$scratch/said" 2>&1 &
    pid=$!
    exec {lines}>"$scratch/lines"
    echo "$initialize" >&"$lines"
    until_true grep -q serverInfo "$scratch/said"
}
has_ended() { [ ! -e "/proc/$1" ]; }

# npm starts a command by a shell, which may stay, and passes SIGTERM to that shell alone.
test_case 'a host that kills npx and closes its pipes leaves no server' && {
    start_server npx_file
    npm=$(children "$pid")
    server=$(children "$npm")
    [[ $(readlink "/proc/$server/exe") == */isolator-mcp ]] || server=$(children "$server")
    has "$(readlink "/proc/$server/exe")" "/node_modules/isolator-mcp/programs/$machine/isolator-mcp" "no launcher is between npm and the server"
    kill -TERM "$npm"
    wait "$pid" 2>/dev/null
    is "$?" 143 "npx has ended"
    exec {lines}>&-
    until_true has_ended "$server"
    ok $? "the server has ended"
}

test_case 'a program runs on the engine through npx' && {
    echo 'print(6 * 7); raise SystemExit(5)' >"$scratch/answer.py"
    npx_isolator run answer.py >"$scratch/out" 2>"$scratch/err"
    status=$?
    take_output
    outcome "1 error 5 exit null program exited with status 5" "how it ends"
    is "$(field stdout)|$err" "42|" "its output"
    said=$({ printf '%s\n' "$initialize" "$initialized" \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"language":"python","entrypoint_code":"print(6*7)"}}}'
        until_true grep -q '"id":2' "$scratch/said"; } | npx_file 2>&1 | tee "$scratch/said")
    has "$said" '"text":"--- stdout ---\n42\n"' "a call of the tool"
}

test_case 'npm installs the packages to publish' && {
    offline npm install --offline --no-audit --no-fund --prefix "$scratch/project" "$packages/publish/isolator-mcp-linux-$cpu-$version.tgz" \
        "$packages/publish/isolator-mcp-$version.tgz" >"$scratch/log" 2>&1
    is "$? $(ls "$scratch/project/node_modules")" "0 isolator-mcp
isolator-mcp-linux-$cpu" "the packages that it installs"
    is "$(cd / && "$scratch/project/node_modules/.bin/isolator-mcp" --version)" "isolator-mcp $version" "isolator-mcp"
    is "$("$scratch/project/node_modules/.bin/isolator" --version)" "isolator $version" "isolator"
    mkdir "$scratch/project/node_modules/isolator-mcp/node_modules"
    mv "$scratch/project/node_modules/isolator-mcp-linux-$cpu" "$scratch/project/node_modules/isolator-mcp/node_modules"
    is "$("$scratch/project/node_modules/.bin/isolator" --version)" "isolator $version" "with the package of the machine inside the other"
}

# ---- the launcher

test_case 'the launcher becomes the program' && {
    ln -s "$package/bin/isolator-mcp" "$scratch/server"
    start_server "$scratch/server"
    has_become() { [ "$(readlink "/proc/$pid/exe")" = "$package/programs/$machine/isolator-mcp" ]; }
    until_true has_become
    is "$(readlink "/proc/$pid/exe")" "$package/programs/$machine/isolator-mcp" "the same process"
    kill -TERM "$pid"
    wait "$pid"
    is "$?" 0 "SIGTERM ends the server"
    exec {lines}>&-
    "$package/bin/isolator" gc --nope 2>"$scratch/err"
    is "$? $(<"$scratch/err")" "2 isolator: unknown option '--nope'; see isolator gc --help" "exit status and arguments"
    is "$(cd "$package/bin" && sh isolator --version)" "isolator $version" "started without a directory in its name"
}

test_case 'another system, and a program that is missing' && {
    mkdir "$scratch/uname"
    # shellcheck disable=SC2016 # the stand-in expands it
    printf '#!/bin/sh\ncase $1 in -s) echo "$SYSTEM" ;; -m) echo "$MACHINE" ;; esac\n' >"$scratch/uname/uname"
    chmod +x "$scratch/uname/uname"
    said=$(PATH=$scratch/uname:$PATH SYSTEM=Darwin MACHINE=arm64 "$package/bin/isolator-mcp" 2>&1)
    is "$? $said" "3 isolator-mcp: cannot run on 'Darwin arm64': isolator needs Linux on x86_64 or aarch64; run it on such a machine or in a virtual one" \
        "another system"
    said=$(PATH=$scratch/uname:$PATH SYSTEM=Linux MACHINE=riscv64 "$package/bin/isolator" 2>&1)
    is "$? $said" "3 isolator: cannot run on 'Linux riscv64': isolator needs Linux on x86_64 or aarch64; run it on such a machine or in a virtual one" \
        "another machine"
    mkdir "$scratch/without"
    tar -xzf "$packages/publish/isolator-mcp-$version.tgz" -C "$scratch/without"
    said=$("$scratch/without/package/bin/isolator-mcp" 2>&1)
    is "$? $said" "3 isolator-mcp: there is no program for 'Linux $machine' in '$scratch/without/package': \
install the package for this machine; with npm, without --omit=optional" "the package of the machine is missing"
}

finish
