# sensitive files in /proc and /sys
# holds: the engine's masks hide them: they are empty or cannot be read
# timeout: 10

"""These files reveal the memory of the machine, keys, timers with kernel addresses, disks and firmware tables. The
engine masks them with empty files and directories. Some can be read only by root, and some do not exist."""
import errno
import os

MASKED = ["/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
          "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware", "/proc/kpagecount", 
          "/proc/vmcore", "/sys/kernel/debug", "/sys/kernel/security"]
through = []
for path in MASKED:
    try:
        if os.path.isdir(path):
            if os.listdir(path):
                through.append(path)
        else:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            if os.read(descriptor, 4096):
                through.append(path)
            os.close(descriptor)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EAGAIN):
            raise
for path in through:
    print("got through:", path)
if not through:
    print("held: nothing to read at %d paths" % len(MASKED))
