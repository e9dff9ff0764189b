# filling the working directory and /tmp
# holds: each is full (ENOSPC) at its configured size
# timeout: 10
# memory: 256

"""Writes until the file system is full. Both are file systems in memory with a size limit. Without one, a tmpfs
may take half of the machine's memory."""
import errno
import os

failed = False
for path, name in ((".", "WORKDIR_BYTES"), ("/tmp", "TMP_BYTES")):
    limit = int(os.environ["LIMIT_" + name])
    written = 0
    try:
        with open(path + "/filling", "wb", buffering=0) as file:
            while written <= limit:
                written += file.write(bytes(1 << 20))
        print("got through: %d MB in %s, the limit is %d MB" % (written >> 20, path, limit >> 20))
        failed = True
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    os.unlink(path + "/filling")
if not failed:
    print("held: both were full at their size")
