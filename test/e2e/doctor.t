#!/usr/bin/env bash
# isolator doctor: a host without problems, and each problem that it finds: the line about it, the advice, and the exit
# status.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for scripts; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# A wrapper around docker that changes what the engine says of itself, and programs that say hello.
mkdir -p "$scratch/prompts" "$scratch/failing" "$scratch/elsewhere"
echo 'print("hello")' >"$scratch/prompts/hello_world.py"
echo 'raise SystemExit(3)' >"$scratch/failing/hello_world.py"
cat >"$scratch/docker" <<'END'
#!/bin/sh
# INFO_SED: a sed script for the output of `docker info`; ORPHANS: what `docker ps` prints of orphans.
case "$1 $3" in
"info "*) docker "$@" | sed "$INFO_SED" ;;
"ps --no-trunc") [ "$ORPHANS" ] && echo "$ORPHANS" || exec docker "$@" ;;
*) exec docker "$@" ;;
esac
END
chmod +x "$scratch/docker"

# config NAME MEMBERS: writes a configuration of python and busybox, whose images test/setup builds everywhere; the
# images of the other languages do not exist.
config() {
    cat >"$scratch/$1.json" <<END
{"engineTimeoutSeconds": 300, "promptsDir": "prompts", "warm": {"python": 1}$2,
 "languages": {"python": {"image": "isolator-test/python:bookworm"},
    "javascript": {"image": "isolator-test/none-such:1"}, "go": {"image": "isolator-test/none-such:2"},
    "busybox": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
        "extensions": [".ash"], "defaultFilename": "main.ash"}}}
END
}
config good ''
config reported ", \"containerCommand\": \"$scratch/docker\""
sed -i 's/"warm": {"python": 1}/"warm": {"python": 0}/' "$scratch/reported.json" # quicker, if the pool does not matter
sed 's/300/2/' "$scratch/good.json" >"$scratch/hurried.json"
sed 's/"warm": {"python": 1}/"warm": {"python": 0}/' "$scratch/good.json" >"$scratch/cold.json"
sed 's/"defaultFilename": "main.ash"/&, "prepare": {"run": ["echo prepared >\/note"]}/' "$scratch/cold.json" >"$scratch/steps.json"
sed 's/"prompts"/"failing"/' "$scratch/good.json" >"$scratch/failing.json"
export ISOLATOR_CONFIG=$scratch/good.json INFO_SED='' ORPHANS=''

# check NAME: the line about this check and the advice below it, with single spaces and without figures that differ.
check() {
    awk -v name="$1 " 'found && /^ +->/ {print} {found = substr($0, 7, length(name)) == name} found {print}' <<<"$out" |
        tr -s ' ' | sed -E 's/[0-9]+ (ms|MB)$/N \1/g; s/[0-9]+ ms/N ms/g; s/^ ->/->/'
}

# of EXPRESSION: a Perl expression about the checks of --json, the array @all and the hash %by.
of() { perl -MJSON::PP -e 'local $/; our @all = @{decode_json(<STDIN>)}; our %by = map { ($_->{check} => $_) } @all; print eval $ARGV[0]' "$1" <"$scratch/out"; }

test_case 'a host without problems' && {
    isolator doctor
    is "$status|$err" "0|" "a host without problems"
    is "$(check configuration)" "ok configuration $scratch/good.json (ISOLATOR_CONFIG)" "the configuration and where it comes from"
    is "$(check 'docker command')" "ok docker command $(command -v docker), $(docker version --format '{{.Client.Version}}')" \
        "the docker command"
    has "$(check engine)" "ok engine Docker $(docker version --format '{{.Server.Version}}')" "the engine"
    is "$(check limits)" "ok limits cgroup $(docker info --format '{{.CgroupVersion}}'); enforced: memory, swap, processes, CPU time" \
        "the limits"
    has "$(check seccomp)" "ok seccomp profile " "seccomp"
    has "$(check 'user namespaces')" "ok user namespaces " "user namespaces"
    has "$(check storage)" "ok storage $(docker info --format '{{.Driver}}')" "the storage"
    has "$(check 'image python')" "ok image python isolator-test/python:bookworm, " "an image"
    expect "$(check 'image javascript')" "a missing image is no failure; the advice" <<'END'
warn image javascript isolator-test/none-such:1 is not on the engine
-> isolator pull javascript
END
    is "$(check 'other images')" "ok other images not on the engine: typescript, c, cpp, rust, java, ruby, php, perl, bash, lua, r; \
isolator pull LANGUAGE fetches one" "missing images that nobody has asked for"
    is "$(check 'run python')" "ok run python hello in N ms; in a warm container: N ms, ready with N MB" "python says hello, cold and warm"
    is "$(check 'run busybox')" "ok run busybox not tried: it has no program for that (hello)" \
        "a language without a hello"
    is "$(check 'run javascript')" "" "a language without an image is not run"
    is "$(grep -vE '^(ok|warn)  ' <<<"$out" | grep -v '^ *->')" "" "each line is ok or a warning"
    hasnt "$out" $'\033' "no colour, since this is no terminal"
}

test_case 'without promptsDir and without a pool' && {
    mv "$scratch/prompts" "$scratch/away"
    isolator doctor --config "$scratch/cold.json"
    is "$status $(check 'run python')" "0 ok run python hello in N ms; no container is kept warm" "the built-in hello, and no pool"
    is "$(check configuration)" "ok configuration $scratch/cold.json (--config)" "the configuration of --config"
    expect "$(check snippets)" "a promptsDir that does not exist" <<END
warn snippets cannot read the snippets, promptsDir '$scratch/prompts': No such file or directory
-> set promptsDir in the configuration to another directory, or remove it
END
    mv "$scratch/away" "$scratch/prompts"
}

test_case '--json' && {
    isolator doctor --json
    is "$status|$err|$(wc -l <"$scratch/out")" "0||1" "--json: one line"
    expect "$(of 'join "\n", grep { $_ ne "engine warnings" } map { $_->{check} } @all')" "--json: the checks" <<'END'
configuration
docker command
engine
socket
limits
seccomp
user namespaces
storage
orphans
image python
image go
image javascript
image busybox
other images
tried limits
run python
run busybox
END
    is "$(of 'join " ", sort keys %{{map { map { ($_ => 1) } keys %$_ } @all}}')" "advice check detail status values" "--json: the members"
    expect "$(of 'join "\n", map { "$_ $by{engine}{values}{versions}{$_}" } qw(command engine api kernel containerd runc)')" \
        "--json: the versions" <<END
command $(docker version --format '{{.Client.Version}}')
engine $(docker version --format '{{.Server.Version}}')
api $(docker version --format '{{.Client.APIVersion}}')
kernel $(docker info --format '{{.KernelVersion}}')
$(docker version --format '{{range .Server.Components}}{{println .Name .Version}}{{end}}' | grep -E '^(containerd|runc) ')
END
    is "$(of 'join " ", @{$by{engine}{values}{drivers}}{qw(storage cgroup cgroup_version logging oci_runtime)}')" \
        "$(docker info --format '{{.Driver}} {{.CgroupDriver}} {{.CgroupVersion}} {{.LoggingDriver}} {{.DefaultRuntime}}')" "--json: the drivers"
    is "$(of 'my $v = $by{limits}{values}; join("|", map { join ",", @{$v->{$_}} } qw(enforced not_enforced))')" \
        "memory,swap,processes,CPU time|" "--json: the limits that the engine says it enforces"
    is "$(of 'my $v = $by{"tried limits"}{values}; join(",", @{$v->{held}}) . "|" . ($v->{oci_runtime} // "null")')" \
        "memory,processes|null" "--json: the limits that held"
    is "$(of 'join ",", sort grep { $by{$_}{values} } keys %by')" "engine,limits,tried limits" "--json: the checks that have values"
    expect "$(of 'join "\n", @{$by{"image go"}}{qw(status detail advice)}')" "--json: a warning" <<'END'
warn
isolator-test/none-such:2 is not on the engine
isolator pull go
END
    is "$(of '$by{engine}{advice} // "null"')" "null" "--json: no advice without a problem"
}

# ---- images and programs

test_case 'a language with a test program of its own' && {
    sed 's/"defaultFilename": "main.ash"/&, "hello": "echo hi"/' "$scratch/cold.json" >"$scratch/greeting.json"
    isolator doctor --config "$scratch/greeting.json"
    is "$status $(check 'run busybox')" "0 ok run busybox hello in N ms; no container is kept warm" "hello of the configuration"
}

test_case 'no image is on the engine' && {
    sed 's/isolator-test.python:bookworm/isolator-test\/none-such:3/' "$scratch/good.json" >"$scratch/no_images.json"
    isolator doctor --config "$scratch/no_images.json"
    expect "$status"$'\n'"$(check 'image python'; check runs)" "no language can run" <<'END'
3
warn image python isolator-test/none-such:3 is not on the engine
-> isolator pull python
fail runs no language could run a program
-> isolator pull python, or set "hello" of busybox in the configuration
END
}

test_case 'a program that fails' && {
    isolator doctor --config "$scratch/failing.json"
    expect "$status $(check 'run python')" "a program that fails" <<'END'
3 fail run python does not run: program exited with status 3
-> set another "image" or "command" for python
END
    echo 'echo "Hello, World"' >"$scratch/failing/hello_world.ash"
    isolator doctor --config "$scratch/failing.json"
    rm "$scratch/failing/hello_world.ash"
    has "$status|$(check 'run busybox')" "3|ok run busybox hello in N ms" "a program that fails beside one that runs is a failure, too"
}

test_case 'an image that cannot execute the program' && {
    sed 's/"sh", /"no-such-sh", /' "$scratch/cold.json" >"$scratch/command.json"
    echo 'echo "Hello, World"' >"$scratch/prompts/hello_world.ash"
    isolator doctor --config "$scratch/command.json"
    rm "$scratch/prompts/hello_world.ash"
    expect "$status $(check 'run busybox')" "an image that cannot execute the program" <<'END'
3 fail run busybox does not run: cannot execute 'no-such-sh' in the image 'isolator-test/busybox:1': No such file or directory
-> set another "image" or "command" for busybox
END
}

test_case 'an engine that creates no container' && {
    faulty "run 1 pass;run 2 pass;run * fail" isolator doctor --config "$scratch/cold.json" # two try the limits
    expect "$status $(check 'run python')" "an engine that creates no container" <<'END'
3 fail run python does not run: cannot start the container: Error response from daemon: a fault for the test
-> docker info and isolator run --verbose show more; restart the engine if it hangs
END
}

test_case 'languages with steps that were run or not' && {
    isolator doctor --config "$scratch/steps.json"
    expect "$status $(check 'prepared busybox')" "steps that have not been run" <<'END'
0 warn prepared busybox not prepared: programs run in the base image
-> isolator prepare busybox
END
    is "$(check 'prepared python')" "" "a language without steps"
    XDG_CONFIG_HOME=$scratch/prepared isolator prepare busybox --config "$scratch/steps.json"
    isolator doctor --config "$scratch/steps.json"
    has "$status|$(check 'prepared busybox')" "0|ok prepared busybox isolator-prepared:busybox-" "steps that have been run"
    docker tag isolator-test/busybox:1 "isolator-test-$$:base"
    sed "s|isolator-test/busybox:1|isolator-test-$$:base|" "$scratch/steps.json" >"$scratch/gone.json"
    XDG_CONFIG_HOME=$scratch/prepared isolator prepare busybox --config "$scratch/gone.json"
    docker image rm "isolator-test-$$:base" >/dev/null
    isolator doctor --config "$scratch/gone.json"
    is "$status $(check 'prepared busybox' | sed 's/-[0-9a-f]*$//')" "0 ok prepared busybox isolator-prepared:busybox" \
        "steps that have been run in an image that was removed"
    expect "$(check 'image busybox')" "the image that was removed" <<END
warn image busybox isolator-test-$$:base is not on the engine
-> isolator pull busybox
END
    XDG_CONFIG_HOME=$scratch/prepared isolator prepare --remove busybox --config "$scratch/gone.json"
    XDG_CONFIG_HOME=$scratch/prepared isolator prepare --remove busybox --config "$scratch/steps.json"
    is "$status" 0 "the prepared image is removed"
}

test_case 'a program that takes too long' && {
    mkdir -p "$scratch/slow"
    echo 'import time; time.sleep(60)' >"$scratch/slow/hello_world.py"
    sed 's/"prompts"/"slow", "defaults": {"timeoutSeconds": 0.2}/' "$scratch/cold.json" >"$scratch/short.json"
    isolator doctor --config "$scratch/short.json"
    expect "$status $(check 'run python')" "a program that takes too long" <<'END'
3 fail run python does not run: program did not end within 0.2 s
-> raise "timeoutSeconds" or "cpus" of python
END
}

test_case 'no warm container can be made' && {
    # The fourth container that doctor creates is the first warm one; two try the limits.
    sed 's/300/20/' "$scratch/good.json" >"$scratch/waiting.json"
    faulty "run 1 pass;run 2 pass;run 3 pass;run * fail" isolator doctor --config "$scratch/waiting.json"
    expect "$status $(check 'run python')" "no warm container" <<'END'
0 warn run python works, but no warm container could be created
-> configure "warm": {"python": 0}
END
}

# This one looks at no file before it ends.
test_case 'an interpreter that cannot be ready' && {
    sed 's/{"python": 1}/{"busybox": 1}/; s/\["sh", "{entrypoint}"\]/["echo", "{entrypoint}"], "hello": "x"/' "$scratch/good.json" >"$scratch/not-ready.json"
    isolator doctor --config "$scratch/not-ready.json"
    is "$(check 'run busybox')" "ok run busybox hello in N ms; in a warm container: N ms, not ready: the interpreter starts with each request" "it is told"
}

# ---- what the engine says of itself
# reported SED CHECK NAME: asserts what doctor says of an engine whose `docker info` is changed so: its exit status, the
# line about this check, and the advice, which are in a here document.
reported() {
    INFO_SED=$1 isolator doctor --config "$scratch/reported.json"
    expect "$status $(check "$2")" "$3"
}

test_case 'limits that the engine does not enforce' && {
    reported 's/"SwapLimit":true/"SwapLimit":false/; s/"CgroupVersion":"[12]"/"CgroupVersion":"7"/' limits "a limit that is not enforced" <<'END'
3 fail limits cgroup 7; not enforced: swap
-> boot the engine's kernel with cgroup_enable=memory swapaccount=1, or set "allowUnenforced": true
END
    sed 's/^{/{"allowUnenforced": true, /' "$scratch/reported.json" >"$scratch/unenforced.json"
    INFO_SED='s/"\(MemoryLimit\|PidsLimit\)":true/"\1":false/g' isolator doctor --config "$scratch/unenforced.json"
    expect "$status $(check limits | sed 's/cgroup [12];/cgroup N;/')" "limits that are not enforced, with allowUnenforced" <<'END'
0 warn limits cgroup N; not enforced: memory, processes
-> boot the engine's kernel with cgroup_enable=memory swapaccount=1; use a kernel with the cgroup controllers cpu and pids
END
    reported 's/"CpuCfsQuota":true/"CpuCfsQuota":false/; s/"SecurityOptions":\[[^]]*\]/"SecurityOptions":["name=rootless"]/
        s/"CgroupVersion":"[12]"/"CgroupVersion":"2"/' limits "a rootless engine without the controllers" <<'END'
3 fail limits cgroup 2; not enforced: CPU time
-> let systemd delegate the controllers cpu and pids to your user, or set "allowUnenforced": true
END
    reported 's/"SwapLimit"/"x"/; s/"MemoryLimit"/"y"/; s/"PidsLimit"/"z"/; s/"CpuCfsQuota"/"v"/; s/"CgroupVersion"/"w"/' limits \
        "an engine that does not say" <<'END'
0 ok limits cgroup of an unknown version; enforced: unknown
END
}

test_case 'seccomp and AppArmor' && {
    for options in '' '"name=seccomp,profile=unconfined"'; do
        reported 's/"SecurityOptions":\[[^]]*\]/"SecurityOptions":['"$options"']/' seccomp "seccomp: [$options]" <<'END'
0 warn seccomp no profile: programs can make every system call
-> start the engine without seccomp-profile=unconfined, on a kernel with CONFIG_SECCOMP_FILTER
END
    done
}

test_case 'user namespaces and rootless engines' && {
    reported 's/"SecurityOptions":\[[^]]*\]/"SecurityOptions":["name=apparmor","name=seccomp,profile=builtin","name=userns"]/' \
        'user namespaces' "user namespaces" <<'END'
0 ok user namespaces users are mapped: root in a container is not root on the host
END
    is "$(check seccomp)" "ok seccomp profile builtin; AppArmor" "a profile, and AppArmor"
    reported 's/"SecurityOptions":\[[^]]*\]/"SecurityOptions":["name=rootless"]/; s/"OperatingSystem":"[^"]*"/"OperatingSystem":"Docker Desktop"/' \
        'user namespaces' "a rootless engine" <<'END'
0 ok user namespaces rootless: root in a container is not root on the host
END
    has "$(check engine)" ", rootless, Docker Desktop, context " "the line about the engine"
    sed 's/^{/{"defaults": {"user": "0"}, /' "$scratch/reported.json" >"$scratch/root.json"
    INFO_SED='s/"SecurityOptions":\[[^]]*\]/"SecurityOptions":["name=seccomp,profile=default"]/' isolator doctor --config "$scratch/root.json"
    expect "$status $(check 'user namespaces')" "programs that run as root" <<'END'
0 warn user namespaces none, and programs run as user 0, which is root on the host
-> remove "user" from the configuration: then each container has a user of its own
END
    reported 's/"SecurityOptions":\[[^]]*\]/"SecurityOptions":["name=seccomp,profile=default"]/' 'user namespaces' "no user namespaces" <<'END'
0 ok user namespaces none; each container has a user of its own (1900000-1965535)
END
    sed 's/^{/{"maximums": {"user": "7:8"}, /' "$scratch/reported.json" >"$scratch/pinned.json"
    INFO_SED='s/"SecurityOptions":\[[^]]*\]/"SecurityOptions":["name=seccomp,profile=default"]/' isolator doctor --config "$scratch/pinned.json"
    is "$status|$(check 'user namespaces')" "0|ok user namespaces none; programs run as user 7:8" "a user for all programs"
}

test_case 'storage, engine warnings, and an answer that is not JSON' && {
    reported 's/"Driver":"[a-z0-9]*"/"Driver":"vfs"/; s/"DockerRootDir":"[^"]*"/"DockerRootDir":"\/nonexistent"/' storage "a slow storage driver" <<'END'
0 warn storage vfs; it copies the whole image for each run
-> start the engine with "storage-driver": "overlay2"
END
    reported 's/"Warnings":[^,]*,/"Warnings":["WARNING: one\\u001b[2J"],/' 'engine warnings' "the warnings of the engine" <<'END'
0 ok engine warnings WARNING: one\x1b[2J
END
    reported 's/.*/no JSON/' limits "an answer that is not JSON" <<END
0 warn limits '$scratch/docker info' did not answer in JSON
-> $scratch/docker info
END
}

test_case 'an orphan' && {
    ORPHANS='["isolator-0123456789abcdef","Created","01234567-89ab-cdef-0123-456789abcdef","1.1","7","1","box","1000"]' \
        reported '' orphans "an orphan" <<'END'
0 warn orphans 1 left by isolators that were killed: isolator-0123456789abcdef
-> isolator gc
END
}

test_case 'no docker command' && {
    sed 's/^{/{"containerCommand": "no-such-docker", /' "$scratch/good.json" >"$scratch/none.json"
    isolator doctor --config "$scratch/none.json"
    expect "$status $(check 'docker command')" "no docker command" <<'END'
3 fail docker command 'no-such-docker' does not exist or is not in PATH
-> sudo apt-get install docker.io, or set its path as "containerCommand"
END
    is "$(tail -n 2 <<<"$out" | head -n 1 | cut -c 1-20)" "fail  docker command" "which ends it"
    out=$(PATH=$scratch/elsewhere "$ISOLATOR" doctor)
    is "$?|$(check 'docker command' | head -n 1)" "3|fail docker command 'docker' does not exist or is not in PATH" "a PATH without docker"
}

test_case 'podman under the name of docker, or reached by it, and docker under the name of podman' && {
    mkdir "$scratch/podman"
    cat >"$scratch/podman/docker" <<'END'
#!/bin/sh
# What an engine says, or docker about an engine that is podman; no container can be created.
case "$*" in
version*) echo "$VERSION" ;;
"image ls"*) ;;
image*isolator-prepared:*) exit 1 ;;
image*json*) echo "{\"Id\":\"sha256:$(printf %064d 0)\"}" ;;
image*) echo sha256:0 ;;
run*) echo "Error: invalid mount option" >&2; exit 125 ;;
esac
END
    chmod +x "$scratch/podman/docker"
    ln -s docker "$scratch/podman/podman"
    sed 's/^{/{"containerCommand": "podman", /' "$scratch/cold.json" >"$scratch/podman.json"
    itself='{"Client":{"APIVersion":"4.3.1","Version":"4.3.1","GoVersion":"go1.19.8","GitCommit":"","BuiltTime":"Thu Jan  1 00:00:00 1970","Built":0,"OsArch":"linux/amd64","Os":"linux"}}'
    reached='{"Client":{"Version":"28.2.2","ApiVersion":"1.41","Os":"linux","Arch":"amd64","Context":"default"},"Server":{"Platform":{"Name":"linux/amd64/debian-12"},"Components":[{"Name":"Podman Engine","Version":"4.3.1"}],"Version":"4.3.1"}}'
    docker='{"Client":{"Version":"28.2.2","ApiVersion":"1.41","Os":"linux","Arch":"amd64","Context":"default"},"Server":{"Components":[{"Name":"Engine","Version":"28.2.2"}],"Version":"28.2.2"}}'
    # mistaken VERSION CONFIGURATION PROBLEM ADVICE [ERROR]: what doctor, prepare and run say about the command.
    mistaken() {
        VERSION=$1 PATH=$scratch/podman:$PATH isolator doctor --config "$2"
        is "$status $(head -n 2 <<<"$out" | tr -s ' ')" "3 fail engine $3"$'\n'" -> $4" "$3: doctor"
        is "$(grep -v '^ ' <<<"$out" | sed 1d | tr -s ' ')" "ok configuration $2 (--config)" "$3: nothing else is checked"
        VERSION=$1 PATH=$scratch/podman:$PATH isolator prepare --config "$2" python --run true
        is "$status|$out|$err" "3||isolator: python: cannot create a container: $3; $4" "$3: prepare"
        VERSION=$1 PATH=$scratch/podman:$PATH isolator run --config "$2" "$scratch/prompts/hello_world.py"
        is "$status $(field error)" "3 ${5-cannot start the container: $3; $4: Error: invalid mount option}" "$3: run"
    }
    for version in "$itself" "$reached"; do
        mistaken "$version" "$scratch/cold.json" "'docker' is podman, or leads to it" 'set "containerCommand": "podman", since podman is used by its own command, and unset DOCKER_HOST if it names podman'"'s socket"
    done
    mistaken "$docker" "$scratch/podman.json" "'podman' is Docker, or leads to it" 'set "containerCommand": "docker"' \
        "cannot tell whether the engine enforces the limit of memory: cannot start the container: 'podman' is Docker, or leads to it; \
set \"containerCommand\": \"docker\": Error: invalid mount option"
}

test_case 'a docker command of Docker 29 with an old engine, and an old one with an engine of Docker 29' && {
    mkdir "$scratch/docker29"
    printf '%s\n' '#!/bin/sh' 'case "$1" in context) exec docker "$@" ;; version) echo "$CLIENT" ;; esac' 'echo "$SAID" >&2' 'exit 1' \
        >"$scratch/docker29/refused"
    chmod +x "$scratch/docker29/refused"
    sed "s|^{|{\"containerCommand\": \"$scratch/docker29/refused\", |" "$scratch/cold.json" >"$scratch/docker29.json"
    # refused VERSION MESSAGE ADVICE: what doctor and run say if docker says this.
    refused() {
        CLIENT="{\"Client\":{\"Version\":\"$1\",\"Context\":\"default\"},\"Server\":null}" SAID=$2 \
            isolator doctor --config "$scratch/docker29.json"
        is "$status $(check engine)" "3 fail engine does not answer: $2"$'\n'"-> ${3#*; }" "$1: doctor"
        SAID=$2 isolator run --config "$scratch/docker29.json" "$scratch/prompts/hello_world.py"
        is "$status $(field error)" "3 cannot start the container: $3: $2" "$1: run"
    }
    refused 29.1.3 "API version 1.41 is not supported by this client: the minimum supported API version is 1.44" \
        "the docker command is too new for the container engine; update the engine, or use another docker command: this one needs \
version 1.44 of its API or newer"
    refused 20.10.24 "Error response from daemon: client version 1.41 is too old. Minimum supported API version is 1.44, please upgrade \
your client to a newer version" \
        "the docker command is too old for the container engine; use a newer docker command: the engine needs version 1.44 of its API \
or newer"
}

test_case 'docker commands by other names' && {
    mkdir "$scratch/here"
    ln -s "$(command -v docker)" "$scratch/here/our-docker"
    sed 's/^{/{"containerCommand": "our-docker", /' "$scratch/good.json" >"$scratch/here.json"
    out=$(cd "$scratch/here" && PATH=:$PATH "$ISOLATOR" doctor --config ../here.json)
    has "$(check 'docker command')" "ok docker command ./our-docker, " "an empty element of PATH is the current directory"
    sed "s|^{|{\"containerCommand\": \"$scratch/here\", |" "$scratch/good.json" >"$scratch/directory.json"
    isolator doctor --config "$scratch/directory.json"
    has "$status|$(check 'docker command')" "3|fail docker command '$scratch/here' does not exist" "a directory instead of a command"
}

test_case 'an engine that cannot be reached' && {
    DOCKER_HOST=unix:///nonexistent isolator doctor
    expect "$status $(check socket)" "a socket that does not exist" <<'END'
3 fail socket /nonexistent does not exist
-> unset DOCKER_HOST, or start the engine that it names
END
    has "$(check engine)" "fail engine does not answer: Cannot connect to the Docker daemon at unix:///nonexistent." "docker's own message"
    is "$(grep -vc '^ ' <<<"$out")" 4 "nothing else is checked"
    DOCKER_HOST=tcp://127.0.0.1:1 isolator doctor
    is "$status|$(check socket)" "3|" "an engine that cannot be reached by TCP"
    has "$(check engine)" $'\n-> unset DOCKER_HOST, or start the engine that it names' "an engine that cannot be reached by TCP: the advice"
}

test_case 'a docker context that does not exist' && {
    DOCKER_CONTEXT=nope isolator doctor
    has "$status|$(check engine)" "3|fail engine does not answer: " "no such context"
    has "$(check engine)" "context \"nope\"" "no such context: docker's words"
    has "$(check engine)" $'\n-> unset DOCKER_CONTEXT, or set it to a name that docker context ls shows' "no such context: the advice"
}

test_case 'a socket that this user may not use' && {
    perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die' "$scratch/closed"
    chmod 0 "$scratch/closed"
    cp "$ISOLATOR" "$scratch/isolator"
    chmod 755 "$scratch"
    out=$(DOCKER_HOST=unix://$scratch/closed HOME=/nonexistent as_another "$scratch/isolator" doctor 2>&1)
    expect "$? $(check socket | cut -d , -f 1)" "a socket that this user may not use" <<END
3 fail socket $scratch/closed is not accessible to this user
-> sudo usermod -aG docker $(as_another id -un)
END
    chmod 700 "$scratch"
}

test_case 'an engine that hangs, prints garbage or is killed' && {
    for question in '*' version info image gc; do
        faulty "$question * hang" isolator doctor --config "$scratch/hurried.json"
        case $question in
        '*' | version) expected="3 fail engine does not answer: 'docker version' did not end within" ;;
        info) expected="warn limits cannot ask the engine: 'docker info' did not end within" ;;
        image) expected="3 fail images cannot inspect the images: 'docker image' did not end within" ;;
        gc) expected="warn orphans cannot list the containers: 'docker ps' did not end within" ;;
        esac
        has "$status $(check engine)|$(check limits)|$(check images)|$(check orphans)" "${expected#3 }" "an engine that hangs at $question"
        [ "$expected" = "${expected#3 }" ] || is "$status" 3 "an engine that hangs at $question: the status"
    done
    faulty "version * hang" isolator doctor --config "$scratch/hurried.json"
    has "$(check engine)" $'\n-> that is 3 times in a row: if it stays so, sudo systemctl restart docker, which ends all its containers' "an engine that hangs and whose socket exists"
    faulty "* * garbage" isolator doctor --config "$scratch/hurried.json"
    is "$status|$(grep -c '' <<<"$err")" "3|1" "an engine that prints garbage"
    faulty "* * kill" isolator doctor --config "$scratch/hurried.json"
    expect "$status $(check engine)" "a docker that is killed" <<'END'
3 fail engine does not answer: 'docker version' was ended by signal 9
-> sudo systemctl start docker
END
}

test_case 'a signal ends it' && {
    faulty "version 1 hang" start_isolator doctor
    until_true test -e "$calls/version.1"
    kill -TERM "$pid"
    await
    is "$status|$(check engine)" "143|" "a signal ends it"
}

test_case 'a configuration that cannot be read' && {
    echo '{"bogus": 1}' >"$scratch/broken.json"
    isolator doctor --config "$scratch/broken.json"
    expect "$status $(check configuration)" "a configuration with a mistake" <<END
2 fail configuration $scratch/broken.json: bogus: unknown key; the checks below use the built-in configuration
-> fix the file or choose another one; isolator config --schema prints what it may contain
END
    is "$err" "" "nothing on stderr"
    has "$(check engine)" "ok engine Docker " "the checks go on"
    has "$(check 'image python')" " python:3.11-alpine" "with the built-in configuration"
    DOCKER_HOST=unix:///nonexistent isolator doctor --config /nonexistent
    is "$status" 2 "a missing configuration, and no engine: the status"
    has "$(check configuration)" "fail configuration cannot open the configuration '/nonexistent': No such file or directory" "a missing configuration"
    ISOLATOR_CONFIG='' XDG_CONFIG_HOME=/nonexistent DOCKER_HOST=unix:///nonexistent isolator doctor
    is "$(check configuration)" "ok configuration built in; no file was found" "no configuration at all"
}

# ---- colours
# on_terminal VARIABLES: runs doctor on a terminal; $colours are the colours in its output.
on_terminal() {
    script -qec "env $1 DOCKER_HOST=unix:///nonexistent '$ISOLATOR' doctor" /dev/null </dev/null >"$scratch/typescript" 2>&1
    colours=$(grep -o $'\033\\[[1-9][0-9]*m[a-z]*' "$scratch/typescript" | tr -d '\033' | LC_ALL=C sort -u | paste -s -d ' ')
}

test_case 'colours, on a terminal only' && {
    on_terminal "TERM=xterm NO_COLOR="
    is "$colours" "[31mfail [32mok" "on a terminal the words have colours"
    on_terminal "TERM=xterm NO_COLOR=1"
    is "$colours $(grep -c fail "$scratch/typescript")" " 2" "not with NO_COLOR"
    on_terminal "TERM=dumb"
    is "$colours $(grep -c fail "$scratch/typescript")" " 2" "not with TERM=dumb"
    on_terminal "-u TERM"
    is "$colours $(grep -c fail "$scratch/typescript")" " 2" "not without TERM"
}

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    isolator doctor "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case --quick 'Docker 29, with control groups of version 1' && {
    isolator doctor --config "$PWD/test/fixtures/quick.json"
    has "$(check engine)" "ok engine Docker 29.7.2, stand-in, context default" "the engine"
    is "$(check limits)" "ok limits cgroup 1; enforced: memory, swap, processes, CPU time" "the limits"
    is "$(grep -c deprecated <<<"$out") $(check 'engine warnings')" "1 ok engine warnings WARNING: Support for cgroup v1 is deprecated \
and planned to be removed by no later than May 2029 (https://github.com/moby/moby/issues/51111)" "what it warns of is said once"
    has "$(check 'image noshell')" "ok image noshell isolator-test/noshell:1, 1 MB, " "an image whose empty members are left out"
    isolator doctor --json --config "$PWD/test/fixtures/quick.json"
    expect "$(of 'my $v = $by{engine}{values}; join "\n", map { my $o = $v->{$_}; map { "$_ " . ($o->{$_} // "null") } sort keys %$o } qw(versions drivers)')" \
        "--json: versions and drivers" <<'END'
api 1.55
command 29.7.2
containerd v2.3.2
engine 29.7.2
kernel 6.12.0
runc 1.5.0
cgroup cgroupfs
cgroup_version 1
logging json-file
oci_runtime null
storage overlayfs
END
    isolator run --config "$PWD/test/fixtures/quick.json" --language noshell --code hello
    is "$status|$(field reason)|$(field warnings)|$err" "0|exit||" "a run is not warned of that"
}

test_case --quick 'wrong use' && {
    wrong "unknown option '--jsno'; did you mean --json?" "an option misspelt" --jsno
    wrong "unexpected argument 'all'; see isolator doctor --help" "an argument" all
}

test_case --quick 'a full device' && {
    DOCKER_HOST=unix:///nonexistent "$ISOLATOR" doctor >/dev/full 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the checks: No space left on device" "a full device"
}

finish
