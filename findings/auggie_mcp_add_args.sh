#!/usr/bin/env bash
# @augmentcode/auggie 0.36.0: `auggie mcp add --args` splits at each space and keeps quotes as characters.
#
# Expected: one string with all arguments is split as a shell would, so that quotes hold an argument with a space together.
# Seen: '--root "/srv/my data"' becomes three arguments, of which the second and the third have half a pair of quotes each.
# The command succeeds; the server then gets arguments that were never meant. An argument with a space needs the file
# ~/.augment/settings.json to be edited, whose "args" is a list.
#
# Needs node 20 and npm. Fails if the entry is another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund @augmentcode/auggie@0.36.0 >>npm.log 2>&1
mkdir home
HOME=$folder/home node_modules/.bin/auggie mcp add example --command node --args '--root "/srv/my data"' >auggie.log 2>&1
node -p 'JSON.stringify(JSON.parse(fs.readFileSync("home/.augment/settings.json")).mcpServers.example.args)' >seen
diff seen - <<'EXPECTED'
["--root","\"/srv/my","data\""]
EXPECTED
echo 'as described'
