#include "base/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strbuf.h"

void file_make_directories(const char *path)
{
    CLEANUP_FREE char *copy = string_copy(path);

    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
}

/* The owner first: chown(2) clears bits of the mode. */
static int make_like(int fd, const struct stat *like)
{
    return fchown(fd, like->st_uid, like->st_gid) == 0 ? fchmod(fd, like->st_mode & 07777) : -1;
}

int file_replace(const char *path, const void *data, size_t length, const struct stat *like)
{
    CLEANUP_FREE char *beside = string_format("%s.XXXXXX", path);
    CLEANUP_FD const int fd = mkstemp(beside);
    int saved;

    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (io_write_all(fd, data, length) == 0 && (!like || make_like(fd, like) == 0) &&
        fsync(fd) == 0 && rename(beside, path) == 0)
        return 0;
    saved = errno;
    unlink(beside);
    errno = saved;
    return -1;
}

int file_write(const char *path, const void *data, size_t length)
{
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct stat status;
    int saved;

    if (fd < 0)
        return -1;
    if (io_write_all(fd, data, length) == 0 && close(steal_fd(&fd)) == 0)
        return 0;
    saved = errno;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
    errno = saved;
    return -1;
}
