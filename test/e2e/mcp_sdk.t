#!/usr/bin/env bash
# The MCP server, driven by the official clients of the protocol: see test/mcp/sdk.mjs. They come from
# npm, pinned in test/mcp/package-lock.json.

set -u
cd "$(dirname "$0")/../.." || exit 1
ISOLATOR=${ISOLATOR:-$PWD/build/isolator}
ISOLATOR_MCP=${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}
config=${ISOLATOR_CONFIG:-$PWD/build/engine/config.json}
log=$PWD/build/npm.log

# npm writes node_modules/.package-lock.json when all the rest is there.
install_clients() {
    [ ! test/mcp/node_modules/.package-lock.json -nt test/mcp/package-lock.json ] || return 0
    mkdir -p "$(dirname "$log")"
    (cd test/mcp && exec npm ci --no-progress) >"$log" 2>&1
}

if ! install_clients; then
    echo "not ok 1 - npm ci in test/mcp"
    tail -n 15 "$log" | sed 's/^/# /'
    echo "1..1"
    exit 1
fi
exec node test/mcp/sdk.mjs "$ISOLATOR_MCP" "$config"
