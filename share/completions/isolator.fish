# Completion for isolator and isolator-mcp in fish: the program on the command line answers itself, see
# `isolator complete` in src/config/option_completion.h. fish itself completes files and directories.

function __isolator
    set -l line (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $line[1])
    set -l option (string match -r -- '^--[a-z-]+=' $current)
    set -l path (string replace -r -- '^--[a-z-]+=' '' "$current")
    command -q $program; or return
    LC_ALL=C command $program complete -- $line[2..-1] "$current" 2>/dev/null </dev/null | while read -l found
        switch $found
            case :files
                printf '%s\n' "$option"(__fish_complete_path "$path")
            case :directories
                printf '%s\n' "$option"(__fish_complete_directories "$path" '')
            case '*'
                printf '%s\n' $found
        end
    end
end

complete -c isolator -f -a '(__isolator)'
complete -c isolator-mcp -f -a '(__isolator)'
