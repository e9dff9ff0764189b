#include "base/shared_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/linux.h"
#include "base/memory.h"

struct shared_file {
    int fd; /* owned */
    atomic_int references;
};

struct shared_file *shared_file_new(int fd)
{
    struct shared_file *file = memory_allocate(sizeof *file);

    file->fd = fd;
    atomic_init(&file->references, 1);
    return file;
}

struct shared_file *shared_file_create(struct error *error)
{
    const int fd = linux_unnamed_disk_file();

    if (fd >= 0)
        return shared_file_new(fd);
    error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    return NULL;
}

struct shared_file *shared_file_share(struct shared_file *file)
{
    atomic_fetch_add(&file->references, 1);
    return file;
}

void shared_file_release(struct shared_file *file)
{
    if (!file || atomic_fetch_sub(&file->references, 1) > 1)
        return;
    close(file->fd);
    free(file);
}

int shared_file_fd(const struct shared_file *file)
{
    return file->fd;
}

int shared_file_read(const struct shared_file *file, long long offset, void *data, size_t length)
{
    char *to = data;

    while (length > 0) {
        const ssize_t got = pread(file->fd, to, length, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = ENODATA;
        if (got <= 0)
            return -1;
        to += got;
        offset += got;
        length -= (size_t)got;
    }
    return 0;
}

int shared_file_write(struct shared_file *file, long long offset, const void *data, size_t length)
{
    const char *from = data;

    while (length > 0) {
        const ssize_t put = pwrite(file->fd, from, length, (off_t)offset);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        from += put;
        offset += put;
        length -= (size_t)put;
    }
    return 0;
}

int shared_file_truncate(struct shared_file *file, long long length)
{
    return ftruncate(file->fd, (off_t)length);
}
