/*
 * Parses an untrusted tar archive as it arrives. Knows nothing of where the files go: names are
 * handed over as they stand there, and the receiver has to check them.
 *
 * It knows what the tar of GNU, of busybox and Go's archive/tar (in docker cp) write: ustar headers
 * with prefix, long names of GNU (type L), and of pax headers (type x) the path and the size. The
 * forms are those of pax(1p) and of GNU tar's manual, "Basic Tar Format". Sparse files of GNU are
 * refused in all their forms.
 *
 * Nothing in an archive makes it take more than bounded memory, and no size is believed: content is
 * passed on as it comes.
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
    const char *name; /* borrowed, of any bytes but NUL, perhaps empty */
    enum untar_type type;
    long long size;  /* bytes of content that the archive promises; 0 for all but files */
    bool executable; /* for its owner */
};

struct untar_handler {
    /* An entry begins. If it is a file, what comes to content() is its own, till end(). */
    void (*begin)(void *context, const struct untar_entry *entry);
    void (*content)(void *context, const char *data, size_t length);
    /* The file is complete. An archive that is cut off ends without. */
    void (*end)(void *context);
};

enum { UNTAR_BLOCK = 512 };

struct untar {
    const struct untar_handler *handler; /* borrowed */
    void *context;
    char header[UNTAR_BLOCK]; /* the block that is being collected */
    size_t filled;            /* bytes of it */
    enum { UNTAR_HEADER, UNTAR_NAME, UNTAR_PAX, UNTAR_CONTENT, UNTAR_SKIPPED, UNTAR_DONE } state;
    long long left;      /* bytes of content that are still to come */
    size_t padding;      /* bytes after it, up to the end of the block */
    struct strbuf extra; /* a long name or a pax header, bounded */
    struct strbuf name;  /* for the next entry; empty: what its header says */
    long long size;      /* likewise; -1 */
};

void untar_init(struct untar *untar, const struct untar_handler *handler, void *context);
void untar_release(struct untar *untar);

/* Parses bytes and drops those after the end of the archive. ERROR_INPUT if it is not a tar
 * archive. */
int untar_feed(struct untar *untar, const char *data, size_t length, struct error *error);

/* Whether the block of zeros that ends an archive has come. */
bool untar_done(const struct untar *untar);

#endif
