/*
 * Collects artifacts from the tar of a working directory: the files that match a pattern of the
 * plan (plan->artifacts) and that the program created or changed. Files that match but cannot be
 * taken are named in warnings: links, unsafe names, and files beyond the plan's limits of count and
 * bytes.
 *
 * The tar was written in the program's container by the program's user, so it is hostile input. Its
 * length is bounded by the size of the working directory, and no size in it is trusted. The first
 * COLLECTOR_MEMORY_MAX bytes of artifacts are kept in memory; further ones are written to a file as
 * they arrive.
 */
#ifndef RUN_COLLECTOR_H
#define RUN_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/manifest.h"
#include "base/sha256.h"
#include "base/untar.h"
#include "container/channel.h"
#include "request/plan.h"
#include "run/result.h"

/* Many results need no file. In a message of the server there is no room for more. */
enum { COLLECTOR_MEMORY_MAX = 1 << 20 };

struct collector {
    const struct plan *plan; /* borrowed */
    /*
     * In place of patterns, set after collector_init(): all files are wanted, but at the top only
     * those of these names may begin with a dot; borrowed.
     */
    const struct strvec *names;
    const struct manifest *sent; /* the files that the program was given; borrowed */
    struct result *result;       /* borrowed; gets the artifacts */
    struct glob *globs;          /* owned; compiled from the plan's patterns */
    size_t glob_count;
    struct untar untar;
    struct error error;        /* why the rest of the tar cannot be read */
    unsigned long long stream; /* bytes of the tar so far */
    size_t omitted;            /* number of files that match but were not taken */
    struct strvec unwanted;    /* names of some new files that match no pattern, escaped */
    long long room;            /* bytes that may still be taken */
    size_t memory;             /* how many of these may be in memory */
    /* The file that is being read. */
    char *name;       /* owned; NULL: it is not taken */
    char *data;       /* owned; NULL: it is written, or only its digest is computed */
    bool written;     /* to the file of the artifacts */
    long long length; /* bytes */
    long long filled;
    bool executable;
    struct sha256 digest;                  /* of the bytes so far */
    const struct manifest_entry *original; /* that was sent with this name and length; or NULL */
};

/*
 * Starts collecting into result->artifacts. Borrows its arguments until collector_release(). `sent`
 * is the sorted list of the files that were sent to the program.
 */
void collector_init(struct collector *collector, const struct plan *plan,
                    const struct manifest *sent, struct result *result);
void collector_release(struct collector *collector);

/*
 * Parses bytes of the tar. Returns whether more are needed: false after its end and after an error.
 */
bool collector_feed(struct collector *collector, const char *data, size_t length);

/* Notes a file whose content is not in the tar because of its size. */
void collector_note_too_large(struct collector *collector, const char *name);

/* What takes the files for the collector. */
struct channel collector_channel(struct collector *collector);

/* Ends the collection. If the tar was incomplete, a warning says so, with `why` as the reason. */
void collector_finish(struct collector *collector, const char *why);

#endif
