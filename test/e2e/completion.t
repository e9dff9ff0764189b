#!/usr/bin/env bash
# Completion on the command line in bash, zsh and fish: what each offers for a line that is being typed. The scripts ask
# the programs, which know their options, and ask docker for names.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like

# With QUICK=1 only bash, since the others may not be installed. lib.sh starts this file again with QUICK=1.
export completion_shells=${completion_shells-"bash$([ -n "${QUICK-}" ] || echo ' zsh fish')"}
. "$(dirname "$0")/lib.sh"

shells=$completion_shells
scripts=$PWD/share/completions
mkdir -p "$scratch/bin" "$scratch/here/folder"
touch "$scratch/here/file.py"
ln -s "$(realpath "$ISOLATOR")" "$scratch/bin/isolator"
ln -s "$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")" "$scratch/bin/isolator-mcp"

# docker with names that a shell could execute or that would be more than a word; it is slow if $docker_is_slow is set.
cat >"$scratch/bin/docker" <<'END'
#!/bin/sh
[ -z "$docker_is_slow" ] || sleep 8
case "$1 $2" in
'image ls') printf '%s\n' python:3.11-alpine python:3.12 '<none>:<none>' other:'<none>' registry:5000/python:1 ;;
'network ls') printf '%s\n' bridge host none mine ;;
esac
printf '%s\n' '$(touch hit)' '`touch hit`:1' '; touch hit' ';touch${IFS}hit' 'a b' 'a#b' '~' '' '|hit' ':files' "'" '"' '\\'
printf 'esc\033[31m\ntab\thit\n\303\251\ncut'
END
chmod +x "$scratch/bin/docker"

# Configurations: one with a language of its own, and one that cannot be read.
cat >"$scratch/own.json" <<'END'
{"languages": {"own": {"image": "x:1", "command": ["x", "{entrypoint}"], "extensions": [".x"], "defaultFilename": "x", "aliases": ["own#2"]}}}
END
echo '{' >"$scratch/wrong.json"

# The arguments are the words of the line; the last is to be completed. Each shell prints what it offers, and "(files)"
# or "(directories)" if it offers these by itself.
cat >"$scratch/bash" <<'END'
trap '' PIPE # so that a program whose output is not read complains
source "$1/isolator.bash"
compopt() { case $2 in default) echo '(files)' ;; dirnames) echo '(directories)' ;; esac; }
shift
COMP_WORDS=()
for word; do # as bash cuts them
    while [[ $word =~ ^([^:=]*)([:=])(.*)$ ]]; do
        [ -z "${BASH_REMATCH[1]}" ] || COMP_WORDS+=("${BASH_REMATCH[1]}")
        COMP_WORDS+=("${BASH_REMATCH[2]}")
        word=${BASH_REMATCH[3]} cut=1
    done
    [ "$cut" ] && [ -z "$word" ] || COMP_WORDS+=("$word")
    cut=
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
before=${!#}
[[ $before == *:* ]] && before=${before%:*}: || before=
before=${before#*=}
complete -p "${1##*/}" | grep -q -- '-F _isolator' || exit
_isolator "$1" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf "$before%s\n" "${COMPREPLY[@]}"
END
cat >"$scratch/zsh" <<'END'
fpath=($1 $fpath)
shift
[[ "$(head -n 1 $fpath[1]/_isolator)" == "#compdef isolator isolator-mcp" ]] || exit
autoload -Uz _isolator
compadd() { shift; print -l -- ${(M)@:#$PREFIX*}; }
_describe() { [[ -n $descriptions ]] && print -l -- ${(P)2} || compadd -- ${${(P)2}%%:*}; }
_files() { [[ $1 == -/ ]] && echo '(directories)' || echo '(files)'; }
compset() { PREFIX=${PREFIX#*=}; }
words=("$@") CURRENT=$# PREFIX=$argv[-1]
_isolator
END
cat >"$scratch/fish" <<'END'
source $argv[1]/isolator.fish
set -q descriptions; and complete -C (string join ' ' -- $argv[2..-1]) | tr '\t' :; and exit
complete -C (string join ' ' -- $argv[2..-1]) | sed -E 's/\t.*//; s/^--[a-z-]+=//; s/file\.py/(files)/'
END

# typed SHELL WORD...: what this shell offers, sorted, in one line.
typed() {
    local shell=$1 got
    shift
    got=$(cd "$scratch/here" && case $shell in
        bash) PATH=$scratch/bin:$PATH bash --norc "$scratch/bash" "$scripts" "$@" ;;
        zsh) PATH=$scratch/bin:$PATH zsh -f "$scratch/zsh" "$scripts" "$@" ;;
        fish) PATH=$scratch/bin:$PATH HOME=$scratch fish --no-config "$scratch/fish" "$scripts" "$@" ;;
    esac 2>&1 </dev/null | grep . | LC_ALL=C sort | paste -s -d ' ')
    case $got in # fish lists files itself
    '(files) folder/') got='(files)' ;;
    'folder/') got='(directories)' ;;
    esac
    printf '%s\n' "$got"
}

# offers EXPECTED WORD...: asserts what each shell offers.
offers() {
    local expected=$1 shell
    shift
    for shell in $shells; do
        is "$(typed "$shell" "$@")" "$expected" "$shell: $*"
    done
}

test_case --quick 'commands and options' && {
    offers "run" isolator ru
    offers "--help" isolator --h
    offers "--language" isolator run --la
    offers "--entrypoint --env" isolator run --en
    offers "--config --dry-run --help" isolator gc --
    for shell in ${shells#bash}; do
        is "$(descriptions=1 typed "$shell" isolator gc)" "gc:remove orphaned containers" "$shell: a description"
        is "$(descriptions=1 typed "$shell" isolator gc --c)" "--config:configuration file" "$shell: of an option"
    done
}

test_case --quick 'names of languages, images and networks, none of which is executed' && {
    offers "go golang" isolator run --language g
    offers "go golang" isolator run -l g
    offers "python python3" isolator run --stream -l pyt
    offers "python python3" isolator run -vl pyt
    offers "python python3" isolator run --language=pyt
    offers "own" isolator run --config "$scratch/own.json" -l ow
    offers "own" isolator pull "--config=$scratch/own.json" ow
    offers "python python3" isolator run --config "$scratch/wrong.json" -l pyt
    offers "python3" isolator prepare python python3
    offers "python python3" isolator pull -- pyt
    offers "python:3.11-alpine python:3.12" isolator run --image pyt
    offers "python:3.11-alpine python:3.12" isolator run --image python:3
    offers "python:3.12" isolator run --image=python:3.12
    offers "registry:5000/python:1" isolator run --image registry:5000/
    offers "python:3.11-alpine python:3.12 registry:5000/python:1" isolator run --image ""
    offers "" isolator run --image o
    offers "bridge mine none" isolator run --network ""
    offers "bridge mine none" isolator prepare --network ""
    offers "mine" isolator run --network=m
    is "$(ls "$scratch/here")" "file.py
folder" "no name was executed"
}

test_case --quick 'values of options' && {
    offers "false true" isolator run --read-only=
    offers "(files)" isolator run --read-only ""
    offers "ALL" isolator run --cap-drop ""
    offers "exact float lines tokens trim" isolator test --compare ""
    offers "docker podman" isolator run --runtime ""
    offers "" isolator run --memory ""
    offers "" isolator run -m ""
    offers "" isolator run --container-workdir ""
    offers "" isolator run --allow-host ""
}

test_case --quick 'files and directories' && {
    offers "(files)" isolator run ""
    offers "(files)" isolator run --stdin ""
    offers "(files)" isolator run --stdin=
    offers "(files)" isolator run --stdin -- ""
    offers "(directories)" isolator run --dir=
    offers "(files)" isolator test --checker ""
    offers "(files)" isolator test --validator ""
    offers "(files)" isolator test --interactor ""
    offers "(files)" isolator test --interactive-validator ""
    offers "(files)" isolator batch --resume ""
    offers "(files)" isolator run --config ""
    offers "(directories)" isolator run --dir ""
    offers "(directories)" isolator run -d ""
    offers "(files)" isolator run file.py -- ""
    offers "(files)" isolator run file.py -- --image ""
    offers "(files)" isolator batch ""
    offers "" isolator batch --jobs ""
    offers "" isolator gc ""
}

test_case --quick 'arguments of commands' && {
    offers "memory_tmpfs memory_tmpfs_oom" isolator selftest memory_tm
    offers "network" isolator selftest mount netw
    offers "prepare" isolator help pr
}

test_case --quick 'isolator-mcp' && {
    offers "--print-config" isolator-mcp --p
    offers "antigravity auggie claude-code claude-desktop cline codex continue copilot crush cursor droid gemini-cli goose grok jetbrains kilo kimi-code kiro lm-studio opencode qwen-code vscode windsurf zed" \
        isolator-mcp --print-config ""
    offers "claude-code claude-desktop cline" isolator-mcp --print-config=cl
    offers "goose" isolator-mcp --dry-run --install go
    offers "" isolator-mcp ""
}

test_case --quick 'a command or program that does not exist' && {
    offers "" isolator no-such-command --
    offers "" no-such-program/isolator ru
}

test_case --quick 'what the program answers' && {
    PATH=$scratch/bin:$PATH
    answers() { # EXPECTED WORD...
        local expected=$1
        shift
        isolator complete -- "$@"
        is "$status|$out|$err" "0|$expected|" "isolator complete -- $*"
    }
    answers "$(printf 'gc\tremove orphaned containers')" gc
    answers "$(printf -- '--dry-run\tlist them and remove none')" gc --d
    answers "" no-such-command ""
    answers ":files" run --config ""
    docker_is_slow=1 answers "$(printf 'none\nbridge')" run --network ""
    isolator complete
    is "$status|$out|$err" "2||isolator: unknown command 'complete'; see isolator --help" "it is no command for people"
    isolator --help
    hasnt "$out" "complete" "isolator --help"
}

test_case --quick 'every command and every option of isolator' && {
    isolator languages --names
    is "$(grep -cxE '[A-Za-z0-9+]+' <<<"$out") $(grep -x python <<<"$out")" "$(wc -l <<<"$out") python" "isolator languages --names: one name a line"
    isolator --help
    commands=$(sed -nE 's/^  ([a-z]+) .*/\1/p' <<<"$out")
    within "$(wc -w <<<"$commands")" 4 25 "there are commands"
    offers "$(printf '%s\n' --help --version "$commands" | LC_ALL=C sort | paste -s -d ' ')" isolator ""
    for command in ${commands//help/}; do
        isolator "$command" --help
        options=$(grep -oE '^  (-., |    )--[a-z-]+' <<<"$out" | sed 's/.* //' | LC_ALL=C sort | paste -s -d ' ')
        has "$options" "--help" "isolator $command has options"
        for shell in $shells; do
            is "$(typed "$shell" isolator "$command" --)" "$options" "$shell: all options of isolator $command"
        done
    done
}

finish
