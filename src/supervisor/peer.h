/*
 * What joins the program to one in another container ("Interaction" in supervisor/protocol.h): the
 * ends of two FIFOs, and whether it waits for the other side. Knows nothing of requests.
 */
#ifndef SUPERVISOR_PEER_H
#define SUPERVISOR_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "supervisor/processes.h"
#include "supervisor/protocol.h"

struct peer {
    const char *directory;
    bool joined, is_interactor;
    /*
     * What an interactor's supervisor holds; -1: nothing. As long as it has an end that writes, the
     * interactor reads no end of file; with those that read, what the interactor and the program
     * write is not lost, and does not fail.
     */
    int writer, readers[2];
    bool drops[2]; /* what can be read there */
    uint64_t
        wait_state_us; /* figures_clock_us() when the program is looked at; 0: never, or it was */
};

/* `directory`, which is borrowed, has the FIFOs. */
void peer_init(struct peer *peer, const char *directory);

/*
 * Opens the FIFOs if the request, with these enum frame_run_flag, is joined: ends[0], to be read,
 * and ends[1], to be written, are the caller's then, and stay otherwise. False: errno says why not.
 */
bool peer_join(struct peer *peer, uint32_t flags, int ends[2]);

/* The program has ended: the interactor reads the end of file; what it still writes is dropped. */
void peer_let_go(struct peer *peer);

/*
 * This side has ended. If it was an interactor, the program can still read what it has said, and
 * then the end of file; what the program writes is dropped.
 */
void peer_end(struct peer *peer);

/* Closes all that is held. */
void peer_close(struct peer *peer);

/* A program has begun, and is looked at so long after this, or never if that is 0. */
void peer_begin_wait_state(struct peer *peer, uint64_t wait_state_ms);

/*
 * Looks if it is time: then this is true, once. The program's own pipes are `in` and `out` if it is
 * not joined.
 */
bool peer_take_wait_state(struct peer *peer, const struct processes *processes, int in, int out,
                          struct frame_wait_state *wait_state);

/* Drops what is to be dropped and, if it runs, bounds the wait of the loop by the next look. */
void peer_watch(struct peer *peer, struct loop *loop, bool runs);

#endif
