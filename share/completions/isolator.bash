# Completion for isolator and isolator-mcp in bash: the program on the command line answers itself, see
# `isolator complete` in src/config/option_completion.h. It offers only words without special meaning to a shell. bash
# itself completes files and directories, and quotes them.
# shellcheck shell=bash

_isolator() {
    local program=${1/#~\//$HOME/} words=() word='' joined='' cut i

    # bash splits words at ":" and "=".
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ "$i" -gt 1 ] && [[ $joined || $word == [:=] ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        [[ $word == [:=] ]] && joined=1 || joined=
    done
    # What it has split off is not part of its word, so a candidate is offered without it.
    cut=${words[-1]}
    [ "$joined" ] || cut=${cut%"$word"}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
        :files) compopt -o default ;;
        :directories) compopt -o dirnames ;;
        *) COMPREPLY+=("${word#"$cut"}") ;;
        esac
    done < <(LC_ALL=C "$program" complete -- "${words[@]}" 2>/dev/null </dev/null)
}

complete -F _isolator isolator isolator-mcp
