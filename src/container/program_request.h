/*
 * A program that a supervisor is to run, and what it gets: the request that supervisor_link_send()
 * turns into frames.
 */
#ifndef CONTAINER_PROGRAM_REQUEST_H
#define CONTAINER_PROGRAM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "request/program_spec.h"
#include "supervisor/protocol.h"

/* What a program of an interaction is, see "Interaction" in supervisor/protocol.h. */
enum program_side {
    SIDE_NONE,
    SIDE_RELAYED, /* isolator itself passes on what it says */
    SIDE_JOINED,
    SIDE_INTERACTOR
};

/*
 * A program, and what it gets. All is borrowed until the program has ended. In a session it may be
 * a cell of an interpreter that stays, whose command and environment are only used to start it.
 */
struct program_request {
    /* Its stdin is a file for it if that is known, and not too large, STDIN_FILE_MAX. */
    struct program_spec spec;
    enum program_side side; /* with another program, if it talks to one */
    long long
        wait_state_ms;    /* after its start it is looked at, to know what it waits for; 0: never */
    bool samples_memory;  /* FRAME_RUN_SAMPLE_MEMORY */
    int archive;          /* files for its working directory; -1: none */
    long long restore_ms; /* RESTORE comes first, which may take so long; 0: no */
    bool forgets;         /* and lays nothing out */
    bool reset;           /* RESET comes first: the program finds what the one before it has left */
    /* It does not run, but is made ready for a later request ("Ready programs" in
     * supervisor/protocol.h). */
    bool make_ready;
    bool is_last; /* no other request for this container follows; never in a script */
    const struct frame_collect *collect; /* its files, if it is the last one; NULL: none */
    bool fork;                           /* it may be a fork of one that was made ready */
    /* With `make_ready`: the variable of a hook in `archive`, or the file of a driver that is there
     * already. NULL: neither. */
    const char *ready_text;
    /* Only in a session; 0 elsewhere. */
    const struct strbuf *cell; /* the cell for the interpreter; NULL: a program of its own */
    bool interpreter_waits;    /* an earlier cell has started it */
    bool keep_processes;       /* those that it has started stay when it ends */
    long long linger_ms;       /* how long the container waits for the next request */
    double seconds_left; /* limits that the session sets in addition to those of the program */
    uint64_t cpu_left_us;
    uint64_t output_left;
};

/* The timeout of the program, in seconds and in ms. */
double program_request_timeout(const struct program_request *request);
long long program_request_timeout_ms(const struct program_request *request);

/* Bytes of the report of a cell: a value and figures, in JSON and base64. */
enum { SUPERVISOR_REPORT_MAX = 12 << 20 };

/* A program is ended if it writes more bytes to one stream. */
enum { OUTPUT_HARD_MAX = 64 << 20 };

/* How long a cell that is interrupted has to end before its interpreter is ended. */
enum { PROGRAM_INTERRUPT_MS = 1000 };

/* How much CPU time the program may use, in microseconds; 0: no limit. */
uint64_t program_request_cpu_max_us(const struct program_request *request);

/* Whether the session has less CPU time left than the limits of the program allow. */
bool program_request_limits_cpu(const struct program_request *request);

/* How many first and last bytes of each stream the supervisor sends of a program of a script. */
size_t program_request_head_max(const struct program_request *request);
size_t program_request_tail_max(const struct program_request *request);

/* RUN for the program, in a script or not. */
struct frame_run program_request_frame(const struct program_request *request, bool is_script);

#endif
