# Runs a piece of code as if one shell ran all pieces of a workspace: what a piece leaves of the directory, variables,
# functions, aliases and options is written to a file, which the next one reads first. So each piece is a process of its
# own, with its own limits, status and output, and if it is killed the shell is as it was before.
#
#     bash -c THIS shell CODE NAME...
#
# NAME: a variable whose value, or lack of one, is that of this piece whatever the file says. Other POSIX shells cannot say
# which functions and aliases they have. Names here begin with isolator_.
isolator_file=/tmp/.isolator-shell
isolator_code=$1
shift
for isolator_name; do
    eval "isolator_given_$isolator_name=\${$isolator_name-} isolator_set_$isolator_name=\${$isolator_name+1}"
done
if [ -r "$isolator_file" ]; then
    . "$isolator_file"
fi 2>/dev/null
# errexit does not show in a substitution.
{ isolator_flags=$- isolator_options=$(set +o); set +eux; } 2>/dev/null
for isolator_name; do
    unset "$isolator_name"
    eval "[ -z \"\$isolator_set_$isolator_name\" ] || export $isolator_name=\"\$isolator_given_$isolator_name\""
    unset "isolator_given_$isolator_name" "isolator_set_$isolator_name"
done

isolator_errexit() {
    case $isolator_flags in *e*) echo 'set -e' ;; esac
}

# Writes the file, whatever the code has set, and ends with its status.
isolator_save() {
    { isolator_status=$? isolator_flags=$- isolator_options=$(set +o); set +eux; } 2>/dev/null
    trap - EXIT
    unset isolator_code isolator_name BASH_EXECUTION_STRING
    {
        if [ -n "${BASH_VERSION-}" ]; then
            declare -p
            declare -f
            alias -p
            shopt -p
            umask -p
        else
            set
            export -p
            printf 'umask %s\n' "$(umask)"
        fi
        printf '%s\n' 'cd -- "$PWD"' "$isolator_options" "$(isolator_errexit)"
    } 2>/dev/null >|"$isolator_file.$$" && command -p mv -f "$isolator_file.$$" "$isolator_file" ||
        echo 'isolator: the state of the shell cannot be written to /tmp' >&2
    exit "$isolator_status"
}
trap isolator_save EXIT
set --
eval "$isolator_options
$(isolator_errexit)"
eval "$isolator_code"
isolator_save
