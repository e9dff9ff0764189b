#!/usr/bin/env bash
# What every container gets: seen from inside, by what a program may do, and by the engine's record.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"
. test/e2e/batch.sh

# part NAME: the program's output below this headline.
part() { field stdout | sed -n "/^== $1\$/,/^== /{/^== /!p}"; }

# either DOCKER PODMAN: prints what is expected of the engine of this test.
either() { if engine_is podman; then echo "$2"; else echo "$1"; fi; }
podman_is_4() { engine_is podman && [[ $(docker version --format '{{.Client.Version}}') = 4.* ]]; }

# ---- from inside

test_case 'what a program sees and may do in its container' && {
    code py 'import ctypes, errno, os, resource, socket, stat, subprocess, time
libc = ctypes.CDLL(None, use_errno=True)
def show(name, value): print(name + ":", value)
def call(name, result):
    print(name + ":", "done" if result >= 0 else errno.errorcode[ctypes.get_errno()])
def attempt(name, function):
    try: function(); print(name + ": done")
    except OSError as e: print(name + ":", errno.errorcode[e.errno])
    except ValueError as e: print(name + ":", e)
def connect(address):
    socket.create_connection(address, timeout=5)
def write(path):
    open(path, "w").write("x")

print("== it sees")
for line in open("/proc/self/status"):
    if line.startswith(("Cap", "NoNewPrivs", "Seccomp:", "Uid", "Gid", "Groups")): print(" ".join(line.split()))
show("hostname", os.uname().nodename)
show("core", resource.getrlimit(resource.RLIMIT_CORE))
show("nofile", resource.getrlimit(resource.RLIMIT_NOFILE))
show("interfaces", os.listdir("/sys/class/net"))
show("workdir", os.getcwd())
show("shared memory", os.listdir("/dev/shm"))
for path in ["/workspace", "/tmp"]:
    s, v = os.stat(path), os.statvfs(path)
    flags = [name for name in ["RDONLY", "NOSUID", "NODEV", "NOEXEC"] if v.f_flag & getattr(os, "ST_" + name)]
    show(path, (s.st_uid, s.st_gid, v.f_blocks * v.f_frsize >> 20, flags))
show("few files", [os.statvfs(path).f_files == 32768 for path in ["/workspace", "/tmp", "/dev/shm"]])
show("root", os.statvfs("/").f_flag & os.ST_RDONLY)
show("environment of the host", "ISOLATOR_CONFIG" in os.environ)
show("descriptors", sorted(os.listdir("/proc/self/fd"))[:-1])
for path, directories, files in os.walk("/"):
    if path == "/": directories.remove("proc")
    for name in [""] + files:
        name = os.path.join(path, name)
        if os.access(name, os.W_OK) and not os.path.islink(name) and not stat.S_ISCHR(os.stat(name).st_mode):
            print("writable:", name)

print("== it may do")
call("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
call("unshare a user namespace", libc.unshare(0x10000000))
call("unshare the network", libc.unshare(0x40000000))
call("sethostname", libc.sethostname(b"x", 1))
call("setuid", libc.setuid(0))
call("mknod", libc.mknod(b"/tmp/device", 0o60600, os.makedev(8, 0)))
call("chroot", libc.chroot(b"/tmp"))
attempt("raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255))
attempt("packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("the network", lambda: connect(("1.1.1.1", 53)))
attempt("the host", lambda: connect(("172.17.0.1", 22)))
attempt("chown", lambda: os.chown("/tmp", 0, 0))
attempt("nice", lambda: os.nice(-1))
attempt("more descriptors", lambda: resource.setrlimit(7, (4096, 4096)))
attempt("a core", lambda: resource.setrlimit(4, (4096, 4096)))
for path in ["/x", "/etc/passwd", "/usr/bin/x", "/var/tmp/x", "/dev/x", "/proc/sys/kernel/core_pattern"]:
    attempt(path, lambda: write(path))
for path in ["./x", "/tmp/x"]: attempt(path, lambda: write(path))
open("/tmp/run", "w").write("#!/bin/sh\necho ran\n"); os.chmod("/tmp/run", 0o4755)
print("exec in /tmp:", subprocess.run(["/tmp/run"], capture_output=True, text=True).stdout.strip())
os.unlink("/tmp/run")

print("== process 1")
call("trace", libc.ptrace(16, 1, 0, 0))
for name in "mem", "environ", "fd/0", "fd/3": attempt(name, lambda: os.open("/proc/1/" + name, os.O_RDONLY))
attempt("oom_score_adj", lambda: write("/proc/1/oom_score_adj"))

print("== until it is full")
for path in ["x", "/tmp/x"]:
    written = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while True: written += file.write(bytes(1 << 20))
    except OSError as e: print(path, written >> 20, errno.errorcode[e.errno])
    os.unlink(path)
children = 0
try:
    while children < 1000:
        if os.fork() == 0: time.sleep(1000000)
        children += 1
except OSError as e: print(errno.errorcode[e.errno], 20 < children < 64)' --timeout 10m

    is "$(part 'it sees' | sed 's/snippet-.*\.py/FILE/' | own_users | sort)" "$(sort <<END
Uid: OWN OWN OWN OWN
Gid: OWN OWN OWN OWN
Groups: OWN
CapInh: 0000000000000000
CapPrm: 0000000000000000
CapEff: 0000000000000000
CapBnd: 0000000000000000
CapAmb: 0000000000000000
NoNewPrivs: 1
Seccomp: 2
hostname: sandbox
core: (0, 0)
nofile: (1024, 1024)
interfaces: ['lo']
workdir: /workspace
shared memory: []
/workspace: (OWN, OWN, 64, ['NOSUID', 'NODEV'])
/tmp: (OWN, OWN, 64, ['NOSUID', 'NODEV'])
few files: $(either '[True, True, True]' '[False, False, False]')
root: 1
environment of the host: False
descriptors: ['0', '1', '2']
writable: /.isolator/
writable: /dev/shm/
writable: /dev/mqueue/
writable: /tmp/
writable: /workspace/
writable: /workspace/FILE
END
)" "what a program sees of its container"
    # podman's profile of system calls has no chroot, and podman 5 makes /dev read-only.
    dev=$(either EACCES EROFS)
    ! podman_is_4 || dev=EACCES
    is "$(part 'it may do')" "mount: EPERM
unshare a user namespace: EPERM
unshare the network: EPERM
sethostname: EPERM
setuid: EPERM
mknod: EPERM
chroot: $(either EPERM ENOSYS)
raw socket: EPERM
packet socket: EAFNOSUPPORT
the network: ENETUNREACH
the host: ENETUNREACH
chown: EPERM
nice: EPERM
more descriptors: not allowed to raise maximum limit
a core: not allowed to raise maximum limit
/x: EROFS
/etc/passwd: EROFS
/usr/bin/x: EROFS
/var/tmp/x: EROFS
/dev/x: $dev
/proc/sys/kernel/core_pattern: EROFS
./x: done
/tmp/x: done
exec in /tmp: ran" "what a program may do"
    is "$(part 'process 1')" "trace: EPERM
mem: EACCES
environ: EACCES
fd/0: EACCES
fd/3: EACCES
oom_score_adj: EACCES" "a program can neither trace process 1, nor open its files, nor offer it to the OOM killer"
    is "$(part 'until it is full')" "x 63 ENOSPC
/tmp/x 64 ENOSPC
EAGAIN True" "workdir and /tmp are full at their size, and processes end at the limit"
    is "$status $(field warnings)" "0 the limit of 64 processes and threads (pidsLimit, --pids-limit) kept 1 from starting" "one warning"
}

test_case 'a fork bomb ends at the timeout' && {
    code sh 'bomb() { bomb | bomb & }; bomb; sleep 1000000' --timeout 2s
    is "$status $(field status)" "124 timeout" "a fork bomb ends at the timeout"
    is "$(own_containers)" "" "a fork bomb: the container is gone"
}

# ---- in each kind of container

test_case 'each kind of container has the guards of kernel memory' && {
    program=$(perl -MJSON::PP -0777 -ne 'print JSON::PP->new->allow_nonref->encode($_)' test/fixtures/guards.py)
    tests='"tests": [{"no_expected": true}, {"no_expected": true}]'
    cat >"$scratch/lines" <<END
{"id": "run", "language": "python", "entrypoint_code": $program}
{"id": "cell", "language": "python", "entrypoint_code": $program, "session": "one"}
{"id": "forks", "language": "python", "entrypoint_code": $program, $tests}
{"id": "checker", "language": "python", "entrypoint_code": "", "tests": [{"expected_stdout": ""}], "checker": {"language": "python", "code": $program}}
END
    printed='map { "$r->{id}: $_" =~ s/\n*$/\n/r } $r->{tests} ? map { $_->{error} // $_->{stdout} } @{$r->{tests}} : $r->{stdout}'
    batch_with '{"warm": {"python": 0}}' -j 1 "$scratch/lines"
    found=$(results "$printed")
    sed -n 's/"id": "run"/"id": "job"/p; s/"id": "forks"/"id": "tests of a job"/p' "$scratch/lines" >"$scratch/jobs"
    batch --detach "$scratch/jobs"
    isolator wait --all
    found+=$'\n'$(results "$printed" | sort)
    sed -n 's/"id": "run"/"id": "shared"/p' "$scratch/lines" | sed 'p' >"$scratch/shared"
    batch -j 1 --share "$scratch/shared"
    found+=$'\n'$(results "$printed" | sort)
    [ "$(nproc)" = 1 ] || found+=$'\n'$(warm "\"entrypoint_code\": $program") # on one core a batch keeps none
    answers='ENOSPC ENOSYS EPERM EPERM ENODEV EPROTONOSUPPORT EPROTONOSUPPORT metrics 1 '$(either 'files True' 'files False')
    expect "$(sed '/^$/d' <<<"$found")" "what the guards answer" <<END
run: $answers
cell: $answers
forks: $answers
forks: $answers
checker: $answers
job: $answers
tests of a job: $answers
tests of a job: $answers
shared: $answers
shared: $answers$([ "$(nproc)" = 1 ] || echo $'\n'"ready success $answers")
END
}

# ---- from outside, while it runs
# What the engine says of the container, with its user as OWN; other numbers may look like that of a user.
# The name of a volume is VOLUME; podman 5.8 leaves out that it is writable. The limits of setrlimit(2) are sorted.
engine_says() {
    docker inspect --format "$1" "$(own_containers)" |
        sed -E 's/(user=|uid=|gid=|:)19[0-6][0-9]{4}\b/\1OWN/g; s/\b[0-9a-f]{64}\b/VOLUME/; s/:rw,rprivate/:rprivate/; s/^(name=.*-)[0-9a-f]{16}$/\1ID/' |
        perl -pe 's/^ulimits=\K.*/join ",", sort split ",", $&/e'
}

hardening='{{with .HostConfig}}network={{.NetworkMode}}
ro={{.ReadonlyRootfs}}
memory={{.Memory}}
swap={{.MemorySwap}}
cpus={{.NanoCpus}}
pids={{.PidsLimit}}
add={{with .CapAdd}}{{.}}{{end}}
drop={{.CapDrop}}
privileged={{.Privileged}}
security={{.SecurityOpt}}
ipc={{.IpcMode}}
pid={{.PidMode}}
uts={{.UTSMode}}
user={{.UsernsMode}}
ulimits={{range .Ulimits}}{{.Name}}:{{.Soft}}:{{.Hard}},{{end}}
log={{.LogConfig.Type}}
restart={{.RestartPolicy.Name}}
binds={{with .Binds}}{{.}}{{end}}
devices={{with .Devices}}{{.}}{{end}}{{end}}
user={{.Config.User}}
hostname={{.Config.Hostname}}
tty={{.Config.Tty}}
health={{.Config.Healthcheck.Test}}
mounts={{range .Mounts}}{{.Type}} {{.Destination}}{{end}}
tmpfs={{len .HostConfig.Tmpfs}}
rm={{.HostConfig.AutoRemove}}
name={{.Name}}
pid={{index .Config.Labels "isolator.pid"}}'
# hardened MOUNTS TMPFS [PODMAN-BINDS PODMAN-REMOVES]: the expected values. podman names what it drops of its own capabilities, says
# "private" for a namespace of the container's own, and is told the profile of system calls and the limit of all processes
# of the user. podman 4 has three capabilities more, calls a namespace "shareable" even if it is
# not, and has an empty name for no restarts.
hardened() {
    local podman_drop='CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_KILL CAP_NET_BIND_SERVICE CAP_SETFCAP'
    local ipc=private restart=no
    podman_drop+=' CAP_SETGID CAP_SETPCAP CAP_SETUID CAP_SYS_CHROOT'
    if podman_is_4; then
        podman_drop='CAP_AUDIT_WRITE CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_KILL CAP_MKNOD'
        podman_drop+=' CAP_NET_BIND_SERVICE CAP_NET_RAW CAP_SETFCAP CAP_SETGID CAP_SETPCAP CAP_SETUID CAP_SYS_CHROOT'
        ipc=shareable restart=
    fi
    cat <<END
network=none
ro=true
memory=268435456
swap=268435456
cpus=500000000
pids=64
add=
drop=[$(either ALL "$podman_drop")]
privileged=false
security=[no-new-privileges$(either '' ' seccomp=/dev/fd/3')]
ipc=$ipc
pid=$(either '' private)
uts=$(either '' private)
user=
ulimits=$(either core:0:0,nofile:1024:1024 RLIMIT_CORE:0:0,RLIMIT_NOFILE:1024:1024,RLIMIT_NPROC:32768:32768)
log=none
restart=$restart
binds=$(either '' "${3-}")
devices=
user=OWN:OWN
hostname=sandbox
tty=false
health=[NONE]
mounts=$1
tmpfs=$2
rm=$(either true "${4-true}")
name=$(either /isolator-ID isolator-ID)
pid=$pid
END
}

test_case "the engine's record of a container, and SIGTERM while the program runs" && {
    before=$(date +%s) propagation=$(either '' ,rprivate)
    start -v --timeout 1h "$(snippet sh 'sleep 1000000')"
    until_running
    said=$(engine_says "$hardening
{{range \$path, \$options := .HostConfig.Tmpfs}}{{\$path}} {{\$options}}
{{end}}{{with .Config.Labels}}{{index . \"isolator.host\"}}
{{index . \"isolator.boot\"}}
{{index . \"isolator.start\"}}
{{index . \"isolator.deadline\"}}{{end}}")
    expect "$(sed '$d' <<<"$said")" "the engine's record: no mount, four tmpfs, removed by the engine when it ends; the labels" <<END
$(hardened '' 4)
/.isolator rw,exec,nosuid,nodev,size=1m,$(either nr_inodes=512, '')uid=OWN,gid=OWN,mode=0700$propagation
/dev/shm rw,noexec,nosuid,nodev,size=64m,$(either nr_inodes=32768, '')mode=1777$propagation
/tmp rw,exec,nosuid,nodev,size=64m,$(either nr_inodes=32768, '')uid=OWN,gid=OWN,mode=0700$propagation
/workspace rw,exec,nosuid,nodev,size=64m,$(either nr_inodes=32768, '')uid=OWN,gid=OWN,mode=0700$propagation
$(uname -n)
$(cat /proc/sys/kernel/random/boot_id)
$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)
END
    # The timeout, the time for the engine (eight times engineTimeoutSeconds, see test/setup), a minute, and three in which
    # persons may be asked about tools.
    lifetime=$((3600 + 8 * 300 + 60 + 180))
    within "${said##*$'\n'}" "$((before + lifetime))" "$(($(date +%s) + lifetime + 1))" "label: deadline"
    kill -TERM "$pid"
    await
    is "$status $(field status exitCode reason error)" "143 error 137 cancelled cancelled while the program ran" \
        "SIGTERM while the program runs"
    is "$(own_containers)" "" "SIGTERM while the program runs: the container is gone"
}

test_case "no shell: the engine's record, and many signals while the program runs" && {
    # The supervisor comes in a volume; all else is the same.
    faulty "" start --timeout 1h --env SECRET=sesame "$(snippet txt text)" -- --sleep=1000000
    until_true eval 'processes_of "$(own_containers)" >"$scratch/top" 2>&1'
    expect "$(engine_says "$hardening")" "no shell: the engine's record: one volume, no other mount" <<END
$(hardened 'volume /.isolator' 3 '[VOLUME:/.isolator:rprivate,nosuid,nodev,rbind]' false)
END
    kill -TERM "$pid"
    kill -TERM "$pid"
    kill -TERM "$pid"
    await
    is "$status $(field status exitCode reason error)" "143 error 137 cancelled cancelled while the program ran" \
        "no shell: many signals while the program runs"
    is "$(own_containers)" "" "no shell: many signals while the program runs: the container is gone"
    is "$(cat "$calls"/run.* "$calls"/create.* | grep -c -x never)" 2 "no shell: nothing is pulled"
    is "$(grep -l -r sesame "$calls")" "" "no shell: values of --env are in no argument"
}

# ---- busybox: the same container, with other tools; the arguments of docker; its secrets
# The docker command gives these proxies of its configuration to every container that it creates.
mkdir "$scratch/docker"
echo '{"proxies": {"default": {"httpProxy": "http://user:hidden@proxy:1", "noProxy": "hidden"}}}' \
    >"$scratch/docker/config.json"
# podman gives those of its own environment instead.
with_proxies() { # COMMAND...
    if engine_is podman; then
        local http_proxy=http://user:hidden@proxy:1 no_proxy=hidden
        export http_proxy no_proxy
    else
        local DOCKER_CONFIG=$scratch/docker
        export DOCKER_CONFIG
    fi
    "$@"
}
secrets='echo "== environment"; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"'

test_case 'busybox: what a program sees; no secret reaches an argument or the program' && {
    with_proxies faulty "" code ash 'echo "== it sees"
grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp|Uid|Gid):" /proc/self/status; hostname; ls /sys/class/net
ulimit -c; ulimit -n; pwd
find / "(" -path /proc -o -path /sys ")" -prune -o -type d -exec test -w {} ";" -print | sort
df -P -k . /tmp | tail -n 2; ls -A
'"$secrets" --workdir-size 10 --tmp-size 20 --env SECRET=sesame --env HTTP_PROXY=own
    is "$status $(docker_calls)" "0 run" "a run takes one call of docker: the engine removes an ended container itself"
    is "$(grep -A 1 -x -e --pull "$calls/run.1")" "--pull
never" "nothing is pulled"
    is "$(grep -l -r sesame "$calls")" "" "values of --env are in no argument"
    is "$(part 'it sees' | sed 's/snippet.*ash/FILE/' | tr -s ' \t' ' ' | sed 's/^\(tmpfs [0-9]*\) .* /\1 /' | own_users)" "Uid: OWN OWN OWN OWN
Gid: OWN OWN OWN OWN
CapEff: 0000000000000000
CapBnd: 0000000000000000
NoNewPrivs: 1
Seccomp: 2
sandbox
lo
0
1024
/workspace
/.isolator
/dev/mqueue
/dev/shm
/tmp
/workspace
tmpfs 10240 /workspace
tmpfs 20480 /tmp
FILE" "busybox: what a program sees of its container"
    hasnt "$out" hidden "the proxies of docker's configuration do not reach the program"
    has "$(part environment)" "HTTP_PROXY=own" "a proxy of --env does reach it"
}

test_case "no shell: no secret of docker's configuration reaches the program" && {
    with_proxies run "$(snippet txt '')" -- --cat /proc/self/environ
    is "$status $(grep -c hidden "$scratch/out")" "0 0" "no shell: the proxies do not reach the program"
}

test_case "with a network the proxies of docker's configuration are set" && {
    with_proxies run --network bridge "$(snippet ash "$secrets")"
    has "$out" "http_proxy=http://user:hidden@proxy:1" "the proxy is set"
}

finish
