#!/bin/sh
# The MCP server, driven by the official clients of the protocol: see test/mcp/sdk.mjs.
cd "$(dirname "$0")/../.." || exit 1
ISOLATOR=${ISOLATOR:-$PWD/build/isolator}

if ! said=$(test/mcp/install); then
    echo 'not ok 1 - the clients are installed'
    echo "$said" | sed 's/^/# /'
    echo '1..1'
    exit 1
fi
exec node test/mcp/sdk.mjs "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}" \
    "${ISOLATOR_CONFIG:-$PWD/build/engine/test.json}"
