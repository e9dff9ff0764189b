/*
 * The state of the supervisor, shared by the files that implement it: supervisor/supervise.c (the
 * loop), supervisor/requests.c (frames from isolator), supervisor/streams.c (the program's stdin,
 * stdout and stderr), supervisor/cpu_limit.c (its CPU time), supervisor/ending.c (its end) and
 * supervisor/keep.c (what comes between two programs).
 */
#ifndef SUPERVISOR_SUPERVISOR_STATE_H
#define SUPERVISOR_SUPERVISOR_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/figures.h"
#include "supervisor/frame_link.h"
#include "supervisor/places.h"
#include "supervisor/program.h"
#include "supervisor/unpack.h"

enum supervisor_state {
    STATE_WAITING,  /* for a request */
    STATE_STARTING, /* there is a process that is to become the program */
    STATE_RUNNING,
    STATE_ENDING,    /* the program has ended, or is to: its processes are killed */
    STATE_ENDED,     /* END or FAILED was sent */
    STATE_COLLECTING /* the files of the working directory are sent */
};

/* What KEEP or RESTORE could not do; step 0: nothing. */
struct failure {
    enum frame_step step;
    struct place_failure why;
};

struct supervisor {
    struct frame_link link;
    struct program program;
    struct unpack unpack;
    struct figures figures;
    int workdir, signals, timer, cpu_timer; /* descriptors; owned */
    enum supervisor_state state;
    bool is_init;   /* this is process 1 */
    bool reap_more; /* there may be ended children that are not reaped yet */
    /* Bytes for the program's stdin: a ring. */
    char stdin_bytes[FRAME_STDIN_WINDOW];
    size_t stdin_first, stdin_filled;
    size_t stdin_taken; /* not granted again yet */
    bool stdin_ended;
    /* Bytes that may be sent: of STDOUT, STDERR, FILES. */
    uint64_t credit[3];
    uint64_t output_max, linger_ms, cpu_max_us; /* of struct frame_run */
    uint64_t cores;                             /* of the machine */
    /* What END will say. */
    bool reaped;
    struct frame_end end;
    uint64_t oom_before, own_cpu_before;
    /* For KEEP and RESTORE. */
    struct places places;
    const char *sysvipc, *sockets; /* see clean_sysv() and clean_has_sockets() */
    bool shares_sockets;           /* others than the program's are in the list */
    int copy; /* memfd with the archive that KEEP has made, sealed; owned; -1: none */
    struct failure failure;
};

enum { CREDIT_FILES = 2 };

/* Whether there is a program that has not been ended. */
static inline bool supervisor_runs(const struct supervisor *supervisor)
{
    return supervisor->state == STATE_STARTING || supervisor->state == STATE_RUNNING;
}

/* ---- supervise.c */

/* Ends this process, and with it, if it is process 1, all others of the container. */
_Noreturn void supervisor_leave(struct supervisor *supervisor, int status);

/*
 * Sends a control frame: a fixed part and a text (NULL: none), whose end is cut off if it is too
 * long. There is always room for it, unless isolator does not read; then this process ends.
 */
void supervisor_send(struct supervisor *supervisor, enum frame_type type, const void *fixed,
                     size_t length, const char *text);

/* Sends FAILED: the request has ended. */
void supervisor_send_failed(struct supervisor *supervisor, enum frame_step step, int error,
                            const char *path);

/* Ends this process after so many milliseconds; 0: the timer is off. */
void supervisor_set_timer(const struct supervisor *supervisor, uint64_t ms);

/* Waits for something to happen, and handles it. */
void supervisor_serve(struct supervisor *supervisor);

/*
 * Ends this process if isolator has closed the connection or the timer has run out. Waits up to
 * `wait_ms` for that. Reads what has arrived, as far as there is room, and handles no frame.
 */
void supervisor_look(struct supervisor *supervisor, int wait_ms);

/* ---- requests.c */

/* Handles the frames that have arrived. */
void requests_take(struct supervisor *supervisor);

/* Forgets the request, after its end, for another one. */
void requests_reset(struct supervisor *supervisor);

/* Looks, in STATE_STARTING, whether the new process has become the program. */
void requests_take_report(struct supervisor *supervisor);

/* ---- streams.c */

/* Keep bytes for the program's stdin (false: more than was granted), and write some to it. */
bool streams_take_stdin(struct supervisor *supervisor, const char *bytes, size_t length);
void streams_feed_stdin(struct supervisor *supervisor);

/* Whether output of a stream (0 stdout, 1 stderr) may be read, and reads some. */
bool streams_may_pass(const struct supervisor *supervisor, int stream);
void streams_pass(struct supervisor *supervisor, int stream);

/* Closes a descriptor that is open. */
void streams_close(int *fd);

/* ---- cpu_limit.c */

/* Opens the timer. False: the kernel refuses it. */
bool cpu_limit_open(struct supervisor *supervisor);

/* The CPU time of the program's processes so far; FRAME_UNKNOWN if the kernel does not say. */
uint64_t cpu_limit_used_us(const struct supervisor *supervisor);

/* Whether there is a limit, and this is more. */
bool cpu_limit_is_exceeded(const struct supervisor *supervisor, uint64_t used_us);

/*
 * Ends the program if it has used up its CPU time, and otherwise sets the timer for the next check.
 * Call it when the program has started and at each end of the timer.
 */
void cpu_limit_check(struct supervisor *supervisor);

/* ---- ending.c */

/* Takes memory in advance that is given back when the program has ended. */
void ending_take_spare(void);

/* Kills every process of the container but this one; outside of a container the program's. */
void ending_kill(const struct supervisor *supervisor);

/* Ends the program and all its processes. Does nothing unless it runs. */
void ending_begin(struct supervisor *supervisor, enum frame_cause cause);

/* Reaps children that have ended. */
void ending_reap(struct supervisor *supervisor);

/* Sends END once no process is left and its output has been sent. */
void ending_finish(struct supervisor *supervisor);

/* ---- keep.c */

/* Handles KEEP; the archive of the files is complete and unpacked. */
void keep_make(struct supervisor *supervisor, const struct frame_keep *frame);

/* Handles RESTORE. A failure is kept for keep_send_failure(). */
void keep_restore(struct supervisor *supervisor, const struct frame_restore *frame);

/* Sends FAILED if the last KEEP or RESTORE has failed, and forgets that. True: it has. */
bool keep_send_failure(struct supervisor *supervisor);

#endif
