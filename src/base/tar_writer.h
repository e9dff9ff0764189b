/*
 * Writes the headers and the end of a tar archive in GNU format, for base/archive.h, which alone
 * uses it. Names and targets of more than 99 bytes come before their header, in an entry of their
 * own. Content is written by the caller, who pads it to whole blocks.
 *
 * There are two implementations, which write the same bytes: tar_writer_libtar.c uses libtar, and
 * tar_writer_own.c is for systems that have none. The Makefile chooses one (TAR).
 */
#ifndef BASE_TAR_WRITER_H
#define BASE_TAR_WRITER_H

#include <sys/types.h>
#include <time.h>

enum { TAR_WRITER_BLOCK = 512 };

struct tar_writer_entry {
    const char *name;   /* not empty, without a slash at the end */
    const char *target; /* of a symbolic link; "" for anything else */
    mode_t mode;        /* with the type: S_IFREG, S_IFDIR, S_IFLNK or S_IFIFO */
    uid_t uid;          /* at most 07777777, both */
    gid_t gid;
    off_t size;      /* of the content, in bytes; at most INT_MAX */
    time_t modified; /* from 0 to INT_MAX */
};

/* Return 0, or -1 with errno. The file is borrowed, and they write at its offset. */
int tar_writer_add_header(int file, const struct tar_writer_entry *entry);
int tar_writer_add_end(int file);

#endif
