# millions of empty files
# holds: empty files count as memory and are limited by --memory
# ends: oom exit
# timeout: 15
# memory: 32

"""An empty file takes no space in a tmpfs, so the size of the tmpfs does not limit empty files. The default
number of inodes is half of the machine's pages, which is far too many. The limit is the memory of the
container: the kernel charges each inode and name (about 1 kB) to it."""
import errno
import os

most = int(os.environ["LIMIT_MEMORY_BYTES"]) // 256
made = 0
try:
    while made < most:
        os.close(os.open("/tmp/%d" % made, os.O_CREAT | os.O_WRONLY))
        made += 1
    print("got through: %d files" % made)
except OSError as error:
    if error.errno not in (errno.ENOSPC, errno.ENOMEM):
        raise
    print("held: %d files, then %s" % (made, errno.errorcode[error.errno]))
