#!/bin/sh
# Becomes the program of its own name for this machine: exec leaves no process in between, so streams, signals and the
# exit status are those of the program. The program is in the same package or in that of the machine, which npm installs
# inside or beside it. For any shell of POSIX, with readlink -f.
name=${0##*/}
fail() {
    echo "$name: $1" >&2
    exit 3
}

system="$(uname -s) $(uname -m)"
case $system in
"Linux x86_64") machine=x86_64 cpu=x64 ;;
"Linux aarch64") machine=aarch64 cpu=arm64 ;;
*) fail "cannot run on '$system': isolator needs Linux on x86_64 or aarch64; run it on such a machine or in a virtual one" ;;
esac

launcher=$(readlink -f "$0") || fail "cannot find '$0': start it by its path"
package=${launcher%/bin/*}
program=programs/$machine/${launcher##*/}
other=isolator-mcp-linux-$cpu
for place in "$package" "$package/node_modules/$other" "${package%/*}/$other"; do
    [ ! -e "$place/$program" ] || exec "$place/$program" "$@"
done
fail "there is no program for '$system' in '$package': install the package for this machine; with npm, without --omit=optional"
