#!/usr/bin/env bash
# shellcheck disable=SC2016 # what stands in single quotes is for the sandbox
# What every container gets: seen from inside, by what a program may do, and by the engine's record.
. "$(dirname "$0")/lib.sh"

# ---- from inside
code py 'import os, resource, stat
def show(name, value): print(name + ":", value)
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
show("root", os.statvfs("/").f_flag & os.ST_RDONLY)
show("environment of the host", "ISOLATOR_CONFIG" in os.environ)
show("descriptors", sorted(os.listdir("/proc/self/fd"))[:-1])
for path, directories, files in os.walk("/"):
    if path == "/": directories.remove("proc")
    for name in [""] + files:
        name = os.path.join(path, name)
        if os.access(name, os.W_OK) and not os.path.islink(name) and not stat.S_ISCHR(os.stat(name).st_mode):
            print("writable:", name)' 
is "$(field stdout | sed 's/snippet-.*\.py/FILE/' | sort)" "$(sort <<'END'
Uid: 65534 65534 65534 65534
Gid: 65534 65534 65534 65534
Groups: 65534
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
/workspace: (65534, 65534, 64, ['NOSUID', 'NODEV'])
/tmp: (65534, 65534, 64, ['NOSUID', 'NODEV'])
root: 1
environment of the host: False
descriptors: ['0', '1', '2']
writable: /dev/shm/
writable: /dev/mqueue/
writable: /tmp/
writable: /workspace/
writable: /workspace/FILE
END
)" "what a program sees of its sandbox"
is "$(field warnings)" "" "no warnings"

run test/fixtures/probe.py -- memory swap cpus pids
is "$(field stdout)" "memory=268435456 swap=0 cpus=0.5 pids=64" "the limits of the control group"

# ---- what a program may do
code py 'import ctypes, errno, os, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)
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
call("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
call("unshare a user namespace", libc.unshare(0x10000000))
call("unshare the network", libc.unshare(0x40000000))
call("sethostname", libc.sethostname(b"x", 1))
call("setuid", libc.setuid(0))
call("mknod", libc.mknod(b"/tmp/device", 0o60600, os.makedev(8, 0)))
call("chroot", libc.chroot(b"/tmp"))
attempt("raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("the network", lambda: connect(("1.1.1.1", 53)))
attempt("the host", lambda: connect(("172.17.0.1", 22)))
attempt("chown", lambda: os.chown("/tmp", 0, 0))
attempt("nice", lambda: os.nice(-1))
attempt("more descriptors", lambda: __import__("resource").setrlimit(7, (4096, 4096)))
attempt("a core", lambda: __import__("resource").setrlimit(4, (4096, 4096)))
for path in ["/x", "/etc/passwd", "/usr/bin/x", "/var/tmp/x", "/dev/x", "/proc/sys/kernel/core_pattern"]:
    attempt(path, lambda: write(path))
for path in ["./x", "/tmp/x"]: attempt(path, lambda: write(path))
open("/tmp/run", "w").write("#!/bin/sh\necho ran\n"); os.chmod("/tmp/run", 0o4755)
print("exec in /tmp:", subprocess.run(["/tmp/run"], capture_output=True, text=True).stdout.strip())'
is "$(field stdout)" "mount: EPERM
unshare a user namespace: EPERM
unshare the network: EPERM
sethostname: EPERM
setuid: EPERM
mknod: EPERM
chroot: EPERM
raw socket: EPERM
packet socket: EPERM
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
/dev/x: EACCES
/proc/sys/kernel/core_pattern: EROFS
./x: done
/tmp/x: done
exec in /tmp: ran" "what a program may do"

code py 'import errno, os
for path in ["x", "/tmp/x"]:
    written = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while True: written += file.write(bytes(1 << 20))
    except OSError as e: print(path, written >> 20, errno.errorcode[e.errno])
    os.unlink(path)'
is "$(field stdout)" "x 63 ENOSPC
/tmp/x 64 ENOSPC" "workdir and /tmp are full at their size"

code py 'import os, time
children = 0
try:
    while children < 1000:
        if os.fork() == 0: time.sleep(60)
        children += 1
except OSError as e: print(e.errno)
print(20 < children < 64)'
is "$status $(field stdout)" "0 11
True" "processes end at the limit"

code sh 'bomb() { bomb | bomb & }; bomb; sleep 60' --timeout 2s
is "$status $(field status)" "124 timeout" "a fork bomb ends at the timeout"
is "$(own_containers)" "" "a fork bomb: the container is gone"

# ---- from outside, while it runs
engine_says() { docker inspect --format "$1" "$(own_containers)"; }

hardening='{{with .HostConfig}}network={{.NetworkMode}} ro={{.ReadonlyRootfs}} memory={{.Memory}} swap={{.MemorySwap}} cpus={{.NanoCpus}} pids={{.PidsLimit}}
add={{with .CapAdd}}{{.}}{{end}} drop={{.CapDrop}} privileged={{.Privileged}} security={{.SecurityOpt}}
ipc={{.IpcMode}} pid={{.PidMode}} uts={{.UTSMode}} user={{.UsernsMode}}
ulimits={{range .Ulimits}}{{.Name}}:{{.Soft}}:{{.Hard}},{{end}}
log={{.LogConfig.Type}} restart={{.RestartPolicy.Name}} binds={{with .Binds}}{{.}}{{end}} devices={{with .Devices}}{{.}}{{end}}{{end}}
user={{.Config.User}} hostname={{.Config.Hostname}} tty={{.Config.Tty}} health={{.Config.Healthcheck.Test}}'
hardened='network=none ro=true memory=268435456 swap=268435456 cpus=500000000 pids=64
add= drop=[ALL] privileged=false security=[no-new-privileges]
ipc=private pid= uts= user=
ulimits=core:0:0,nofile:1024:1024,
log=none restart=no binds= devices=
user=65534:65534 hostname=sandbox tty=false health=[NONE]'
label() { engine_says "{{index .Config.Labels \"isolator.$1\"}}"; }

before=$(date +%s)
start -v --timeout 100s "$(snippet sh 'sleep 60')"
until_running
is "$(engine_says "$hardening")" "$hardened" "the engine's record"
is "$(engine_says '{{len .Mounts}} {{len .HostConfig.Tmpfs}} {{.HostConfig.AutoRemove}}')" "0 2 true" \
    "no mount, two tmpfs, removed by the engine when it ends"
is "$(engine_says '{{range $path, $options := .HostConfig.Tmpfs}}{{$path}} {{$options}}
{{end}}')" "/tmp rw,exec,nosuid,nodev,size=64m,uid=65534,gid=65534,mode=0700
/workspace rw,exec,nosuid,nodev,size=64m,uid=65534,gid=65534,mode=0700" "the tmpfs"
has "$(own_containers)" isolator- "the name is ours"
is "$(label host)" "$(uname -n)" "label: host"
is "$(label boot)" "$(cat /proc/sys/kernel/random/boot_id)" "label: boot"
is "$(label pid)" "$pid" "label: pid"
is "$(label start)" "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)" "label: start"
within "$(label deadline)" "$((before + 100))" "$(($(date +%s) + 100 + 300))" "label: deadline"
kill -TERM "$pid"
await
is "$(field reason)" cancelled "the container under inspection ran till then"

# The life without a gate: the same, but for what its warning says.
start -v --timeout 100s "$(snippet txt text)" -- --sleep=60
until_true eval 'docker top "$(own_containers)" >"$scratch/top" 2>&1'
is "$(engine_says "$hardening")" "$hardened" "no shell: the engine's record"
is "$(engine_says '{{range .Mounts}}{{.Type}} {{.Destination}}{{end}} {{len .HostConfig.Tmpfs}} {{.HostConfig.AutoRemove}}')" \
    "volume /workspace 1 false" "no shell: one volume, no other mount"
is "$(label pid)" "$pid" "no shell: label pid"
kill -TERM "$pid"
await
is "$(field reason)" cancelled "no shell: the container under inspection ran till then"

# ---- what docker is told
faulty "" run prompts/hello_world.py --env SECRET=sesame
is "$status $(docker_calls)" "0 create start rm" "three calls of docker for a run"
is "$(grep -A 1 -x -e --pull "$calls/create.1")" "--pull
never" "nothing is pulled"
is "$(grep -l -r sesame "$calls")" "" "values of --env are in no argument"
faulty "" run "$(snippet txt text)" --env SECRET=sesame
is "$status $(cat "$calls"/create.* | grep -c -x never)" "0 2" "no shell: nothing is pulled"
is "$(grep -l -r sesame "$calls")" "" "no shell: values of --env are in no argument"

# ---- busybox: the same container, filled and left by other tools
code ash 'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp|Uid|Gid):" /proc/self/status; hostname; ls /sys/class/net
ulimit -c; ulimit -n; pwd
find / "(" -path /proc -o -path /sys ")" -prune -o -type d -exec test -w {} ";" -print | sort
df -P -k . /tmp | tail -n 2; ls -A' --workdir-size 10 --tmp-size 20
is "$(field stdout | sed 's/snippet.*ash/FILE/' | tr -s ' \t' ' ' | sed 's/^\(tmpfs [0-9]*\) .* /\1 /')" "Uid: 65534 65534 65534 65534
Gid: 65534 65534 65534 65534
CapEff: 0000000000000000
CapBnd: 0000000000000000
NoNewPrivs: 1
Seccomp: 2
sandbox
lo
0
1024
/workspace
/dev/mqueue
/dev/shm
/tmp
/workspace
tmpfs 10240 /workspace
tmpfs 20480 /tmp
FILE" "busybox: what a program sees of its sandbox"

# ---- the docker command's own secrets
# With these in its configuration the docker command gives them to every container it creates.
mkdir "$scratch/docker"
echo '{"proxies": {"default": {"httpProxy": "http://user:hidden@proxy:1", "noProxy": "hidden"}}}' \
    >"$scratch/docker/config.json"
secrets='tr "\\0" "\\n" </proc/self/environ; cat /proc/[0-9]*/environ 2>/dev/null'
DOCKER_CONFIG=$scratch/docker run --env HTTP_PROXY=own "$(snippet ash "$secrets")"
hasnt "$out" hidden "the proxies of the docker command reach nothing"
has "$(field stdout)" "HTTP_PROXY=own" "a proxy of --env does"
DOCKER_CONFIG=$scratch/docker run --network bridge "$(snippet ash "$secrets")"
has "$out" "http_proxy=http://user:hidden@proxy:1" "with a network they do"

# ---- process 1 cannot be looked into
run "$(snippet py 'import ctypes, os
print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))
for name in "mem", "environ", "fd/0", "fd/3":
    try: os.close(os.open("/proc/1/" + name, os.O_RDONLY)); print(name, "opened")
    except OSError as error: print(name, error.strerror)')"
is "$(field stdout)" "-1
mem Permission denied
environ Permission denied
fd/0 Permission denied
fd/3 Permission denied" "a program can neither trace process 1 nor open what it holds"

finish
