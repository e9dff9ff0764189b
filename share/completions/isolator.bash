# Completion for isolator and isolator-mcp in bash.
# shellcheck shell=bash
#
# Commands, options and their values come from --help of the program on the command line, names from the program and
# the engine, so this file need not change with them. Such names are untrusted: only words without special meaning to a
# shell are offered. bash itself completes files and directories, and quotes them.

_isolator_ask() { LC_ALL=C "$program" "$@" 2>/dev/null </dev/null; }
_isolator_docker() { timeout 5 docker "$@" 2>/dev/null </dev/null; }

_isolator_commands() {
    _isolator_ask --help | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p'
    _isolator_ask --help | sed '/^$/q' | grep -oE -- '--[a-z]+'
}

# The options, one per line: name, letter or ".", name of the value or ".". The value of "[BOOL" can only follow
# a "=".
_isolator_options() {
    _isolator_ask "${command[@]}" --help |
        sed -nE 's/^  (-(.), |    )(--[a-z-]+)((\[?)[ =]([A-Z]+)[^ ]*)?( .*)?$/\3 .\2 .\5\6/p'
}

# The operands of the command, with their names in --help, for example "FILE".
_isolator_operands() {
    _isolator_ask "${command[@]}" --help | sed '/^$/q' | sed -E 's/-[a-z-]+ [A-Z]+//g' | grep -oE '\<[A-Z]{2,}\>'
}

_isolator_hosts() { _isolator_ask --help | sed -n 's/.*HOST: //p' | tr -d ',' | tr ' ' '\n'; }
_isolator_languages() { _isolator_ask languages --names; }
_isolator_attacks() { _isolator_ask selftest --list | sed 's/ .*//'; }
_isolator_images() { _isolator_docker images --format '{{.Repository}}:{{.Tag}}' | grep -v '<none>'; }
_isolator_networks() {
    printf '%s\n' none bridge
    _isolator_docker network ls --format '{{.Name}}' | grep -vxE 'none|bridge|host'
}

# Offers the words on stdin, one per line, that begin with $cur. To bash, a new word begins after a colon.
_isolator_offer() {
    local word colons='' LC_ALL=C
    [[ $COMP_WORDBREAKS != *:* ]] || colons=${cur%"${cur##*:}"}
    while IFS= read -r word; do
        if [[ $word == "$cur"* && $word =~ ^[A-Za-z0-9@%+,._:/-]+$ ]]; then
            COMPREPLY+=("${word#"$colons"}")
        fi
    done
}

# Offers values for an option or an operand: OPTION or the command, and its name in --help.
_isolator_offer_value() {
    case $1 in
    --language) _isolator_offer < <(_isolator_languages) ;;
    --image) _isolator_offer < <(_isolator_images) ;;
    --network) _isolator_offer < <(_isolator_networks) ;;
    --read-only) _isolator_offer < <(printf '%s\n' true false) ;;
    --cap-drop) _isolator_offer <<<ALL ;;
    --runtime) _isolator_offer <<<docker ;;
    --print-config) _isolator_offer < <(_isolator_hosts) ;;
    --container-workdir) ;;
    selftest) _isolator_offer < <(_isolator_attacks) ;;
    help) _isolator_offer < <(_isolator_commands | grep -v ^-) ;;
    *)
        case $2 in
        *FILE* | *PATH*) compopt -o default ;;
        *DIR*) compopt -o dirnames ;;
        *LANGUAGE*) _isolator_offer < <(_isolator_languages) ;;
        *IMAGE*) _isolator_offer < <(_isolator_images) ;;
        esac
        ;;
    esac
}

_isolator() {
    local program=${1/#~\//$HOME/} cur option='' name letter value word joined='' i
    local line=() command=()

    # bash splits words at ":" and "=".
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ "$i" -gt 1 ] && [[ $joined || $word == [:=] ]]; then
            line[-1]+=$word
        else
            line+=("$word")
        fi
        [[ $word == [:=] ]] && joined=1 || joined=
    done
    COMPREPLY=()
    cur=${line[-1]}
    if [[ $program != *isolator-mcp ]]; then
        if [ ${#line[@]} -le 2 ]; then
            _isolator_offer < <(_isolator_commands)
            return
        fi
        command=("${line[1]}")
    fi
    for word in "${line[@]:1:${#line[@]}-2}"; do
        if [ "$word" = -- ]; then # arguments of the program
            compopt -o default
            return
        fi
    done
    case $cur in
    --*=*) option=${cur%%=*} cur=${cur#*=} ;;
    -*)
        _isolator_offer < <(_isolator_options | sed 's/ .*//')
        return
        ;;
    *) [[ ${line[-2]} != -* ]] || option=${line[-2]} ;;
    esac
    while [ "$option" ] && read -r name letter value; do
        [[ $name == "$option" || -${letter#.} == "$option" ]] || continue
        if [[ $value == .[A-Z]* || ${line[-1]} == --*=* ]]; then
            _isolator_offer_value "$name" "$value"
            return
        fi
    done <<<"$(_isolator_options)"
    _isolator_offer_value "${command[*]}" "$(_isolator_operands)"
}

complete -F _isolator isolator isolator-mcp
