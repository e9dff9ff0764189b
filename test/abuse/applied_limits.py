# limits as the kernel applies them
# holds: memory, swap, processes, CPU, user, privileges and mounts are as requested
# gvisor: gVisor has no such file, counter or call

"""Reads back from the kernel what the engine was told to apply. An engine may accept an option without applying
it, for example without swap accounting or without a delegated cgroup. Only this attack shows that."""
import os
import resource


def cgroup(*paths):
    """The words of the first file that exists: that of cgroup v1 or that of v2."""
    for path in paths:
        if os.path.exists("/sys/fs/cgroup/" + path):
            with open("/sys/fs/cgroup/" + path) as file:
                return file.read().split()
    return ["none"]


def requested(name):
    return os.environ["LIMIT_" + name]


def own_user():
    """The user and the group that it should have."""
    pinned, _, group = requested("USERS").partition(":")
    if group:
        return pinned, group
    # A user of its own, with the group of that number. An engine that maps users has only those of the second range.
    for bounds in pinned, "10000-59999":
        first, last = map(int, bounds.split("-"))
        if first <= os.getuid() <= last:
            return str(os.getuid()), str(os.getuid())
    return pinned, pinned


with open("/proc/self/status") as file:
    status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
with open("/proc/meminfo") as file:
    has_swap = any(line.startswith("SwapTotal:") and line.split()[1] != "0" for line in file)
user, group = own_user()
memory = int(requested("MEMORY_BYTES"))
swap_v1 = cgroup("memory/memory.memsw.limit_in_bytes")[0]
quota = cgroup("cpu/cpu.cfs_quota_us", "cpu.max")
period = quota[1:] or cgroup("cpu/cpu.cfs_period_us")

seen = {
    "memory": (cgroup("memory/memory.limit_in_bytes", "memory.max")[0], str(memory)),
    "processes": (cgroup("pids/pids.max", "pids.max")[0], requested("PIDS")),
    "CPU quota": (float(quota[0]) / float(period[0]) if quota[0].isdigit() else quota[0],
                  float(requested("CPUS"))),
    "NoNewPrivs": (status["NoNewPrivs"], "1"),
    "Seccomp": (status["Seccomp"], "2"),
    "user": (set(status["Uid"].split()), {user}),
    "group": (set(status["Gid"].split()), {group}),
    "other groups": (set(status["Groups"].split()) - {group}, set()),
    "core dumps": (resource.getrlimit(resource.RLIMIT_CORE), (0, 0)),
    "descriptors": (resource.getrlimit(resource.RLIMIT_NOFILE), (1024, 1024)),
    "/ read-only": (os.statvfs("/").f_flag & os.ST_RDONLY, os.ST_RDONLY),
}
if has_swap or swap_v1 != "none":
    seen["swap"] = ((swap_v1, str(memory)) if swap_v1 != "none" else
                    (cgroup("memory.swap.max")[0], "0"))
for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    seen[kind] = (int(status[kind], 16), 0)
for path, name in ((".", "WORKDIR_BYTES"), ("/tmp", "TMP_BYTES")):
    found, flags = os.statvfs(path), os.ST_NOSUID | os.ST_NODEV
    seen["size of " + path] = (found.f_blocks * found.f_frsize, int(requested(name)))
    seen["nosuid,nodev of " + path] = (found.f_flag & flags, flags)

wrong = [name for name, (is_now, should_be) in seen.items() if is_now != should_be]
for name in wrong:
    print("got through: %s is %s, requested was %s" % ((name,) + seen[name]))
if not wrong:
    print("held: %d limits are as requested" % len(seen))
