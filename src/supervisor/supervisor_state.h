/*
 * The state of the supervisor, shared by the files that implement it: supervisor/supervise.c (the
 * loop), supervisor/requests.c (frames from isolator), supervisor/streams.c (the program's stdin,
 * stdout and stderr), supervisor/cpu_limit.c (its CPU time), supervisor/ending.c (its end),
 * supervisor/cell.c (the cells of an interpreter that stays), supervisor/settling.c (an end that
 * leaves processes), supervisor/keep.c (what comes between two programs) and supervisor/watch.c (a
 * second thread).
 */
#ifndef SUPERVISOR_SUPERVISOR_STATE_H
#define SUPERVISOR_SUPERVISOR_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "supervisor/figures.h"
#include "supervisor/frame_link.h"
#include "supervisor/places.h"
#include "supervisor/program.h"
#include "supervisor/unpack.h"

enum supervisor_state {
    STATE_WAITING,  /* for a request */
    STATE_LOADING,  /* a cell waits for the end of its stdin */
    STATE_STARTING, /* there is a process that is to become the program */
    STATE_RUNNING,
    STATE_SETTLING,  /* the program or the cell has ended, and processes of it may stay */
    STATE_ENDING,    /* the program has ended, or is to: its processes are killed */
    STATE_ENDED,     /* END or FAILED was sent */
    STATE_COLLECTING /* the files of the working directory are sent */
};

/* What KEEP or RESTORE could not do; step 0: nothing. */
struct failure {
    enum frame_step step;
    struct place_failure why;
};

/* What is used up at a moment, as END reports the difference. */
struct usage {
    uint64_t cpu_us, own_cpu_us, oom_kills, memory_full, refused;
};

/* What the driver of an interpreter is sent: its head, the code and stdin. See protocol.h. */
enum { CELL_CODE, CELL_INPUT, CELL_FILES, CELL_NUMBER = 12, CELL_HEAD = 3 * (CELL_NUMBER + 1) };

/* An interpreter that stays (its process is `program`), and its cell. See cell.c. */
struct cell {
    bool exists;           /* there is an interpreter, whose end was not reported */
    bool stopped;          /* it is: SIGSTOP */
    int files[CELL_FILES]; /* memfds that no program can open; owned; -1: none */
    uint64_t sizes[CELL_FILES];
    char head[CELL_HEAD + 1];
    uint64_t sent;     /* bytes of all three that are in the pipe */
    uint64_t number;   /* of the cell: 1 for the first one of the interpreter */
    int matched;       /* bytes of the number that were read of a report; -1: it has another one */
    int unread;        /* the other end of that pipe, for what the driver has not read; owned */
    int error;         /* errno of what failed while the files were written */
    uint64_t reported; /* bytes of the report that were sent */
};

/* Streams of programs that have ended whose processes stay: what comes is discarded. */
enum { SINKS_MAX = 16 };

/* Reads of a stream that found only a few bytes, see streams.c. */
struct gather {
    unsigned reads;   /* in a row */
    uint64_t last_us; /* figures_clock_us() of the last one */
};

/* What the program has used beyond what was used before it, see memory_use.c. */
struct memory_use {
    uint64_t before_bytes, peak_before_bytes; /* of the container; FRAME_UNKNOWN: not known */
    uint64_t max_bytes;
    uint64_t last_us; /* figures_clock_us() of the last look */
};

struct supervisor {
    struct frame_link link;
    struct program program;
    struct unpack unpack;
    struct figures figures;
    int workdir, signals, timer, cpu_timer, late_timer, proc; /* descriptors; owned */
    pid_t watch;         /* the second thread; 0: there is none */
    atomic_bool is_late; /* it has killed the program, see supervisor_set_late() */
    enum supervisor_state state;
    bool is_init;   /* this is process 1 */
    bool reap_more; /* there may be ended children that are not reaped yet */
    /* Bytes for the program's stdin: a ring. */
    char stdin_bytes[FRAME_STDIN_WINDOW];
    size_t stdin_first, stdin_filled;
    size_t stdin_taken; /* not granted again yet */
    bool stdin_ended;
    struct gather gather[2]; /* of stdout and stderr */
    struct frame_run order;  /* of the last RUN */
    struct frame_run run;    /* the same from BEGUN on: the last request may still use CPU time */
    uint64_t cores;          /* of the machine */
    /* What END will say. */
    bool reaped;
    int status; /* of the program, see wait(2), once it is reaped */
    struct frame_end end;
    struct usage before; /* this request */
    struct usage ended;  /* at the end of the last one, if it has `left_processes` */
    bool left_processes;
    struct memory_use memory;
    /* For settling.c. */
    bool settled;            /* only processes that may stay are alive, and have been stopped */
    uint64_t settle_end_us;  /* figures_clock_us() when all are killed */
    uint64_t output_left[2]; /* bytes of output that are still to be sent */
    struct cell cell;
    int sinks[SINKS_MAX]; /* owned; -1: none */
    int sink_next;        /* the oldest */
    /* For KEEP and RESTORE. */
    struct places places;
    const char *sysvipc, *sockets; /* see clean_sysv() and clean_has_sockets() */
    bool shares_sockets;           /* others than the program's are in the list */
    int copy; /* memfd with the archive that KEEP has made, sealed; owned; -1: none */
    struct failure failure;
};

/* Whether there is a program that has not been ended. */
static inline bool supervisor_runs(const struct supervisor *supervisor)
{
    return supervisor->state == STATE_STARTING || supervisor->state == STATE_RUNNING ||
           supervisor->state == STATE_SETTLING;
}

/* Whether the request is a cell, and whether all processes stay when it has ended by itself. */
static inline bool supervisor_is_cell(const struct supervisor *supervisor)
{
    return (supervisor->run.flags & FRAME_RUN_CELL) != 0;
}

static inline bool supervisor_keeps_processes(const struct supervisor *supervisor)
{
    return (supervisor->run.flags & FRAME_RUN_KEEP_PROCESSES) != 0;
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

/* Kills the program after so many milliseconds, and notes that; 0: the timer is off. */
void supervisor_set_late(struct supervisor *supervisor, uint64_t ms);

/* Waits for something to happen, and handles it. Each of the ..._watch() adds what it waits for. */
void supervisor_serve(struct supervisor *supervisor);

/*
 * Ends this process if isolator has closed the connection or the timer has run out. Waits up to
 * `wait_ms` for that. Reads what has arrived, as far as there is room, and handles no frame.
 */
void supervisor_look(struct supervisor *supervisor, int wait_ms);

/* ---- watch.c */

/*
 * Starts the thread that ends this process when isolator has closed the connection or the timer
 * has run out, and the program when it is late, whatever the loop waits for. Only in process 1 of
 * a container. False: there is no thread.
 */
bool watch_start(struct supervisor *supervisor);

/* ---- requests.c */

/* Handles the frames that have arrived. */
void requests_take(struct supervisor *supervisor);

/* Forgets the request, after its end, for another one. */
void requests_reset(struct supervisor *supervisor);

/* The request runs from now on: sends BEGUN, and sets the timer. */
void requests_begin(struct supervisor *supervisor);

/* Starts a process that is to become the program. False: FAILED was sent. */
bool requests_start_program(struct supervisor *supervisor);

/* Sends FAILED for a program that is not started. */
void requests_fail(struct supervisor *supervisor, enum frame_step step, int error);

/* Looks, in STATE_STARTING, whether the new process has become the program. */
void requests_take_report(struct supervisor *supervisor);
void requests_watch(struct supervisor *supervisor, struct loop *loop);

/* ---- streams.c */

/* Passes on stdin, and output as far as there is credit and room. */
void streams_watch(struct supervisor *supervisor, struct loop *loop);

/* Keeps bytes for the program's stdin. False: more than was granted. */
bool streams_take_stdin(struct supervisor *supervisor, const char *bytes, size_t length);

/* Closes the program's stdin if it has got all that there is. */
void streams_end_stdin(struct supervisor *supervisor);

/* Grant as many bytes of stdin as were taken since, once they are many. */
void streams_grant_stdin(struct supervisor *supervisor);

/* Reads and drops what is in a pipe now, and not what comes meanwhile. Closes it at its end. */
void streams_discard(int *fd);

/* Closes a descriptor that is open. */
void streams_close(int *fd);

/* ---- cpu_limit.c */

/* Opens the timer. False: the kernel refuses it. */
bool cpu_limit_open(struct supervisor *supervisor);

/* What is used up now. */
struct usage cpu_limit_usage(const struct supervisor *supervisor);

/* The CPU time of the program's processes so far; FRAME_UNKNOWN if the kernel does not say. */
uint64_t cpu_limit_used_us(const struct supervisor *supervisor);

/* Whether there is a limit, and this is more. */
bool cpu_limit_is_exceeded(const struct supervisor *supervisor, uint64_t used_us);

/*
 * Ends the program if it has used up its CPU time, and otherwise sets the timer for the next check.
 * Call it when the program has started and at each end of the timer. If processes stay between two
 * requests and use it up, this process ends.
 */
void cpu_limit_check(struct supervisor *supervisor);
void cpu_limit_watch(struct supervisor *supervisor, struct loop *loop);

/* ---- memory_use.c: only for requests with FRAME_RUN_SAMPLE_MEMORY */

/* The program is about to start. */
void memory_use_begin(struct supervisor *supervisor);

/* Looks at the memory if that was long enough ago. */
void memory_use_sample(struct supervisor *supervisor);
void memory_use_watch(const struct supervisor *supervisor, struct loop *loop);

/* The most that the program was seen to use; 0: not known. Call it at the end. */
uint64_t memory_use_bytes(struct supervisor *supervisor);

/* ---- ending.c */

/* Takes memory in advance that is given back when the program has ended. */
void ending_take_spare(void);

/*
 * Sends a signal to every process of the container but this one; outside of a container to the
 * program's.
 */
void ending_signal(const struct supervisor *supervisor, int number);

/* Kills them. */
void ending_kill(const struct supervisor *supervisor);

/* The program has ended by itself: begins to end the rest, unless it may stay. */
void ending_after_program(struct supervisor *supervisor);

/* Ends the program and all its processes. Does nothing unless it runs. */
void ending_begin(struct supervisor *supervisor, enum frame_cause cause);

/* Reaps children that have ended. */
void ending_reap(struct supervisor *supervisor);

/* Processes that are left are killed again. */
void ending_watch(const struct supervisor *supervisor, struct loop *loop);

/* Sends END once no process is left and its output has been sent. */
void ending_finish(struct supervisor *supervisor);

/* Sends END. */
void ending_report(struct supervisor *supervisor);

/* Whether nothing is in a pipe. */
bool ending_is_drained(int fd);

/* ---- cell.c */

void cell_init(struct supervisor *supervisor);

/* Forgets the interpreter, which has ended or is to, and gives back the memory of its files. */
void cell_forget(struct supervisor *supervisor);

/* Forgets the cell, for another one. */
void cell_reset(struct supervisor *supervisor);

/* Keeps bytes of the code. */
void cell_take_code(struct supervisor *supervisor, const char *bytes, size_t length);

/* Handles RUN of a cell, and looks in STATE_LOADING whether its stdin has arrived. */
void cell_load(struct supervisor *supervisor);

/* Handles INTERRUPT. */
void cell_interrupt(const struct supervisor *supervisor);

/* Sends the driver what its pipe takes of the cell, and reads its report, whose end ends the cell.
 */
void cell_watch(struct supervisor *supervisor, struct loop *loop);

/* ---- settling.c */

/* The cell has ended, or a program whose processes stay. */
void settling_begin(struct supervisor *supervisor);

/* Sends END once the processes that may not stay have ended, and the output has been sent. */
void settling_finish(struct supervisor *supervisor);

/* Discards what processes write that stay after the end of a request. */
void settling_watch(struct supervisor *supervisor, struct loop *loop);

/* ---- keep.c */

/* Handles KEEP; the archive of the files is complete and unpacked. */
void keep_make(struct supervisor *supervisor, const struct frame_keep *frame);

/* Handles RESTORE. A failure is kept for keep_send_failure(). */
void keep_restore(struct supervisor *supervisor, const struct frame_restore *frame);

/* Sends FAILED if the last KEEP or RESTORE has failed, and forgets that. True: it has. */
bool keep_send_failure(struct supervisor *supervisor);

#endif
