#include "base/io.h"

#include <errno.h>
#include <unistd.h>

int io_write_all(int fd, const void *data, size_t length)
{
    const char *rest = data;

    while (length > 0) {
        const ssize_t written = write(fd, rest, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            if (written == 0)
                errno = EIO; /* what takes nothing and says nothing */
            return -1;
        }
        rest += written;
        length -= (size_t)written;
    }
    return 0;
}
