#!/usr/bin/env bash
# What people install: the archive of the sources, which builds without git; `make install` and `make uninstall`; and
# the Debian package, in a system that has nothing else. Needs root or sudo.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2034,SC2154 # the dollars are those of another shell; lib.sh sets $scratch and its like
[ "$(id -u)" = 0 ] || exec sudo -n env PATH="$PATH" ISOLATOR="${ISOLATOR-}" ISOLATOR_CONFIG="${ISOLATOR_CONFIG-}" "$0" "$@"
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
uses_engine=no
unset MAKEFLAGS MFLAGS PREFIX DESTDIR B DEB_MAINTAINER SOURCE_DATE_EPOCH

version=$(sed -n 's/^VERSION := //p' Makefile)
name=isolator-$version

# silently COMMAND...: runs it and shows its output only if it fails.
silently() {
    "$@" >"$scratch/log" 2>&1 && return
    diag "$*: $(tail -n 20 "$scratch/log")"
    return 1
}
# files DIRECTORY: all files in it, with their modes.
files() { (cd "$1" && find . ! -type d -printf '%m %P\n' | LC_ALL=C sort -k 2); }

# ---- the archive of the sources: made of a commit, not of the files that lie there
mkdir "$scratch/tree"
tar -c --exclude=./build --exclude=./.git --exclude=node_modules . | tar -x --no-same-owner -C "$scratch/tree"
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@localhost GIT_AUTHOR_DATE='1700000000 +0000'
export GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@localhost GIT_COMMITTER_DATE='1700000000 +0000'
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
silently git -C "$scratch/tree" init
silently git -C "$scratch/tree" add -A
silently git -C "$scratch/tree" commit -m all
tracked=$(git -C "$scratch/tree" ls-files | LC_ALL=C sort)
silently make -C "$scratch/tree" dist
made=$?
archive=$scratch/tree/build/$name.tar.gz
tar -xzf "$archive" -C "$scratch"
repository=$PWD
cd "$scratch/$name" || exit 1
package=build/isolator_${version}_$(dpkg --print-architecture).deb

mkdir "$scratch/bin"
printf '#!/bin/sh\necho >>"%s/git-was-called"\nexit 1\n' "$scratch" >"$scratch/bin/git"
chmod +x "$scratch/bin/git"

# make_package: makes the package if it is not there.
make_package() { [ -e "$package" ] || PATH=$scratch/bin:$PATH silently make deb; }

test_case 'make dist packs the files that git knows, the same bytes each time' && {
    within "$(wc -l <<<"$tracked")" 200 10000 "there are sources"
    ok $made "make dist"
    cp "$archive" "$scratch/first.tar.gz"
    touch "$scratch/tree/Makefile" "$scratch/tree/not-in-git"
    silently make -C "$scratch/tree" dist
    ok "$(cmp -s "$scratch/first.tar.gz" "$archive"; echo $?)" "make dist: the same bytes again"
    is "$(tar -tzf "$archive" | grep -v '/$' | sed "s|^$name/||" | LC_ALL=C sort)" "$tracked" "make dist: the files that git knows, below $name"
}

# ---- the Debian package

test_case 'make deb works without git and makes the same bytes each time' && {
    make_package
    ok $? "make deb, in an unpacked archive"
    ok "$([ ! -e "$scratch/git-was-called" ]; echo $?)" "make deb: without git"
    cp "$package" "$scratch/first.deb"
    PATH=$scratch/bin:$PATH silently make deb
    ok "$(cmp -s "$scratch/first.deb" "$package"; echo $?)" "make deb: the same bytes again"
}

# ---- make install

test_case 'make install with DESTDIR, and make uninstall' && {
    silently make B=build/deb PREFIX=/usr
    pages=$(for file in man/*.[1-9]; do echo "644 share/man/man${file##*.}/${file#man/}"; done)
    expected=$(LC_ALL=C sort -k 2 <<END
755 bin/isolator
755 bin/isolator-mcp
755 libexec/isolator/isolator-tls
644 share/bash-completion/completions/isolator
644 share/bash-completion/completions/isolator-mcp
644 share/doc/isolator/LICENSE
644 share/doc/isolator/README.md
644 share/doc/isolator/SECURITY.md
644 share/doc/isolator/examples/agent.py
644 share/doc/isolator/examples/cluster/htcondor.sub
644 share/doc/isolator/examples/cluster/hyperqueue.sh
644 share/doc/isolator/examples/cluster/kubernetes.yaml
644 share/doc/isolator/examples/cluster/parallel.sh
644 share/doc/isolator/examples/cluster/ray_batch.py
644 share/doc/isolator/examples/cluster/shard.sh
644 share/doc/isolator/examples/cluster/slurm.sh
644 share/doc/isolator/examples/code_tool.py
644 share/doc/isolator/examples/grade.py
644 share/doc/isolator/examples/reward.py
644 share/doc/isolator/examples/scorer.py
644 share/doc/isolator/examples/server.py
644 share/fish/vendor_completions.d/isolator-mcp.fish
644 share/fish/vendor_completions.d/isolator.fish
644 share/isolator/formats/_batch.py
755 share/isolator/formats/apps
755 share/isolator/formats/codeforces
755 share/isolator/formats/humaneval
755 share/isolator/formats/livecodebench
755 share/isolator/formats/mbpp
755 share/isolator/formats/pass_at_k
644 share/isolator/isolator_config.json
644 share/isolator/isolator_config.schema.json
644 share/isolator/isolator_results.schema.json
$pages
644 share/zsh/site-functions/_isolator
END
    )
    staged="$scratch/a stage"
    (umask 077 && silently make B=build/deb install PREFIX=/opt/tools DESTDIR="$staged")
    is "$(files "$staged/opt/tools")" "$expected" "make install: the files and their modes"
    is "$(ls -A "$staged") $(ls -A "$staged/opt")" "opt tools" "make install: nothing elsewhere"
    is "$(find "$staged/opt" -type d ! -perm 755)" "" "make install: all can read the directories, whatever the umask is"
    is "$(grep -ho '/[a-z/]*/share/isolator[a-z/_.]*' "$staged"/opt/tools/share/man/man*/* | sort -u)" \
        "/opt/tools/share/isolator/formats
/opt/tools/share/isolator/isolator_config.json
/opt/tools/share/isolator/isolator_config.schema.json
/opt/tools/share/isolator/isolator_results.schema.json" "make install: the manual pages name the directories of this prefix"
    is "$(grep -c '"/usr/local/lib/node_modules"' "$staged"/opt/tools/share/man/man5/isolator_config.json.5)" 2 \
        "make install: paths within an image stay as they are"
    silently make B=build/deb uninstall PREFIX=/opt/tools DESTDIR="$staged"
    is "$(files "$staged")" "" "make uninstall: no file is left"
    is "$(find "$staged" -name '*isolator*')" "" "make uninstall: no directory of isolator is left"
}

test_case 'make install, the installed programs, and make uninstall' && {
    prefix=$scratch/prefix
    silently make B=build/deb PREFIX=/usr
    silently make B=build/deb install PREFIX="$prefix"
    echo mine >"$prefix/share/isolator/mine"
    echo '# Of others.' >"$prefix/bin/other"
    is "$(env -i "$prefix/bin/isolator" --version)" "isolator $version" "the installed isolator: its version"
    unset ISOLATOR_CONFIG
    sed -i 's/"docker"/"no-such-docker"/' "$prefix/share/isolator/isolator_config.json"
    is "$(env -i HOME="$scratch" "$prefix/bin/isolator" run prompts/hello_world.py |
    grep -o "cannot run 'no-such-docker'")" "cannot run 'no-such-docker'" "the installed isolator: reads its configuration"
    listed=$(echo '{"jsonrpc":"2.0","id":1,"method":"resources/list"}' |
        env -i HOME="$scratch" "$prefix/bin/isolator-mcp" 2>/dev/null | grep -o '"name":"[^"]*"' | sed 's/.*:"//; s/"//')
    is "$listed" "$(LC_ALL=C ls prompts)" "the installed isolator-mcp: lists its snippets"
    silently make B=build/deb uninstall PREFIX="$prefix"
    is "$(files "$prefix")" "644 bin/other
644 share/isolator/mine" "make uninstall: leaves the files that it has not installed"
    silently make B=build/deb uninstall PREFIX="$prefix"
    ok $? "make uninstall: again, with nothing left to remove"
}

# ---- the Debian package in a clean system
root=$scratch/root
# inside COMMAND...: runs it in the clean system, without a network; prints stdout and stderr.
inside() {
    # shellcheck disable=SC2024 # the redirections are those of this shell
    unshare --mount --net --pid --fork --kill-child --mount-proc="$root/proc" \
        chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@" 2>&1 </dev/null
}
# census: all files and directories, without those of the package manager.
census() { (cd "$root" && find . -xdev ! -path './var/lib/dpkg*' ! -path './var/log/*' ! -path './var/cache/*' ! -path './tmp/*' \
    ! -path './proc/*' | LC_ALL=C sort); }

test_case 'what the package says of itself' && {
    make_package
    expect "$(dpkg-deb -f "$package" Package Version)" "the package: name, version" <<END
Package: isolator
Version: $version
END
    [ ! -e /usr/include/libtar.h ] || libtar=", libtar0" # Debian 13 has none
    is "$(dpkg-deb -f "$package" Depends | sed -E 's/ \([^)]*\)//g; s/t64//')" "libc6, libedit2, libjansson4, libssl3${libtar-}, libyaml-0-2" "the package: dependencies"
    is "$(dpkg-deb -c "$package" | awk '{print $2}' | sort -u)" "root/root" "the package: belongs to root"
}

test_case 'the package in a system that has nothing else' && {
    make_package
    mkdir "$root"
    tar -xf "$repository/build/engine/root.tar" -C "$root"
    cp "$package" "$root/packages/isolator.deb"
    cp prompts/hello_world.py "$root/hello.py"
    said=$(inside dpkg -i /packages/isolator.deb)
    has "$said" "isolator depends on libjansson4" "dpkg -i without the libraries: names the missing ones"
    inside dpkg --purge isolator >/dev/null
    inside sh -c 'dpkg -i /packages/lib*.deb' >/dev/null
    before=$(census)
    inside dpkg -i /packages/isolator.deb >"$scratch/log"
    is "$(inside dpkg-query -W -f '${db:Status-Status}' isolator) $(grep -i warning "$scratch/log")" "installed " "dpkg -i"
    is "$(inside dpkg --verify isolator)" "" "dpkg --verify: all files are those of the package"
    is "$(inside isolator --version)" "isolator $version" "in the package: isolator"
    is "$(inside isolator-mcp --version)" "isolator-mcp $version" "in the package: isolator-mcp"
    got=$(inside sh -c 'isolator run /hello.py; echo "status $?"')
    has "$got" "cannot run 'docker'" "without docker: the message"
    has "$got" "status 3" "without docker: the status"
    has "$got" '"container": null' "without docker: the result"
    has "$(inside sh -c "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}' | isolator-mcp")" \
        '"uri":"isolator://snippets/hello_world.py"' "in the package: the snippets"
    for page in man1/isolator man1/isolator-mcp man5/isolator_config.json; do
        is "$(zcat "$root/usr/share/man/$page.${page:3:1}.gz" | grep -cx '.Sh NAME')" 1 "in the package: the manual page $page"
    done
    is "$(zcat "$root/usr/share/man/man1/isolator.1.gz" | grep -cx '.It Fl m , Fl -memory Ar MB')" 1 "in the package: the options of isolator(1)"
    is "$(zcat "$root/usr/share/man/man1/isolator.1.gz" | grep -o '/usr/[a-z/]*isolator_config.json')" "/usr/share/isolator/isolator_config.json" \
        "in the package: the manual page names the directories of the package"
    for file in bash-completion/completions/isolator zsh/vendor-completions/_isolator fish/vendor_completions.d/isolator.fish \
        doc/isolator/copyright doc/isolator/README.md.gz doc/isolator/SECURITY.md.gz doc/isolator/changelog.gz; do
        ok "$([ -f "$root/usr/share/$file" ]; echo $?)" "in the package: $file"
    done
    inside dpkg -r isolator >"$scratch/log"
    is "$(inside dpkg-query -W -f '${db:Status-Status}' isolator 2>&1 | sed 's/.*no packages.*/gone/')" "gone" "dpkg -r: no configuration is left"
    is "$(diff <(echo "$before") <(census))" "" "dpkg -r: nothing is left, nothing else is removed"
    is "$(inside dpkg -P isolator | grep -ci error)" "0" "dpkg -P: has nothing to do"
}

finish
