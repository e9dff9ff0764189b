/*
 * A tar archive in an unnamed file in memory, written with libtar (GNU format, so that names of any
 * length and of any bytes survive). Knows nothing of where the entries come from or go to.
 *
 * Owners, modes and times are set by the rules below, not copied: nothing of the host's users, and
 * no setuid bit, ever travels.
 *
 * Traps of libtar 1.2.20 that this file deals with, found by reading its source: the long link of
 * one entry is kept for the next; th_set_path() looks at the mode in the header, also a stale one;
 * the long name is not freed by tar_close(); th_set_user() asks the host's user database; sizes and
 * times are ints.
 */
#ifndef BASE_ARCHIVE_H
#define BASE_ARCHIVE_H

#include <libtar.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/manifest.h"

struct archive {
    TAR *tar;  /* owned; NULL while closed. Its descriptor is the unnamed file */
    uid_t uid; /* owner of every entry */
    gid_t gid;
    struct manifest *manifest; /* remembers each file that is added; borrowed; NULL: none */
    struct sha256 digest;      /* of the file that is being added, if there is a manifest */
};

#define ARCHIVE_INIT                                                                               \
    {                                                                                              \
        .tar = NULL                                                                                \
    }

/* The largest user or group id that the header of an entry can hold: seven octal digits. */
enum { ARCHIVE_ID_MAX = 07777777 };

/* The largest file that libtar can describe: its sizes are ints. */
#define ARCHIVE_FILE_MAX 0x7fffffffLL

/* `manifest`, which may be NULL, learns of each file that is added; archive_finish() sorts it. */
int archive_open(struct archive *archive, uid_t uid, gid_t gid, struct manifest *manifest,
                 struct error *error);

/* Names are relative paths without a slash at the end. Directories get mode 0755. */
int archive_add_directory(struct archive *archive, const char *name, time_t modified,
                          struct error *error);
int archive_add_symlink(struct archive *archive, const char *name, const char *target,
                        struct error *error);

/* A file with the given content; mode 0644. More than ARCHIVE_FILE_MAX bytes are an ERROR_INPUT. */
int archive_add_bytes(struct archive *archive, const char *name, const char *data, size_t length,
                      struct error *error);

/*
 * A file with what the descriptor gives from where it stands, which must be exactly `size` bytes:
 * a file that shrinks or grows while it is read is an ERROR_INPUT naming it, and so is one of more
 * than ARCHIVE_FILE_MAX bytes. Borrowed descriptor.
 */
int archive_add_file(struct archive *archive, const char *name, int fd, off_t size, bool executable,
                     time_t modified, struct error *error);

/* Writes the end of the archive; nothing can be added afterwards. */
int archive_finish(struct archive *archive, struct error *error);

/* The file, borrowed, and its size in bytes; valid after archive_finish(). */
int archive_file(const struct archive *archive);
off_t archive_size(const struct archive *archive);

void archive_release(struct archive *archive);

#endif
