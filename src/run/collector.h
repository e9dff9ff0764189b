/*
 * From the tar of a working directory to artifacts: what a program has left there, but for what it was sent
 * and has not changed. Of that which is wanted (plan->artifacts), what cannot be taken is named: links, names that are none, what goes beyond the plan's count and bytes.
 *
 * The tar is the program's own word: written in its container, under its user. No size in it is believed, and no
 * memory is taken for more than the plan allows.
 */
#ifndef RUN_COLLECTOR_H
#define RUN_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/manifest.h"
#include "base/untar.h"
#include "config/plan.h"
#include "run/result.h"

struct collector {
    const struct plan *plan;     /* borrowed */
    const struct manifest *sent; /* the files that the program was given; borrowed */
    struct result *result;       /* borrowed; gets the artifacts */
    struct glob *globs;          /* owned; compiled from the plan's patterns */
    size_t glob_count;
    struct untar untar;
    struct error error;        /* why it cannot be read any further */
    unsigned long long stream; /* bytes of the tar so far */
    size_t left_out;           /* artifacts that are not taken */
    struct strvec others;      /* some of the new files that are not wanted, escaped */
    long long room;            /* bytes that may still be taken */
    /* The file that is being read. */
    char *name; /* owned; NULL: it is not wanted */
    char *data; /* owned */
    size_t length, filled;
    bool executable;
    const struct manifest_entry
        *given; /* one of its name and length that was sent; NULL: there is none */
};

/* The plan, the sorted list of the files that the program was sent, and the result outlive it. */
void collector_init(struct collector *collector, const struct plan *plan,
                    const struct manifest *sent, struct result *result);
void collector_release(struct collector *collector);

/* Takes bytes of the tar. Returns whether more is wanted: it has not ended, and can be read. */
bool collector_feed(struct collector *collector, const char *data, size_t length);

/* No more comes. Where the tar has not ended, the artifacts say so; `why` is what is known of that. */
void collector_finish(struct collector *collector, const char *why);

#endif
