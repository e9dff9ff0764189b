/*
 * Writes a tar archive to an unnamed file, in GNU format, so that names of any length and of any
 * bytes survive. This module does not know where the entries come from or go to.
 *
 * Owners, modes and times are set by the rules below and never copied, so that neither the host's
 * users nor a setuid bit get into an archive.
 */
#ifndef BASE_ARCHIVE_H
#define BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/manifest.h"
#include "base/shared_file.h"

struct archive {
    int file;  /* owned, without a name; -1 while closed */
    uid_t uid; /* owner of every entry */
    gid_t gid;
    struct manifest *manifest; /* remembers each file that is added; borrowed; NULL: none */
    struct sha256 digest;      /* of the file that is being added, if there is a manifest */
};

#define ARCHIVE_INIT                                                                               \
    {                                                                                              \
        .file = -1                                                                                 \
    }

/* The largest user or group id that the header of an entry can hold: seven octal digits. */
enum { ARCHIVE_ID_MAX = 07777777 };

/* The largest file. libtar's sizes are ints. */
#define ARCHIVE_FILE_MAX 0x7fffffffLL

/*
 * Each file that is added is also added to `manifest`, which may be NULL; archive_finish() sorts
 * it. ERROR_SYSTEM.
 */
int archive_open(struct archive *archive, uid_t uid, gid_t gid, struct manifest *manifest,
                 struct error *error);

/* Bytes of files that are few: with more, an archive that may be on the disk should be there. */
enum { ARCHIVE_IN_MEMORY_MAX = 1 << 20 };

/* The same for large files: the archive is on the disk (see linux_unnamed_disk_file()). */
int archive_open_on_disk(struct archive *archive, uid_t uid, gid_t gid, struct manifest *manifest,
                         struct error *error);

/*
 * Adds an entry. Names are relative paths without a slash at the end. Directories get mode 0755.
 * ERROR_SYSTEM, also in the functions below.
 */
int archive_add_directory(struct archive *archive, const char *name, time_t modified,
                          struct error *error);
/* The same with mode 0711: only who knows a name finds what is in it. */
int archive_add_unlisted_directory(struct archive *archive, const char *name, struct error *error);
/* A FIFO that everyone may read and write who finds it. */
int archive_add_fifo(struct archive *archive, const char *name, struct error *error);
int archive_add_symlink(struct archive *archive, const char *name, const char *target,
                        struct error *error);

/* Adds a file of mode 0644. More than ARCHIVE_FILE_MAX bytes are an ERROR_INPUT. */
int archive_add_bytes(struct archive *archive, const char *name, const char *data, size_t length,
                      struct error *error);

/* The same with bytes of an open file. If it ends before them, that is an ERROR_INPUT. */
int archive_add_range(struct archive *archive, const char *name, const struct file_range *range,
                      struct error *error);

/*
 * Adds a file that is read from the descriptor, which is borrowed, from its current offset. It must
 * have exactly `size` bytes from there: a file that shrinks or grows while it is read is an
 * ERROR_INPUT that names it, and so is a file of more than ARCHIVE_FILE_MAX bytes.
 */
int archive_add_file(struct archive *archive, const char *name, int fd, off_t size, bool executable,
                     time_t modified, struct error *error);

/*
 * Adds all entries of a finished archive, which the manifest does not get, and finishes this one
 * with it.
 */
int archive_finish_with(struct archive *archive, const struct archive *last, struct error *error);

/* Writes the end of the archive; nothing can be added afterwards. */
int archive_finish(struct archive *archive, struct error *error);

/*
 * Return the unnamed file, borrowed, and its size in bytes so far. The offset of the file is at its
 * end.
 */
int archive_file(const struct archive *archive);
off_t archive_size(const struct archive *archive);

void archive_release(struct archive *archive);

#endif
