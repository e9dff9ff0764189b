/*
 * How several programs run one after the other, each as in a fresh container. The files that the
 * first one finds are kept as an archive in a sealed memfd of this process, which no program can
 * open (see supervise.c). Before each program everything that the one before has left is removed,
 * and the archive is unpacked.
 *
 * This may take long, and isolator may have sent the next request already. So frames that arrive
 * meanwhile are read as far as there is room, and not handled; the end of the connection and the
 * timer are looked at after each few steps. Knows nothing of requests.
 */
#ifndef SUPERVISOR_KEEP_H
#define SUPERVISOR_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/connection.h"
#include "supervisor/places.h"
#include "supervisor/unpack.h"

struct keep {
    struct connection *connection; /* borrowed, as is `workdir` */
    int workdir;
    struct places places;
    const char *sysvipc, *sockets; /* see clean_sysv() and clean_has_sockets() */
    bool empties;                  /* several programs run, and the places are emptied */
    bool shares_sockets;           /* others than the program's are in the list */
    int copy;                      /* the archive; owned; -1: there is none */
    /* The work on one frame. */
    uint64_t deadline_us;
    unsigned steps;
    struct pace pace;
    /* What could not be done; step 0: nothing. */
    enum frame_step step;
    struct place_failure failure;
};

/* See struct supervise_options. */
void keep_open(struct keep *keep, struct connection *connection, const char *mountinfo,
               const char *sysvipc, const char *sockets);

/*
 * KEEP: makes the copy, if there is to be one, and empties all places, but not a working directory
 * without a copy. Before that it ends all processes, unless all that may end have `ended`. Sets the
 * length of the copy. False: `step` is set.
 */
bool keep_make(struct keep *keep, const struct frame_keep *frame, bool ended, uint64_t *bytes);

/*
 * Whether programs could leave objects for the next one that cannot be listed: the places are
 * emptied between programs, and the kernel is gVisor's, which mounts no file system of message
 * queues and does not list all objects of System V. Then programs must not make any.
 */
bool keep_hides_objects(const struct keep *keep);

/* Whether a place where programs can write has no room for one more byte or file. */
bool keep_is_full(const struct keep *keep);

/* The length of the copy; 0: there is none. */
uint64_t keep_bytes(const struct keep *keep);

/*
 * RESTORE, in two parts, for memory is given back before anything takes some: empties all places,
 * and lays the copy out. Before that it ends all processes, unless all that may end have `ended`.
 * False: `step` is set.
 */
bool keep_empty(struct keep *keep, const struct frame_restore *frame, bool ended);
bool keep_lay_out(struct keep *keep, struct unpack *unpack);

#endif
