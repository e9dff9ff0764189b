# environment and names of the host
# holds: no variable of isolator or the engine is visible, and the host name is `sandbox`
# timeout: 10

"""Whoever starts isolator may have tokens in the environment. A container gets only the variables of its image,
its language and --env, and no name of the host. The environment of every readable process is compared by
name."""
import glob
import os

KNOWN = {"HOME", "HOSTNAME", "PATH", "PWD", "OLDPWD", "SHLVL", "LANG", "LC_CTYPE", "GPG_KEY", "COPY", "_", "TERM",
         "USER", "LOGNAME"}
found = {"this process": set(os.environ)}
unreadable = 0
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        with open(path, "rb") as file:
            found[path] = {word.split(b"=")[0].decode() for word in file.read().split(b"\0")
                           if word and not word.endswith(b"=")}  # isolator empties those of proxies
    except OSError:
        unreadable += 1
through = ["%s of %s" % (name, where) for where, names in found.items() for name in sorted(names)
           if name not in KNOWN and not name.startswith(("LIMIT_", "PYTHON"))]
names = {os.uname().nodename, open("/etc/hostname").read().strip()}
names |= {os.environ.get(name, "sandbox") for name in ("HOSTNAME", "USER", "LOGNAME")}
through += ["the host name " + name for name in names - {"sandbox"}]
for what in through:
    print("got through:", what)
if not through:
    print("held: %d known variables, %d processes unreadable" % (len(os.environ), unreadable))
