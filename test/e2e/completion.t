#!/usr/bin/env bash
# Completion on the command line in bash, zsh and fish: what each offers for a line that is being typed. Commands and
# options come from --help, even those that the scripts do not know; names come from isolator and docker.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

shells="bash zsh fish"
[ -z "${QUICK-}" ] || shells=bash # the others may not be installed
scripts=$PWD/share/completions
real=$(realpath "$ISOLATOR")
server=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
mkdir -p "$scratch/bin" "$scratch/here/folder"
touch "$scratch/here/file.py"

# isolator with one more command, and with languages whose names a shell could execute; docker with such images.
cat >"$scratch/bin/isolator" <<END
#!/bin/sh
case \$1-\$2 in
languages---names) printf '%s\n' python go '\$(touch hit)' '\`touch hit\`' '; touch hit' ;;
--help-) "$real" --help; echo '  invented does something new' ;;
invented---help) printf '%s\n' 'usage: isolator invented [-x] [--with FILE] [DIR]' '' \\
    '  -x, --new-one    new' '      --with FILE  a file' '  -n, --number N   a number' ;;
*) exec "$real" "\$@" ;;
esac
END
cat >"$scratch/bin/docker" <<'END'
#!/bin/sh
case $1 in
images) printf '%s\n' python:3.11-alpine python:3.12 '<none>:<none>' registry:5000/python:1 '$(touch hit):1' ;;
network) printf '%s\n' bridge host none mine ;;
esac
END
ln -s "$server" "$scratch/bin/isolator-mcp"
chmod +x "$scratch/bin/isolator" "$scratch/bin/docker"

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
_describe() { compadd -- ${${(P)2}%%:*}; }
_files() { [[ $1 == -/ ]] && echo '(directories)' || echo '(files)'; }
compset() { PREFIX=${PREFIX#*=}; }
words=("$@") CURRENT=$# PREFIX=$argv[-1]
_isolator
END
cat >"$scratch/fish" <<'END'
source $argv[1]/isolator.fish
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

# offers EXPECTED WORD...: asserts what each shell offers. zsh and fish quote names that a shell could execute and offer
# them too; these do not count.
offers() {
    local expected=$1 shell got
    shift
    for shell in $shells; do
        got=$(typed "$shell" "$@")
        [ "$shell" = bash ] || got=$(tr ' ' '\n' <<<"$got" | grep -vE '[$`;]|^touch$|hit' | paste -s -d ' ')
        is "$got" "$expected" "$shell: $*"
    done
}

test_case --quick 'commands and options' && {
    offers "run" isolator ru
    offers "invented" isolator inv
    offers "--help" isolator --h
    offers "--language" isolator run --la
    offers "--entrypoint --env" isolator run --en
    offers "--config --dry-run --help" isolator gc --
    offers "--new-one --number --with" isolator invented -
}

test_case --quick 'names of languages, images and networks, none of which is executed' && {
    offers "go python" isolator run --language ""
    offers "go python" isolator run -l ""
    offers "python" isolator run --stream -l p
    offers "python" isolator run --language=p
    offers "python:3.11-alpine python:3.12" isolator run --image pyt
    offers "python:3.11-alpine python:3.12" isolator run --image python:3
    offers "python:3.12" isolator run --image=python:3.12
    offers "registry:5000/python:1" isolator run --image registry:5000/
    offers "bridge mine none" isolator run --network ""
    offers "mine" isolator run --network=m
    is "$(ls "$scratch/here")" "file.py
folder" "no name of an image or a language was run"
}

test_case --quick 'values of options' && {
    offers "false true" isolator run --read-only=
    offers "(files)" isolator run --read-only ""
    offers "ALL" isolator run --cap-drop ""
    offers "docker" isolator run --runtime ""
    offers "" isolator run --memory ""
    offers "" isolator run -m ""
    offers "" isolator run --container-workdir ""
}

test_case --quick 'files and directories' && {
    offers "(files)" isolator run ""
    offers "(files)" isolator run --stdin ""
    offers "(files)" isolator run --config ""
    offers "(directories)" isolator run --dir ""
    offers "(directories)" isolator run -d ""
    offers "(files)" isolator run file.py -- ""
    offers "(files)" isolator run file.py -- --image ""
    offers "(files)" isolator batch ""
    offers "" isolator batch --jobs ""
    offers "" isolator gc ""
    offers "(directories)" isolator invented ""
    offers "(files)" isolator invented --with ""
    offers "" isolator invented -n ""
}

test_case --quick 'arguments of commands' && {
    offers "memory_tmpfs memory_tmpfs_oom" isolator selftest memory_tm
    offers "network" isolator selftest mount netw
    offers "prepare" isolator help pr
}

test_case --quick 'isolator-mcp' && {
    offers "--print-config" isolator-mcp --p
    offers "claude-code claude-desktop cline cursor vscode" isolator-mcp --print-config ""
    offers "claude-code claude-desktop cline" isolator-mcp --print-config=cl
    offers "" isolator-mcp ""
}

test_case --quick 'a command or program that does not exist' && {
    offers "" isolator no-such-command --
    offers "" no-such-program/isolator ru
}

test_case --quick 'every command and every option of isolator' && {
    isolator languages --names
    is "$(grep -cxE '[A-Za-z0-9+]+' <<<"$out") $(grep -x python <<<"$out")" "$(wc -l <<<"$out") python" "isolator languages --names: one name a line"
    isolator --help
    commands=$(sed -nE 's/^  ([a-z]+) .*/\1/p' <<<"$out")
    within "$(wc -w <<<"$commands")" 4 20 "there are commands"
    offers "$(printf '%s\n' --help --version invented "$commands" | LC_ALL=C sort | paste -s -d ' ')" isolator ""
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
