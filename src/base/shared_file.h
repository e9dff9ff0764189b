/*
 * An open file that several owners share: it is closed when the last of them releases it. Bytes are
 * read and written at an offset, so that owners in different threads do not disturb each other.
 */
#ifndef BASE_SHARED_FILE_H
#define BASE_SHARED_FILE_H

#include <stddef.h>

#include "base/error.h"

struct shared_file;

/* Bytes of a file. */
struct file_range {
    struct shared_file *file; /* a reference, owned; NULL: no bytes */
    long long offset, length;
};

/* Takes over the descriptor. The caller owns the one reference. */
struct shared_file *shared_file_new(int fd);

/*
 * The same with a new, empty file without a name (see linux_unnamed_disk_file()). NULL with
 * ERROR_SYSTEM.
 */
struct shared_file *shared_file_create(struct error *error);

/* Returns one more reference to the same file. */
struct shared_file *shared_file_share(struct shared_file *file);

/* Drops the reference, which may be NULL. */
void shared_file_release(struct shared_file *file);

/* The descriptor, borrowed. */
int shared_file_fd(const struct shared_file *file);

/* Return 0, or -1 with errno. Reading beyond the end of the file is ENODATA. */
int shared_file_read(const struct shared_file *file, long long offset, void *data, size_t length);
int shared_file_write(struct shared_file *file, long long offset, const void *data, size_t length);

/* Makes it end there. 0, or -1 with errno. */
int shared_file_truncate(struct shared_file *file, long long length);

#endif
