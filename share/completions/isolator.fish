# Completion for isolator and isolator-mcp in fish.
#
# Commands, options and their values come from --help of the program on the command line, names from the program and
# the engine, so this file need not change with them.

function __isolator_ask
    set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
    command -q $program; or return
    LC_ALL=C command $program $argv 2>/dev/null </dev/null
end
function __isolator_docker
    timeout 5 docker $argv 2>/dev/null </dev/null
end

# The options, one per line: name, letter or ".", name of the value or ".", and the text in --help. The value of
# ".[BOOL" can only follow a "=".
function __isolator_options # [COMMAND]
    __isolator_ask $argv --help |
        sed -nE 's/^  (-(.), |    )(--[a-z-]+)((\[?)[ =]([A-Z]+)[^ ]*)?( +(.*))?$/\3 .\2 .\5\6 \8/p'
end

# The operands of the command, with their names in --help, for example "FILE".
function __isolator_operands # [COMMAND]
    __isolator_ask $argv --help | sed '/^$/q' | sed -E 's/-[a-z-]+ [A-Z]+//g' | grep -oE '\<[A-Z]{2,}\>'
end

function __isolator_languages
    __isolator_ask languages --names
end
function __isolator_images
    __isolator_docker images --format '{{.Repository}}:{{.Tag}}' | grep -v '<none>'
end
function __isolator_networks
    printf '%s\n' none bridge
    __isolator_docker network ls --format '{{.Name}}' | grep -vxE 'none|bridge|host'
end

# Prints values for an option or an operand: the word so far, OPTION or the command, and its name in --help.
function __isolator_value
    switch $argv[2]
        case --language
            __isolator_languages
        case --image
            __isolator_images
        case --network
            __isolator_networks
        case --read-only
            printf '%s\n' true false
        case --cap-drop
            echo ALL
        case --runtime
            echo docker
        case --print-config
            __isolator_ask --help | sed -n 's/.*HOST: //p' | tr -d ',' | tr ' ' '\n'
        case --container-workdir
        case selftest
            __isolator_ask selftest --list | sed 's/ .*//'
        case help
            __isolator_ask --help | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p'
        case '*'
            switch "$argv[3..-1]"
                case '*FILE*' '*PATH*'
                    __fish_complete_path $argv[1]
                case '*DIR*'
                    __fish_complete_directories $argv[1] ''
                case '*LANGUAGE*'
                    __isolator_languages
                case '*IMAGE*'
                    __isolator_images
            end
    end
end

function __isolator
    set -l line (commandline -opc)
    set -l current (commandline -ct)
    set -l command
    set -l option
    set -l before
    if not string match -q '*isolator-mcp' -- $line[1]
        if test (count $line) -eq 1
            __isolator_ask --help | sed -nE 's/^  ([a-z][a-z-]*) +(.*)/\1\t\2/p'
            __isolator_ask --help | sed '/^$/q' | grep -oE -- '--[a-z]+'
            return
        end
        set command $line[2]
    end
    if contains -- -- $line # arguments of the program
        __fish_complete_path $current
        return
    end
    if string match -q -- '--*=*' $current
        set option (string split -m 1 = -- $current)[1]
        set before $option=
        set current (string split -m 1 = -- $current)[2]
    else if string match -q -- '-*' $current
        __isolator_options $command | sed -E 's/^([^ ]+) [^ ]+ [^ ]+ /\1\t/'
        return
    else if string match -q -- '-*' $line[-1]
        set option $line[-1]
    end
    if set -q option[1]
        __isolator_options $command | while read -l name letter value text
            if contains -- $option $name -(string replace . '' -- $letter)
                if test -n "$before"; or string match -qr '^\.[A-Z]' -- $value
                    printf '%s\n' "$before"(__isolator_value "$current" $name $value)
                    return
                end
            end
        end
    end
    __isolator_value "$current" "$command" (__isolator_operands $command)
end

complete -c isolator -f -a '(__isolator)'
complete -c isolator-mcp -f -a '(__isolator)'
