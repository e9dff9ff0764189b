#!/usr/bin/env bash
# isolator-mcp --print-config: the entry for each host, its timeout, the host's own command, and servers on other machines;
# --install: the entry in the file of each host.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

mcp=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
export ISOLATOR_CONFIG=''
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY XDG_CONFIG_HOME CODEX_HOME COPILOT_HOME CLAUDE_CONFIG_DIR
export HOME=$scratch # has no configuration
file=$scratch/config.json
echo '{}' >"$file"

# print ARG...: runs isolator-mcp and sets $status, $out and $err, where $mcp is PROGRAM and $scratch is DIR.
print() {
    "$mcp" "$@" </dev/null >"$scratch/out" 2>"$scratch/err"
    status=$?
    take_output
    out=${out//"$mcp"/PROGRAM} err=${err//"$mcp"/PROGRAM}
    out=${out//"$scratch"/DIR} err=${err//"$scratch"/DIR}
}
# printed EXPRESSION: a Perl expression about the JSON that was printed, %$r, and its server %$s.
printed() {
    perl -MJSON::PP -e 'local $/; our $r = eval { decode_json(<STDIN>) } or print("(no JSON)"), exit;
        our ($members) = values %$r; our $s = $members->{isolator}; my $j = JSON::PP->new->canonical->allow_nonref;
        print join " ", map { ref $_ || JSON::PP::is_bool($_) ? $j->encode($_) : $_ // "null" } eval($ARGV[0])' "$1" <<<"$out"
}

test_case --quick 'each host has an entry, and stderr says where it belongs' && {
    while IFS='|' read -r host place; do
        print --print-config "$host"
        is "$status|$(grep -c PROGRAM <<<"$out")|$(head -n 1 <<<"$err")" "0|1|isolator-mcp: add this entry to $place" "$host"
    done <<'END'
claude-desktop|~/.config/Claude/claude_desktop_config.json
claude-code|~/.claude.json, or .mcp.json of a project
vscode|~/.config/Code/User/mcp.json, or .vscode/mcp.json of a workspace
cursor|~/.cursor/mcp.json, or .cursor/mcp.json of a project
cline|~/.cline/data/settings/cline_mcp_settings.json, or the file that the extension opens (MCP Servers, Configure)
windsurf|~/.codeium/windsurf/mcp_config.json
zed|~/.config/zed/settings.json, or .zed/settings.json of a project
gemini-cli|~/.gemini/settings.json, or .gemini/settings.json of a project
codex|~/.codex/config.toml, or .codex/config.toml of a project
goose|~/.config/goose/config.yaml
lm-studio|~/.lmstudio/mcp.json
jetbrains|Settings, Tools, AI Assistant, Model Context Protocol (MCP): Add, as JSON
continue|~/.continue/config.yaml
copilot|~/.copilot/mcp-config.json, or .mcp.json of a project
opencode|~/.config/opencode/opencode.json, or opencode.json of a project
kilo|~/.config/kilo/kilo.json, or kilo.json of a project
qwen-code|~/.qwen/settings.json, or .qwen/settings.json of a project
grok|~/.grok/config.toml, or .grok/config.toml of a project
auggie|~/.augment/settings.json, or .augment/settings.json of a project
kiro|~/.kiro/settings/mcp.json, or .kiro/settings/mcp.json of a workspace
antigravity|~/.gemini/config/mcp_config.json
kimi-code|~/.kimi-code/mcp.json, or .kimi-code/mcp.json of a project
crush|~/.config/crush/crush.json, or crush.json of a project
droid|~/.factory/mcp.json, or .factory/mcp.json of a project
END
    XDG_CONFIG_HOME=$scratch/xdg print --print-config zed
    is "$(head -n 1 <<<"$err")" "isolator-mcp: add this entry to DIR/xdg/zed/settings.json, or .zed/settings.json of a project" "XDG_CONFIG_HOME"
    CLAUDE_CONFIG_DIR=$scratch/claude print --print-config claude-code
    is "$(head -n 1 <<<"$err")" "isolator-mcp: add this entry to DIR/claude/.claude.json, or .mcp.json of a project" "CLAUDE_CONFIG_DIR"
    print --print-config codex
    has "$err" 'isolator-mcp: codex: its approval policy "never" refuses a server that reaches a network, unless its table has default_tools_approval_mode = "approve"' \
        "codex: a note"
    print --print-config gemini-cli
    has "$err" 'isolator-mcp: gemini-cli: it starts no server of yours in a folder that it does not trust' "gemini-cli: a note"
}

# ---- the form of each entry
# documented HOST FORMAT: compares what is printed with stdin, which is what the documentation of the host shows. Names,
# commands and values are ours; members that may be missing are left out. Both are read by a parser of this format.
documented() {
    local said
    DOCKER_HOST=unix:///run/other.sock print --config "$file" --print-config "$1"
    said=$(python3 -c '
import json, sys
def load(text):
    if sys.argv[1] == "toml":
        import tomllib
        return tomllib.loads(text)
    if sys.argv[1] == "yaml":
        import yaml
        return yaml.safe_load(text)
    return json.loads(text)
got, expected = load(sys.argv[2]), load(sys.stdin.read())
if got != expected:
    sys.exit("got      %s\nexpected %s" % (json.dumps(got), json.dumps(expected)))' "$2" "$out" 2>&1)
    ok $? "$1: the form that it documents" || diag "$said"
}

test_case 'each entry has the form that the host documents' && {
    echo '{"maximums": {"timeoutSeconds": 45}}' >"$file"
    for host in claude-desktop claude-code windsurf lm-studio jetbrains antigravity; do
        documented "$host" json <<'END'
{
  "mcpServers": {
    "isolator": {
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {
        "DOCKER_HOST": "unix:///run/other.sock"
      }
    }
  }
}
END
    done
    documented vscode json <<'END'
{
    "servers": {
        "isolator": {
            "type": "stdio",
            "command": "PROGRAM",
            "args": [
                "--config",
                "DIR/config.json"
            ],
            "env": {
                "DOCKER_HOST": "unix:///run/other.sock"
            }
        }
    }
}
END
    for host in cursor auggie; do
        documented "$host" json <<'END'
{
  "mcpServers": {
    "isolator": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {
        "DOCKER_HOST": "unix:///run/other.sock"
      }
    }
  }
}
END
    done
    documented cline json <<'END'
{
  "mcpServers": {
    "isolator": {
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {
        "DOCKER_HOST": "unix:///run/other.sock"
      },
      "disabled": false,
      "autoApprove": [],
      "timeout": 60
    }
  }
}
END
    documented zed json <<'END'
{
  "context_servers": {
    "isolator": {
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {"DOCKER_HOST": "unix:///run/other.sock"},
      "timeout": 60
    }
  }
}
END
    for host in gemini-cli qwen-code; do
        documented "$host" json <<'END'
{
  "mcpServers": {
    "isolator": {
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {
        "DOCKER_HOST": "unix:///run/other.sock"
      },
      "timeout": 600000
    }
  }
}
END
    done
    documented codex toml <<'END'
[mcp_servers.isolator]
command = "PROGRAM"
args = ["--config", "DIR/config.json"]
env = { "DOCKER_HOST" = "unix:///run/other.sock" }
tool_timeout_sec = 60
END
    documented goose yaml <<'END'
extensions:
  isolator:
    type: stdio
    name: isolator
    enabled: true
    cmd: PROGRAM
    args: ["--config", "DIR/config.json"]
    envs: {DOCKER_HOST: "unix:///run/other.sock"}
    timeout: 300
END
    documented continue yaml <<'END'
mcpServers:
  - name: isolator
    type: stdio
    command: PROGRAM
    args:
      - "--config"
      - DIR/config.json
    env:
      DOCKER_HOST: unix:///run/other.sock
END
    documented copilot json <<'END'
{
  "mcpServers": {
    "isolator": {
      "type": "local",
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {"DOCKER_HOST": "unix:///run/other.sock"},
      "tools": ["*"],
      "timeout": 60000
    }
  }
}
END
    for host in opencode kilo; do
        documented "$host" json <<'END'
{
  "mcp": {
    "isolator": {
      "type": "local",
      "command": ["PROGRAM", "--config", "DIR/config.json"],
      "enabled": true,
      "environment": {
        "DOCKER_HOST": "unix:///run/other.sock"
      },
      "timeout": 60000
    }
  }
}
END
    done
    documented grok toml <<'END'
[mcp_servers.isolator]
command = "PROGRAM"
args = ["--config", "DIR/config.json"]
tool_timeout_sec = 6000
[mcp_servers.isolator.env]
DOCKER_HOST = "unix:///run/other.sock"
END
    documented kiro json <<'END'
{
  "mcpServers": {
    "isolator": {
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {"DOCKER_HOST": "unix:///run/other.sock"},
      "disabled": false
    }
  }
}
END
    documented kimi-code json <<'END'
{
  "mcpServers": {
    "isolator": {
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {"DOCKER_HOST": "unix:///run/other.sock"},
      "toolTimeoutMs": 60000
    }
  }
}
END
    documented crush json <<'END'
{
  "mcp": {
    "isolator": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {"DOCKER_HOST": "unix:///run/other.sock"}
    }
  }
}
END
    documented droid json <<'END'
{
  "mcpServers": {
    "isolator": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["--config", "DIR/config.json"],
      "env": {"DOCKER_HOST": "unix:///run/other.sock"},
      "disabled": false
    }
  }
}
END
}

test_case 'parsers of TOML and YAML read every path' && {
    path=$'/a "b" \\c\n\t\x01\x7f: #\'é\u2028\u202e{} ~'
    for host in codex goose continue; do
        "$mcp" --ssh me@server --config "$path" --print-config "$host" >"$scratch/out" 2>/dev/null
        is "$(python3 -c '
import shlex, sys, tomllib, yaml
text = open(sys.argv[2], encoding="utf-8", newline="").read()
read = tomllib.loads(text) if sys.argv[1] == "codex" else yaml.safe_load(text)
server = read["mcpServers"][0] if sys.argv[1] == "continue" else list(read.values())[0]["isolator"]
sys.stdout.write(shlex.split(server["args"][-1])[2])' "$host" "$scratch/out")" "$path" "$host"
    done
}

# ---- the server's own command
test_case --quick '--print-config passes on the configuration, with absolute paths' && {
    print --config "$file" --print-config vscode
    is "$status $(printed '$s->{args}')" '0 ["--config","DIR/config.json"]' "--config is passed on"
    ISOLATOR_CONFIG=$file print --print-config vscode
    is "$status $(printed '$s->{args}')" '0 ["--config","DIR/config.json"]' "ISOLATOR_CONFIG is passed on"
    ISOLATOR_CONFIG=$scratch/nothing print --config "$file" --print-config vscode
    is "$status $(printed '$s->{args}')" '0 ["--config","DIR/config.json"]' "--config comes before ISOLATOR_CONFIG"
    mkdir "$scratch/sub folder"
    cd "$scratch/sub folder" || exit
    print --config ../config.json --print-config cursor
    is "$status $(printed '$s->{args}')" '0 ["--config","DIR/config.json"]' "a relative --config becomes absolute"
    ISOLATOR_CONFIG=../config.json print --print-config cursor
    is "$status $(printed '$s->{args}')" '0 ["--config","DIR/config.json"]' "a relative ISOLATOR_CONFIG becomes absolute"
    print --inputs . --print-config opencode
    is "$status $(printed '$s->{command}')" '0 ["PROGRAM","--inputs","DIR/sub folder"]' "a relative --inputs becomes absolute"
    print --audit runs/audit --print-config opencode
    is "$status $(printed '$s->{command}')" '0 ["PROGRAM","--audit","DIR/sub folder/runs/audit"]' "a relative --audit becomes absolute"
    ln -s "$mcp" link
    out=$(./link --print-config cline </dev/null 2>/dev/null)
    is "$(printed '$s->{command}')" "$mcp" "started by a relative link: the absolute path of the program"
    cd "$OLDPWD" || exit
}

test_case --quick '--print-config passes on what selects the engine' && {
    DOCKER_HOST=unix:///run/other.sock DOCKER_TLS_VERIFY=1 DOCKER_CONTEXT='' print --print-config claude-desktop
    is "$(printed '$s->{env}')" '{"DOCKER_HOST":"unix:///run/other.sock","DOCKER_TLS_VERIFY":"1"}' "variables that are set"
    DOCKER_CONFIG=$'\xff' print --print-config zed
    is "$status|$out|$err" "2||isolator-mcp: cannot print 'DOCKER_CONFIG=\\xff': it is not UTF-8, as configurations of hosts are" \
        "a variable that is not UTF-8"
}

test_case --quick '--print-config with a wrong host or configuration' && {
    print --print-config nope
    is "$status|$out|$err" "2||isolator-mcp: --print-config: unknown host 'nope'; known are: claude-code, claude-desktop, vscode, cursor, cline, windsurf, zed, gemini-cli, qwen-code, codex, grok, goose, lm-studio, jetbrains, continue, copilot, opencode, kilo, auggie, kiro, antigravity, kimi-code, crush, droid" \
        "an unknown host"
    print --config "$scratch/nothing" --print-config vscode
    is "$status|$out" "2|" "a missing configuration"
    echo '{"x": 1}' >"$file"
    print --config "$file" --print-config vscode
    is "$status|$out" "2|" "a wrong configuration"
}

test_case --quick 'the printed command runs as it is' && {
    echo '{}' >"$file"
    "$mcp" --config "$file" --print-config claude-desktop >"$scratch/out" 2>/dev/null
    out=$(<"$scratch/out")
    mapfile -t command < <(printed 'join "\n", $s->{command}, @{$s->{args}}')
    is "$(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | env -i "${command[@]}")" '{"jsonrpc":"2.0","id":1,"result":{}}' \
        "it runs with an empty environment"
}

# ---- the host's own command
# or_run HOST WORDS: asserts the second line on stderr.
or_run() { is "$(sed -n 's/^isolator-mcp: or run: //p' <<<"$err")" "$2" "$1"; }

test_case --quick "stderr shows the host's own command" && {
    echo '{"maximums": {"timeoutSeconds": 100}}' >"$scratch/it's.json"
    while IFS='|' read -r host words; do
        DOCKER_HOST='ssh://a b' print --config "$scratch/it's.json" --print-config "$host"
        or_run "$host" "$words"
    done <<'END'
claude-code|claude mcp add --scope user isolator --env 'DOCKER_HOST=ssh://a b' -- PROGRAM --config 'DIR/it'\''s.json'
vscode|code --add-mcp '{"name": "isolator", "type": "stdio", "command": "PROGRAM", "args": ["--config", "DIR/it'\''s.json"], "env": {"DOCKER_HOST": "ssh://a b"}}'
gemini-cli|gemini mcp add --scope user --timeout 600000 --env 'DOCKER_HOST=ssh://a b' isolator PROGRAM -- --config 'DIR/it'\''s.json'
qwen-code|qwen mcp add --scope user --timeout 600000 --env 'DOCKER_HOST=ssh://a b' isolator PROGRAM -- --config 'DIR/it'\''s.json'
copilot|copilot mcp add isolator --env 'DOCKER_HOST=ssh://a b' --timeout 115000 -- PROGRAM --config 'DIR/it'\''s.json'
END
    print --print-config claude-code
    or_run "no arguments and no variables" "claude mcp add --scope user isolator -- PROGRAM"
    print --print-config gemini-cli
    or_run "no arguments: no --" "gemini mcp add --scope user --timeout 3600000 isolator PROGRAM"
    for host in claude-desktop cursor cline windsurf zed codex goose lm-studio jetbrains continue opencode kilo grok auggie kiro antigravity kimi-code crush droid; do
        print --print-config "$host"
        or_run "$host has none" ""
    done
}

# ---- timeouts
# warned MAXIMUM HOST: the warning on stderr with this maximum; "-" stands for none.
warned() {
    if [ "$1" = - ]; then echo '{}'; else echo '{"maximums": {"timeoutSeconds": '"$1"'}}'; fi >"$file"
    print --config "$file" --print-config "$2"
    sed -n 's/^isolator-mcp: warning: //p' <<<"$err"
}

test_case --quick 'a host that gives up before the server does' && {
    is "$(warned 225 claude-desktop)" "" "claude-desktop waits for 225 s and 15 more"
    is "$(warned 226 claude-desktop)" 'claude-desktop may end a call after 240 s; set "maximums": {"timeoutSeconds": 225} in the configuration' \
        "a larger maximum"
    is "$(warned - lm-studio)" 'lm-studio may end a call after 60 s; set "maximums": {"timeoutSeconds": 45} in the configuration' "no maximum"
    is "$(warned 45 lm-studio)" "" "the maximum of the warning"
    is "$(warned 1000 zed)" 'zed may end a call after 600 s; set "maximums": {"timeoutSeconds": 585} in the configuration' \
        "more than a host can be told to wait"
    is "$(warned - vscode)$(warned - claude-code)" "" "hosts that wait for ever"
    is "$(warned - codex)" "" "a host that is told an hour"
    warned 200 cline
    is "$(printed '$s->{timeout}')" 215 "a host is told how long to wait"
}

# ---- servers on other machines
test_case --quick '--ssh: the server of another machine' && {
    export DOCKER_HOST=unix:///run/other.sock ISOLATOR_CONFIG=$scratch/nothing
    print --ssh me@server --print-config claude-desktop
    is "$status|$(printed '$s->{command}, $s->{args}, $s->{env}')" '0|ssh ["-T","-o","ServerAliveInterval=15","me@server","isolator-mcp"] null' \
        "neither variables nor a configuration of this machine"
    is "$(tail -n 1 <<<"$err")" 'isolator-mcp: warning: claude-desktop may end a call after 240 s; set "maximums": {"timeoutSeconds": 225} in the configuration there' \
        "the warning names the configuration there"
    print --ssh ssh://me@server:2222 --config "it's/a \$b.json" --inputs data --print-config opencode
    is "$status|$(printed '$s->{command}')" '0|["ssh","-T","-o","ServerAliveInterval=15","ssh://me@server:2222","isolator-mcp --config '"'it'\\\\''s/a \$b.json'"' --inputs data"]' \
        "paths are quoted for the shell there, and not read here"
    print --ssh me@server --config 'a b' --print-config claude-code
    or_run "quoted for both shells" "claude mcp add --scope user isolator -- ssh -T -o 'ServerAliveInterval=15' me@server 'isolator-mcp --config '\\''a b'\\'''"
    unset DOCKER_HOST
    ISOLATOR_CONFIG=
}

test_case --quick '--ssh: wrong use' && {
    print --ssh me@server
    is "$status|$out|$err" "2||isolator-mcp: --ssh needs --print-config or --install" "without --print-config"
    print --ssh '' --print-config zed
    is "$status|$out|$err" "2||isolator-mcp: --ssh: '' is not a destination; name it like user@server" "an empty destination"
    print --ssh=-oProxyCommand=x --print-config zed
    is "$status|$out|$err" "2||isolator-mcp: --ssh: '-oProxyCommand=x' is not a destination; name it like user@server" "an option of ssh"
    print --ssh me@server --print-config nope
    has "$err" "unknown host 'nope'" "an unknown host"
}

test_case --quick '--ssh: what the shell there runs' && {
    mkdir "$scratch/bin" "$scratch/there"
    printf '#!/bin/sh\nshift 4\nPATH=%s exec sh -c "$*"\n' "$(printf %q "$(dirname "$mcp"):$PATH")" >"$scratch/bin/ssh"
    chmod +x "$scratch/bin/ssh"
    echo '{}' >"$scratch/there/it's.json"
    "$mcp" --ssh me@server --config "$scratch/there/it's.json" --print-config claude-desktop >"$scratch/out" 2>/dev/null
    out=$(<"$scratch/out")
    mapfile -t command < <(printed 'join "\n", $s->{command}, @{$s->{args}}')
    is "$(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | PATH=$scratch/bin:$PATH "${command[@]}")" '{"jsonrpc":"2.0","id":1,"result":{}}' \
        "the server, with its configuration"
}

# ---- --install
# at_home NAME: an empty home directory, and none of the cases before.
at_home() {
    export HOME=$scratch/$1
    mkdir "$HOME"
    unset DOCKER_HOST
    echo '{"maximums": {"timeoutSeconds": 45}}' >"$file"
    ISOLATOR_CONFIG=$file
}
# install HOST [ARG...]: like print; $written is the path of the host's file.
install() {
    print --install "$@"
    written=$HOME/${paths[$1]:-}
}
declare -A paths=(
    [claude-desktop]=.config/Claude/claude_desktop_config.json [claude-code]=.claude.json
    [vscode]=.config/Code/User/mcp.json [cursor]=.cursor/mcp.json
    [cline]=.cline/data/settings/cline_mcp_settings.json [windsurf]=.codeium/windsurf/mcp_config.json
    [zed]=.config/zed/settings.json [gemini-cli]=.gemini/settings.json [codex]=.codex/config.toml
    [goose]=.config/goose/config.yaml [lm-studio]=.lmstudio/mcp.json
    [continue]=.continue/config.yaml [copilot]=.copilot/mcp-config.json
    [opencode]=.config/opencode/opencode.json [kilo]=.config/kilo/kilo.json [qwen-code]=.qwen/settings.json
    [grok]=.grok/config.toml [auggie]=.augment/settings.json [kiro]=.kiro/settings/mcp.json
    [antigravity]=.gemini/config/mcp_config.json [kimi-code]=.kimi-code/mcp.json [crush]=.config/crush/crush.json
    [droid]=.factory/mcp.json
)

test_case --quick '--install: a file that does not exist is created, and then is up to date' && {
    at_home new
    for host in "${!paths[@]}"; do
        print --print-config "$host"
        entry=$out
        install "$host" --dry-run
        is "$status|$(sed -n 's/^+\([^+]\)/\1/p' <<<"$out")" "0|$entry" "$host: --dry-run shows the whole entry"
        is "$([ -e "$written" ] && echo there)" "" "$host: --dry-run writes nothing"
        install "$host"
        is "$status|$out|${err%%$'\n'*}" "0||isolator-mcp: added to the new file 'DIR/new/${paths[$host]}'; restart $host" "$host: said"
        is "$(grep -c "^isolator-mcp: $host: " <<<"$err")" "$([[ $host == codex || $host == gemini-cli ]] && echo 1 || echo 0)" "$host: a note"
        is "$(sed "s|$mcp|PROGRAM|; s|$scratch|DIR|" "$written")" "$entry" "$host: the file"
        is "$(stat -c %a "$written")" 600 "$host: its permissions"
        before=$(stat -c '%i %y' "$written")
        install "$host"
        is "$status|$out|$err" "0||isolator-mcp: 'DIR/new/${paths[$host]}' is up to date" "$host: once more"
        is "$(stat -c '%i %y' "$written")" "$before" "$host: it is not written again"
    done
    is "$(find "$HOME" -type f | wc -l)" 23 "there are no other files"
    is "$(stat -c %a "$HOME/.lmstudio")" 700 "a new directory"
}

# other_server HOST: prints a file of that host that lists another server.
other_server() {
    case $1 in
    codex | grok) printf 'model = "x"\n\n[mcp_servers.other]\ncommand = "other"\n' ;;
    vscode) printf '{\n\t// mine\n\t"servers": {\n\t\t"other": {"command": "other"}, // last\n\t},\n}\n' ;;
    zed) printf '// Zed\n{\n  "context_servers": {\n    "other": {"command": "other"}\n  },\n  "ui_font_size": 16, // large\n}\n' ;;
    crush) printf '{\n  "mcp": {\n    "other": {\n      "type": "stdio",\n      "command": "other"\n    }\n  }\n}\n' ;;
    opencode | kilo) printf '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "other": {\n      "enabled": false\n    }\n  }\n}\n' ;;
    *) printf '{\n  "mcpServers": {\n    "other": {\n      "command": "other",\n      "args": []\n    }\n  },\n  "n": 1.50\n}' ;;
    esac
}

test_case --quick '--install: a file with another server keeps every line' && {
    at_home other
    for host in "${!paths[@]}"; do
        [[ $host == goose || $host == continue ]] && continue
        written=$HOME/${paths[$host]}
        mkdir -p "$(dirname "$written")"
        other_server "$host" >"$written"
        chmod 640 "$written"
        other_server "$host" >"$scratch/former"
        install "$host" --dry-run
        expect "$status"$'\n'"$(head -n 2 <<<"$out")" "$host: --dry-run" <<END
0
--- DIR/other/${paths[$host]}
+++ DIR/other/${paths[$host]}
END
        is "$(cmp "$scratch/former" "$written" 2>&1)|$([ -e "$written.isolator-backup" ] && echo there)" "|" "$host: --dry-run writes nothing"
        "$mcp" --install "$host" --dry-run </dev/null 2>/dev/null | tail -n +4 >"$scratch/hunk"
        has "$(<"$written")" "$(sed -n 's/^[ -]//p' "$scratch/hunk")" "$host: the hunk has lines of the file"
        install "$host"
        is "$status|${err%%$'\n'*}" "0|isolator-mcp: added to 'DIR/other/${paths[$host]}'; the former file is 'DIR/other/${paths[$host]}.isolator-backup'; restart $host" \
            "$host: said"
        is "$(cmp "$scratch/former" "$written.isolator-backup" 2>&1)" "" "$host: the backup is the former file"
        is "$(stat -c %a "$written" "$written.isolator-backup")" $'640\n640' "$host: the permissions"
        has "$(<"$written")" "$(sed -n 's/^[ +]//p' "$scratch/hunk")" "$host: they become those of --dry-run"
        is "$(diff "$scratch/former" "$written" | grep -c '^<')" "$([ "$host" = zed ] && echo 1 || echo 0)" \
            "$host: no line changes, but for one that gets a comma"
        before=$(<"$written")
        install "$host"
        is "$status|$err" "0|isolator-mcp: 'DIR/other/${paths[$host]}' is up to date" "$host: once more"
        is "$(<"$written")" "$before" "$host: it is not changed again"
    done
}

test_case --quick '--install: the entry of before is replaced' && {
    at_home replaced
    install cline
    sed -i 's|"disabled": false|"disabled": true, "note": "mine"|; s|"timeout": 60|"timeout": 90|' "$written"
    install cline --inputs "$HOME"
    out=$(sed "s|$scratch|DIR|" "$written")
    is "$status|$(printed '$s->{args}, $s->{disabled}, $s->{note}, $s->{timeout}')" \
        '0|["--config","DIR/config.json","--inputs","DIR/replaced"] true mine 60' "what a person has chosen stays"
    has "$(<"$written.isolator-backup")" '"timeout": 90' "the backup"
    install cline --ssh me@server
    hasnt "$(<"$written.isolator-backup")" '"timeout": 90' "the next backup takes its place"
    print --ssh me@server --print-config codex
    install codex
    install codex --ssh me@server
    is "$status|$(grep -c me@server "$written")" "2|0" "a table of TOML is not"
}

test_case --quick '--install: what it does not touch, it prints' && {
    at_home refused
    # left_alone HOST TEXT ERROR: the file with this text stays as it is, and the entry is printed.
    left_alone() {
        written=$HOME/${paths[$1]}
        mkdir -p "$(dirname "$written")"
        printf %b "$2" >"$written"
        cp "$written" "$scratch/former"
        print --print-config "$1"
        entry=$out said=$err
        for option in '' --dry-run; do
            print --install "$1" $option
            is "$status|$out|$err" "2|$entry|isolator-mcp: cannot add the entry to 'DIR/refused/${paths[$1]}': $3"$'\n'"$said" "$1 $option: $3"
            is "$(cmp "$scratch/former" "$written" 2>&1)|$(ls -A "$(dirname "$written")")" "|$(basename "$written")" "$1 $option: nothing is written"
        done
        rm "$written"
    }
    left_alone cursor '{\n"mcpServers": {' "line 2: the name of a member, in double quotes, or a closing brace is missing"
    left_alone lm-studio '{"mcpServers": null}' "line 1: an object is missing: { ... }"
    left_alone zed '{"context_servers": {"isolator": {"timeout": 1 /* mine */}}}' "its entry 'isolator' has comments or is not strict JSON"
    left_alone codex 'a = 1\nmcp_servers.isolator.command = "x"\n' "line 2: 'mcp_servers' is there in a form of its own"
    left_alone goose 'extensions:\n  developer:\n    enabled: true\n' "line 1: 'extensions' is there already"
    left_alone continue 'name: mine\nmcpServers:\n  - name: x\n' "line 2: 'mcpServers' is there already"
    left_alone copilot '{"a": "\xff"}' "it is not UTF-8 text"
    print --print-config jetbrains
    entry=$out said=$err
    print --install jetbrains
    is "$status|$out|$err" "2|$entry|isolator-mcp: jetbrains has no file that lists its servers"$'\n'"$said" "jetbrains"
}

test_case --quick '--install: goose without extensions' && {
    at_home goose
    mkdir -p "$HOME/.config/goose"
    printf 'GOOSE_MODEL: x\n' >"$HOME/.config/goose/config.yaml"
    install goose
    is "$status" 0 "it succeeds"
    expect "$(head -n 3 "$written")" "the section follows" <<'END'
GOOSE_MODEL: x
extensions:
  isolator:
END
    install goose
    is "$status|$err" "0|isolator-mcp: 'DIR/goose/.config/goose/config.yaml' is up to date" "once more"
}

test_case --quick '--install: links, places and permissions' && {
    at_home places
    mkdir "$HOME/dotfiles" "$HOME/.cursor" "$HOME/xdg"
    echo '{}' >"$HOME/dotfiles/cursor.json"
    ln -s ../dotfiles/cursor.json "$HOME/.cursor/mcp.json"
    install cursor
    is "$status|$(readlink "$written")|$(ls "$HOME/.cursor")" "0|../dotfiles/cursor.json|mcp.json" "the link stays"
    has "$(<"$HOME/dotfiles/cursor.json")" '"isolator"' "the file that it leads to has the entry"
    is "$(cd "$HOME/dotfiles" && echo ./*)" "./cursor.json ./cursor.json.isolator-backup" "the backup is beside that file"
    ln -s nowhere "$HOME/.claude.json"
    install claude-code
    is "$status|$(head -n 1 <<<"$err")" "2|isolator-mcp: 'DIR/places/.claude.json' is a symbolic link that leads nowhere" "a link that leads nowhere"
    mkdir -p "$HOME/.gemini/settings.json"
    install gemini-cli
    is "$status|$(head -n 1 <<<"$err")" "2|isolator-mcp: 'DIR/places/.gemini/settings.json' is not a regular file" "a directory"
    mkdir "$HOME/.lmstudio"
    mkfifo "$HOME/.lmstudio/mcp.json"
    install lm-studio
    is "$status|$(head -n 1 <<<"$err")" "2|isolator-mcp: 'DIR/places/.lmstudio/mcp.json' is not a regular file" "a pipe"
    XDG_CONFIG_HOME=$HOME/xdg install zed
    is "$status|$(find "$HOME/xdg" -type f)" "0|$HOME/xdg/zed/settings.json" "XDG_CONFIG_HOME"
    HOME='' install zed
    is "$status|$(head -n 1 <<<"$err")" "2|isolator-mcp: cannot find the file of zed: HOME is not an absolute path" "no HOME"
}

test_case --quick '--install: a directory that cannot be written to' && {
    at_home readonly
    chmod 755 "$scratch"
    mkdir "$HOME/.cursor"
    echo '{}' >"$HOME/.cursor/mcp.json"
    chmod 644 "$HOME/.cursor/mcp.json"
    chmod 555 "$HOME" "$HOME/.cursor"
    print --print-config cursor
    entry=$out said=$err
    cp "$mcp" "$scratch/isolator-mcp" # the other user may not reach the directory of the program
    as_another "$scratch/isolator-mcp" --install cursor </dev/null >"$scratch/out" 2>"$scratch/err"
    status=$?
    take_output
    is "$status|${out//"$scratch/isolator-mcp"/PROGRAM}" "3|${entry//DIR/$scratch}" "the entry is printed"
    is "$(head -n 1 <<<"$err")" "isolator-mcp: cannot write '$HOME/.cursor/mcp.json.isolator-backup': Permission denied" "said"
    is "$(ls -A "$HOME/.cursor")|$(<"$HOME/.cursor/mcp.json")" "mcp.json|{}" "nothing is written"
    chmod 755 "$HOME" "$HOME/.cursor"
}

test_case --quick '--install: warnings, and wrong use' && {
    at_home wrong
    echo '{}' >"$file"
    install lm-studio --dry-run
    is "$status|$err" '0|isolator-mcp: warning: lm-studio may end a call after 60 s; set "maximums": {"timeoutSeconds": 45} in the configuration' \
        "a host that gives up before the server does"
    print --install nope
    is "$status|$out|${err%%; known*}" "2||isolator-mcp: --install: unknown host 'nope'" "an unknown host"
    print --install claude
    is "$status|$out|${err%%; known*}" "2||isolator-mcp: --install: unknown host 'claude'; did you mean 'claude-code'?" "the nearest"
    print --install zed --print-config zed
    is "$status|$out|$err" "2||isolator-mcp: --print-config and --install cannot be used together" "both"
    print --dry-run
    is "$status|$out|$err" "2||isolator-mcp: --dry-run needs --install" "--dry-run alone"
    print --dry-run --print-config zed
    is "$status|$out|$err" "2||isolator-mcp: --dry-run needs --install" "--dry-run with --print-config"
    is "$(find "$HOME" -type f)" "" "no file is written"
}

finish
