/*
 * Unpacks a tar archive, as it arrives, in the current directory. Directories, files and symbolic
 * links are made; directories that are missing above them too. All belong to the user of this
 * process. Whatever is in a file's place is replaced, unless it is a directory. No link is
 * followed, so nothing outside the current directory changes.
 */
#ifndef SUPERVISOR_UNPACK_H
#define SUPERVISOR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/untar.h"

struct unpack {
    struct untar untar;
    struct error error; /* of the archive */
    int file;           /* the file that is being written, owned; -1: none */
    bool executable;
    long long modified;
    /* What failed first: an errno of the kernel, and the path. 0: nothing. */
    int failure;
    char *failed; /* owned; NULL: nothing */
    char *name;   /* of the file that is being written, owned */
    /* The directory of the last entry, whose path may have hundreds of parts: the next one is
     * usually there too. Both owned; -1 and NULL: none. */
    int parent;
    char *parent_path;
    bool used; /* bytes have arrived */
    /* What the first part of each name becomes, after unpack_init(); borrowed; NULL: it stays. */
    const char *root;
};

void unpack_init(struct unpack *unpack);

/* Takes bytes of the archive. After a failure the rest is ignored. */
void unpack_feed(struct unpack *unpack, const char *data, size_t length);

/*
 * The archive is said to be complete. True if it is, or if there was none, and everything was
 * unpacked.
 */
bool unpack_good(const struct unpack *unpack);

void unpack_release(struct unpack *unpack);

#endif
