/*
 * Packs directories and files as a tar archive.
 *
 * What is in a directory is untrusted. The walk opens each entry by its name relative to the open
 * parent and never follows a link, so it cannot leave the directory, even if entries are renamed
 * meanwhile. Symbolic links are packed as links; those whose target is outside the archive are
 * omitted and named in warnings, unless it is a file below `links_below`. FIFOs, sockets, devices
 * and files that change while they are read are an ERROR_INPUT that names the file. Depth, length
 * of paths, number of entries and bytes are bounded. What a directory's .isolatorignore names is
 * left out. Names may contain any byte. The entries are in the order of their names, so equal
 * directories give equal archives.
 */
#ifndef RUN_PACK_TREE_H
#define RUN_PACK_TREE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "run/ignore_file.h"

/* Besides its bytes, an entry takes memory: a tar header on the host, an inode in the container. */
enum { PACK_TREE_ENTRIES_MAX = 200000 };

/* All pointers are borrowed. The caller sets the first members and leaves the others 0. */
struct pack_tree {
    struct archive *archive;        /* open */
    struct strvec *warnings;        /* names of omitted links */
    const struct notifier *cancel;  /* or NULL */
    long long max_bytes;            /* of all files, each rounded up to 4096 bytes */
    const char *wanted;             /* the path of a file to look for; NULL: none */
    const struct strvec *constants; /* replaced in files (base/constants.h); NULL: none */
    const char *links_below; /* a directory; files below it are packed in place of links to them;
                                NULL: none */
    const time_t *modified;  /* the time of all entries; NULL: that of each file */

    bool wanted_found, wanted_left_out;
    struct ignore_file ignored; /* of the directory that is packed */
    struct error *error;        /* of the call that runs */
    struct strbuf path;         /* of the current entry, relative to the root of the archive */
    int depth;
    long entries;
    long omitted;    /* links */
    long long bytes; /* of all files, also of those beyond max_bytes, which are not packed */
    struct {
        struct strbuf path;
        long long bytes;
    } largest; /* file */
};

void pack_tree_release(struct pack_tree *tree);

/*
 * Packs what is in an open directory, except what its .isolatorignore names. ERROR_INPUT,
 * ERROR_CANCELLED, ERROR_SYSTEM, as below.
 */
int pack_tree_contents(struct pack_tree *tree, int directory, struct error *error);

/*
 * Packs a file, or a directory with what is in it, under this name. Only if `path` itself is a link
 * it is followed.
 */
int pack_tree_named(struct pack_tree *tree, const char *path, const char *name,
                    struct error *error);

/*
 * Returns a descriptor, owned, of a file with the values of the constants; -1: there are none in
 * the open file, which is read from its start, or it is larger than 16 MiB.
 */
int pack_tree_replace(const struct pack_tree *tree, int fd);

/*
 * Counts the bytes of a file that the caller packs itself: whole pages of 4096 bytes, as a tmpfs
 * needs them. Returns whether there is room for it; else it is not to be packed. The others are
 * counted nevertheless, so that the error can say how much is needed.
 */
bool pack_tree_has_room(struct pack_tree *tree, const char *path, long long size);

/*
 * ERROR_INPUT if there was no room for a file: "the files need 80.0 MB, more than the 64 MB of
 * the working directory; 'data/words' has 70.0 MB" if the largest of them has a tenth of it.
 * `room`: "64 MB of the working directory".
 */
int pack_tree_check_size(const struct pack_tree *tree, const char *room, struct error *error);

/* ERROR_CANCELLED if `cancel` is raised. */
int pack_tree_check_cancelled(const struct pack_tree *tree, struct error *error);

/* Adds the number of omitted links beyond those that the warnings name. Call it at the end. */
void pack_tree_count_omitted(const struct pack_tree *tree);

#endif
