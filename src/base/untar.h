/*
 * Parses an untrusted tar archive as it arrives. This module does not know where the files go: it
 * passes on the names as they are, and the receiver has to check them.
 *
 * It reads what libtar, GNU tar, busybox tar and Go's archive/tar (in docker cp) write: ustar
 * headers with a prefix, long names and links of GNU (types L and K), and the path and the size in
 * pax headers (type x). The formats are described in pax(1p) and in GNU tar's manual, "Basic Tar
 * Format". Sparse files of GNU are refused in all their forms.
 *
 * The memory that an archive takes is bounded, and no size in it is trusted: content is passed on
 * as it arrives.
 */
#ifndef BASE_UNTAR_H
#define BASE_UNTAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

enum untar_type {
    UNTAR_FILE,
    UNTAR_DIRECTORY,
    UNTAR_SYMLINK,
    UNTAR_HARD_LINK,
    UNTAR_OTHER /* a device, a FIFO, an unknown type */
};

struct untar_entry {
    const char *name; /* borrowed; any bytes but NUL; may be empty */
    enum untar_type type;
    const char *target; /* of a link, borrowed; "" for other types */
    long long size;     /* bytes of content, by the archive; 0 unless it is a file */
    long long modified; /* seconds since 1970; -1: the header has no number */
    bool executable;    /* for its owner */
};

struct untar_handler {
    /* An entry begins. If it is a file, content() gets its bytes, until end(). */
    void (*begin)(void *context, const struct untar_entry *entry);
    void (*content)(void *context, const char *data, size_t length);
    /* The file is complete. Not called if the archive is cut off. */
    void (*end)(void *context);
};

enum { UNTAR_BLOCK = 512 };

struct untar {
    const struct untar_handler *handler; /* borrowed */
    void *context;
    char header[UNTAR_BLOCK]; /* the block that is being read */
    size_t filled;            /* bytes of it */
    enum {
        UNTAR_HEADER,
        UNTAR_NAME,
        UNTAR_TARGET,
        UNTAR_PAX,
        UNTAR_CONTENT,
        UNTAR_SKIPPED,
        UNTAR_DONE
    } state;
    long long left;       /* bytes of content that are still to come */
    size_t padding;       /* bytes after it, up to the end of the block */
    struct strbuf extra;  /* a long name or a pax header; bounded */
    struct strbuf name;   /* of the next entry; empty: the one in its header */
    struct strbuf target; /* of the next entry, a link; empty: the one in its header */
    long long size;       /* of the next entry; -1: the one in its header */
};

void untar_init(struct untar *untar, const struct untar_handler *handler, void *context);
void untar_release(struct untar *untar);

/*
 * Parses bytes and drops those after the end of the archive. ERROR_INPUT if it is not a tar
 * archive.
 */
int untar_feed(struct untar *untar, const char *data, size_t length, struct error *error);

/* True if the block of zeros that ends an archive was read. */
bool untar_done(const struct untar *untar);

#endif
