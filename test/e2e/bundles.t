#!/usr/bin/env bash
# What MCP hosts install: MCP bundles, the entry of the MCP registry, and the plugin of Claude Code with its skill. Each is
# checked against a schema of test/fixtures/schemas, and started as its host starts it.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # the dollars are those of hosts; lib.sh sets $scratch and its like
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS MCP_NAME BUNDLE_URL
export SOURCE_DATE_EPOCH=1700000000

version=$("$ISOLATOR" --version | sed 's/.* //')
machine=$(uname -m)
programs=$scratch/programs
bundles=$scratch/bundles
bundle=$bundles/isolator-mcp-$version-linux-$machine.mcpb
plugin=$bundles/claude-plugin

# Both machines have the programs of this one, which makes no difference to how they are packed.
make_programs "$programs/x86_64"
cp -r "$programs/x86_64" "$programs/aarch64"
share/packaging/bundles "$programs" "$version" "$bundles" >"$scratch/made"

# entries ZIP: what is in it: mode, date and name. unpack ZIP DIRECTORY: unpacks it, with its modes.
entries() {
    python3 -c '
import stat, sys, zipfile
for entry in zipfile.ZipFile(sys.argv[1]).infolist():
    print(stat.filemode(entry.external_attr >> 16), "-".join(map(str, entry.date_time)), entry.filename)' "$1"
}
unpack() {
    python3 -c '
import os, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for entry in archive.infolist():
    os.chmod(archive.extract(entry, sys.argv[2]), entry.external_attr >> 16 & 0o777)' "$1" "$2"
}
# in_zip ZIP NAME: a file of it.
in_zip() { python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' "$1" "$2"; }
# member EXPRESSION: an expression of JavaScript about the JSON on stdin, as j.
member() { node -p "const j = JSON.parse(require('fs').readFileSync(0)); $1"; }
# faults SCHEMA: what is wrong with the JSON on stdin.
faults() { faults_by "test/fixtures/schemas/$1.schema.json"; }
faults_by() { test/mcp/install && node test/mcp/schema_faults.mjs "$1" 2>&1; }
# front_matter: that of SKILL.md, as JSON. code_block LANGUAGE: the text of its block in this language.
front_matter() { sed -n '2,/^---$/{/^---$/!p}' "$plugin/skills/isolator/SKILL.md" | python3 -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))'; }
code_block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$plugin/skills/isolator/SKILL.md"; }

list_tools='{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
# tools_of COMMAND...: the names of the tools that this server offers.
tools_of() { "$@" <<<"$list_tools" | member 'j.result.tools.map((tool) => tool.name).join()'; }

# ---- what is in them

test_case 'the files' && {
    is "$(cd "$bundles" && printf '%s\n' *)" "claude-plugin
isolator-claude-plugin-$version.zip
isolator-mcp-$version-linux-aarch64.mcpb
isolator-mcp-$version-linux-x86_64.mcpb
server.json" "what is made"
    is "$(entries "$bundle")" "-rw-r--r-- 2023-11-14-22-13-20 LICENSE
-rw-r--r-- 2023-11-14-22-13-20 README.md
-rw-r--r-- 2023-11-14-22-13-20 manifest.json
-rw-r--r-- 2023-11-14-22-13-20 server/LICENSES
-rwxr-xr-x 2023-11-14-22-13-20 server/isolator
-rwxr-xr-x 2023-11-14-22-13-20 server/isolator-mcp" "a bundle"
    is "$(entries "$bundles/isolator-claude-plugin-$version.zip")" "-rw-r--r-- 2023-11-14-22-13-20 .claude-plugin/plugin.json
-rw-r--r-- 2023-11-14-22-13-20 .mcp.json
-rw-r--r-- 2023-11-14-22-13-20 LICENSE
-rw-r--r-- 2023-11-14-22-13-20 README.md
-rwxr-xr-x 2023-11-14-22-13-20 bin/isolator
-rwxr-xr-x 2023-11-14-22-13-20 bin/isolator-mcp
-rw-r--r-- 2023-11-14-22-13-20 programs/aarch64/LICENSES
-rwxr-xr-x 2023-11-14-22-13-20 programs/aarch64/isolator
-rwxr-xr-x 2023-11-14-22-13-20 programs/aarch64/isolator-mcp
-rw-r--r-- 2023-11-14-22-13-20 programs/x86_64/LICENSES
-rwxr-xr-x 2023-11-14-22-13-20 programs/x86_64/isolator
-rwxr-xr-x 2023-11-14-22-13-20 programs/x86_64/isolator-mcp
-rw-r--r-- 2023-11-14-22-13-20 skills/isolator/SKILL.md" "the plugin"
    unpack "$bundles/isolator-claude-plugin-$version.zip" "$scratch/plugin"
    is "$(diff -r "$plugin" "$scratch/plugin")" "" "the directory of the plugin is the same as the file"
    expect "$(cd "$plugin" && find . -type f -perm 755 | sort)" "its programs" <<'END'
./bin/isolator
./bin/isolator-mcp
./programs/aarch64/isolator
./programs/aarch64/isolator-mcp
./programs/x86_64/isolator
./programs/x86_64/isolator-mcp
END
    ok "$(in_zip "$bundle" server/isolator-mcp | cmp -s - "$programs/$machine/isolator-mcp"; echo $?)" "a program is the one that was given"
}

test_case 'each follows its schema' && {
    is "$(in_zip "$bundle" manifest.json | faults mcpb_manifest)" "" "manifest.json"
    is "$(in_zip "$bundle" manifest.json | faults_by test/mcp/node_modules/@anthropic-ai/mcpb/schemas/mcpb-manifest-v0.4.schema.json)" "" \
        "manifest.json, by the schema of mcpb"
    has "$(faults_by test/mcp/node_modules/@anthropic-ai/mcpb/schemas/mcpb-manifest-v0.4.schema.json <<<'{}')" "must have required property 'server'" \
        "that schema"
    is "$(faults server <"$bundles/server.json")" "" "server.json"
    is "$(faults claude_plugin <"$plugin/.claude-plugin/plugin.json")" "" "plugin.json"
    is "$(faults claude_plugin <"$plugin/.mcp.json")" "" ".mcp.json"
    is "$(front_matter | faults skill)" "" "SKILL.md"
    is "$(member j.version <"$bundles/server.json")" "$version" "server.json: the version"
    is "$(member j.version <"$plugin/.claude-plugin/plugin.json")" "$version" "plugin.json: the version"
    is "$(in_zip "$bundle" manifest.json | member j.version)" "$version" "manifest.json: the version"
}

test_case 'the schemas find what is wrong' && {
    broken() { # SCHEMA CHANGE FAULT NAME: the JSON on stdin, after this change to j
        has "$(member "$2; JSON.stringify(j)" | faults "$1")" "$3" "$4"
    }
    in_zip "$bundle" manifest.json >"$scratch/manifest.json"
    broken mcpb_manifest 'j.manifest_version = "0.3"' '/manifest_version must be equal to constant' "another version of the manifest" <"$scratch/manifest.json"
    broken mcpb_manifest 'delete j.user_config.configuration.default' "must have required property 'default'" "no default" <"$scratch/manifest.json"
    broken mcpb_manifest 'j.nope = 1' 'must NOT have additional properties {"additionalProperty":"nope"}' "an unknown member" <"$scratch/manifest.json"
    broken server 'j.description = "x".repeat(101)' '/description must NOT have more than 100 characters' "a long description" <"$bundles/server.json"
    broken server 'j.packages[0].registryType = "mcpb"' "must have required property 'fileSha256'" "a bundle without a hash" <"$bundles/server.json"
    broken claude_plugin 'j.name = "A plugin"' '/name must match pattern' "a name with a space" <"$plugin/.claude-plugin/plugin.json"
    broken claude_plugin 'j.mcpServers.isolator.command = "isolator-mcp"' '/command must match pattern' "a command of no plugin" <"$plugin/.mcp.json"
    broken skill 'j.name = "Isolator"' '/name must match pattern' "a skill's name in upper case" < <(front_matter)
}

test_case 'the same bytes from another directory, with another umask' && {
    mkdir -p "$scratch/elsewhere/share"
    cp -r Makefile LICENSE "$scratch/elsewhere"
    cp -r share/packaging "$scratch/elsewhere/share"
    cp -r "$programs" "$scratch/elsewhere/built"
    chmod -R go-rwx "$scratch/elsewhere"
    (umask 077 && cd "$scratch/elsewhere" && TZ=Asia/Tokyo share/packaging/bundles built "$version" out >/dev/null)
    sums() { (cd "$1" && find . -type f -printf '%m %p\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
    is "$(sums "$scratch/elsewhere/out")" "$(sums "$bundles")" "the files"
    is "$(grep -rl "$scratch" "$plugin" "$bundles/server.json")" "" "no path of the build is in them"
}

test_case 'the entry of the registry' && {
    is "$(member 'JSON.stringify([j.name, j.packages.map((p) => [p.registryType, p.identifier, p.version])])' <"$bundles/server.json")" \
        "[\"localdomain.localhost/isolator-mcp\",[[\"npm\",\"isolator-mcp\",\"$version\"]]]" "without a place for the bundles"
    BUNDLE_URL=https://example.com/v1/ MCP_NAME=org.example/isolator share/packaging/bundles "$programs" "$version" "$scratch/placed" >/dev/null
    is "$(member '[j.name, ...j.packages.slice(1).map((p) => `${p.fileSha256}  ${p.identifier}`)].join("\n")' <"$scratch/placed/server.json")" \
        "org.example/isolator
$(cd "$scratch/placed" && sha256sum "isolator-mcp-$version-linux-x86_64.mcpb" "isolator-mcp-$version-linux-aarch64.mcpb" | sed 's|  |  https://example.com/v1/|')" \
        "the bundles, with their hashes"
    is "$(faults server <"$scratch/placed/server.json")" "" "it follows its schema"
}

test_case 'make npm and make bundles pack the programs of a directory' && {
    make npm bundles PROGRAMS="$programs" B="$scratch/build" >"$scratch/log" 2>&1
    is "$? $(cd "$scratch/build" && printf '%s ' *)" "0 bundles npm " "make npm bundles: $(<"$scratch/log")"
    is "$(diff -r "$scratch/build/bundles" "$bundles")" "" "the bundles"
    is "$(cd "$scratch/build/npm" && printf '%s ' *)" "isolator-mcp-$version.tgz publish " "the npm packages"
}

test_case 'bundles that cannot be made' && {
    is "$(share/packaging/bundles 2>&1; echo $?)" "usage: share/packaging/bundles PROGRAMS_DIRECTORY VERSION OUTPUT_DIRECTORY
1" "arguments are missing"
    is "$(share/packaging/bundles "$scratch/no" 1.0.0 "$scratch/x" 2>&1; echo $?)" \
        "share/packaging/bundles: there are no programs in '$scratch/no': build them with \`make static\`
1" "no programs"
}

# ---- hosts start them

# filled TEXT [CONFIGURATION]: what a host makes of the variables in this text of the manifest.
filled() {
    local text=${1//'${__dirname}'/"$scratch/bundle"}
    echo "${text//'${user_config.configuration}'/"${2-}"}"
}

test_case 'a host starts the server of a bundle' && {
    unpack "$bundle" "$scratch/bundle"
    manifest=$scratch/bundle/manifest.json
    command=$(filled "$(member j.server.mcp_config.command <"$manifest")")
    variable=$(member j.server.mcp_config.env.ISOLATOR_CONFIG <"$manifest")
    default=$(member j.user_config.configuration.default <"$manifest")
    is "$command" "$scratch/bundle/$(member j.server.entry_point <"$manifest")" "the command is the entry point"
    is "$(ISOLATOR_CONFIG=$(filled "$variable" "$default") tools_of "$command")" \
        "$(member 'j.tools.map((tool) => tool.name).join()' <"$manifest")" "it offers the tools of the manifest, without a configuration"
    is "$(ISOLATOR_CONFIG=$(filled "$variable" "$scratch/my.json") "$command" 2>&1 </dev/null; echo $?)" \
        "isolator-mcp: cannot open the configuration '$scratch/my.json': No such file or directory
2" "the user's configuration reaches it"
}

test_case 'Claude Code starts the server of the plugin' && {
    command=$(member j.mcpServers.isolator.command <"$plugin/.mcp.json")
    is "$(tools_of "${command//'${CLAUDE_PLUGIN_ROOT}'/"$plugin"}")" "execute_code,close_session,wait_job" "the tools"
    is "$(cd / && PATH=$plugin/bin:$PATH command isolator --version)" "isolator $version" "the command, from the PATH"
}

test_case 'the examples of the skill' && {
    mkdir -p "$scratch/examples/project"
    cd "$scratch/examples" || exit 1
    printf '%s\n' 'import sys' 'print(sys.stdin.read(), *sys.argv[1:])' 'open("made.txt", "w").write("made")' >program.py
    echo 1,2 >data.csv
    echo 'print("main")' >project/main.py
    PATH=$plugin/bin:$PATH
    number=0
    while read -r line; do
        number=$((number + 1))
        bash -c "$line" >"$scratch/out" 2>"$scratch/err" </dev/null
        is "$?|$(<"$scratch/err")" "0|" "$line"
        cp "$scratch/out" "$scratch/out-$number"
    done < <(cd "$OLDPWD" && code_block sh)
    is "$number $(cat out/made.txt)" "4 made" "the examples, and the file that one of them writes"
    is "$(for i in 1 2 3 4; do member j.stdout <"$scratch/out-$i"; done | grep -v '^ *$')" "42
1,2
 first second
main" "what they print"
    is "$(member '["status", "exitCode", "stdout", "stderr", "reason", "error"].filter((name) => !(name in j)).join()' <"$scratch/out-1")" "" \
        "the members of a result that the skill names"
    cd "$OLDPWD" || exit 1
    call=$(code_block json)
    said=$({ echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":'"$call"'}}'
        until_true grep -q '"id":2' "$scratch/said"; } | "$plugin/bin/isolator-mcp" 2>&1 | tee "$scratch/said")
    has "$said" '"text":"--- stdout ---\n42\n"' "the call of the tool"
}

finish
