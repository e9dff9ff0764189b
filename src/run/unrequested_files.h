/*
 * What a program has left in its working directory, for a caller who did not say which files it
 * wants: pictures become artifacts, and the names of other files that the program created or
 * changed are noted, so that the caller can ask for them.
 *
 * Like run/collector.h it reads the tar of the working directory, which is hostile input. Little of
 * it is asked for: of a file that is not sent because of its size, only the name is known. Left out
 * are links, names that cannot be artifacts, and names with a dot or "__pycache__" in front.
 */
#ifndef RUN_UNREQUESTED_H
#define RUN_UNREQUESTED_H

#include <stdbool.h>

#include "base/error.h"
#include "base/manifest.h"
#include "base/sha256.h"
#include "base/untar.h"
#include "container/channel.h"
#include "request/plan.h"
#include "run/result.h"

enum {
    UNREQUESTED_LISTS = 3, /* of known files */
    UNREQUESTED_PICTURES_MAX = 4,
    UNREQUESTED_BYTES_MAX = 1 << 20,   /* of all pictures together, so also of one file */
    UNREQUESTED_ARCHIVE_MAX = 4 << 20, /* of the whole tar; beyond it, only names come */
    UNREQUESTED_FOUND_MAX = 1000       /* files that are remembered */
};

/* The length of an entry of a manifest that stands for any content. */
enum { UNREQUESTED_ANY = -1 };

struct unrequested_files {
    struct result *result; /* borrowed; gets the artifacts and the names */
    const struct manifest
        *known[UNREQUESTED_LISTS]; /* files that are neither taken nor named; borrowed */
    struct manifest found;         /* owned; the others, as many as are remembered */
    size_t pictures;               /* how many may still be taken */
    long long room;                /* bytes of them */
    struct untar untar;
    struct error error;
    /* The file that is being read. */
    char *name; /* owned; NULL: it is not looked at */
    char *data; /* owned */
    long long length, filled;
    bool executable;
};

/* `known` are sorted manifests, each borrowed. */
void unrequested_init(struct unrequested_files *unrequested, const struct plan *plan,
                      const struct manifest *const known[UNREQUESTED_LISTS], struct result *result);
void unrequested_release(struct unrequested_files *unrequested);

/* Parses bytes of the tar. */
void unrequested_feed(struct unrequested_files *unrequested, const char *data, size_t length);

/* Takes the name of a file whose content is not in the tar. */
void unrequested_note_name(struct unrequested_files *unrequested, const char *name);

/* Sorts the artifacts, the names, and `found`. */
void unrequested_finish(struct unrequested_files *unrequested);

/* What takes the files for it. */
struct channel unrequested_channel(struct unrequested_files *unrequested);

/* Notes the name of a file that was written and is not returned. */
void unrequested_add_name(struct result *result, const char *name);

/* Adds the files that the request sends, without reading large ones: those stand for any content.
 */
void unrequested_add_sent(struct manifest *manifest, const struct plan *plan);

#endif
