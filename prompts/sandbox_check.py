# Checks the sandbox from inside, without a network: the user, writable places, limits, and that the usual ways out are closed. Exit status 1 if one is open.
import os
import shutil
import socket
import sys

failed = 0


def check(good, what):
    global failed
    failed += not good
    print(f"{'ok  ' if good else 'OPEN'} {what}")


def status(name):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return line.split(":", 1)[1].strip()
    return ""


def can_write(directory):
    path = os.path.join(directory, f".sandbox_check-{os.getpid()}")
    try:
        with open(path, "x"):
            pass
        os.unlink(path)
        return True
    except OSError:
        return False


def reaches_out():
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))  # sends nothing; needs a route
                return True
        except OSError:
            pass
    return False


def main():
    check(os.getuid() != 0, "the program is not root")
    check(int(status("CapEff") or "1", 16) == 0, "it has no capabilities")
    check(status("NoNewPrivs") == "1", "it can get no new privileges")
    check(status("Seccomp") == "2", "system calls are filtered")
    check(not reaches_out(), "there is no way to other machines")
    check(not any(map(can_write, ("/", "/etc", "/usr", "/var", "/root"))), "the system is read-only")
    check(not os.path.exists("/var/run/docker.sock"), "the engine is out of reach")
    check(can_write(os.getcwd()), "the working directory can be written to")
    check(can_write("/tmp"), "/tmp can be written to")
    for directory in (os.getcwd(), "/tmp"):
        print(f"     {shutil.disk_usage(directory).total >> 20} MB in {directory}")
    print(f"     {len(os.sched_getaffinity(0))} processors can be seen")
    sys.exit(1 if failed else 0)


main()
