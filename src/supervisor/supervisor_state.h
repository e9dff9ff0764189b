/*
 * The state machine of the supervisor, in six files, each of which calls only those after it:
 * supervisor/supervise.c (the loop), supervisor/scripts.c (those of jobs),
 * supervisor/clients.c (those of workspaces), supervisor/requests.c
 * (frames from isolator), supervisor/starting.c (the start of a program or a cell) and
 * supervisor/ending.c (its end). They alone know what a request is. The parts, each with a header
 * of its own, move bytes, look and wait for what the state lets them, and leave events in their
 * structs.
 */
#ifndef SUPERVISOR_SUPERVISOR_STATE_H
#define SUPERVISOR_SUPERVISOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/connection.h"
#include "supervisor/cpu_limit.h"
#include "supervisor/descriptors.h"
#include "supervisor/detach.h"
#include "supervisor/driver_link.h"
#include "supervisor/exit_watch.h"
#include "supervisor/figures.h"
#include "supervisor/input_stream.h"
#include "supervisor/keep.h"
#include "supervisor/memory_use.h"
#include "supervisor/output_stream.h"
#include "supervisor/peer.h"
#include "supervisor/processes.h"
#include "supervisor/program.h"
#include "supervisor/ready/ready.h"
#include "supervisor/relay/relay.h"
#include "supervisor/stop_file.h"
#include "supervisor/unpack.h"
#include "supervisor/workspace.h"

enum supervisor_state {
    STATE_WAITING,  /* for a request */
    STATE_LOADING,  /* a request waits for what has arrived of its stdin, for all of it if it is a
                       cell or stdin a file, or for a relay */
    STATE_STARTING, /* there is a process that is to become the program */
    STATE_RUNNING,
    STATE_PAUSING,   /* the program or the cell has ended, and processes of it may stay */
    STATE_ENDING,    /* the program has ended, or is to: its processes are killed */
    STATE_ENDED,     /* END, KEPT or FAILED was sent */
    STATE_COLLECTING /* the files of the working directory are sent */
};

struct supervisor {
    enum supervisor_state state;
    /* The parts. */
    struct connection connection;
    struct program program; /* or the interpreter, which stays for other cells */
    struct ready ready;
    struct processes processes;
    struct figures figures;
    struct unpack unpack;
    struct input_stream input;
    struct output_stream outputs[2];
    struct output_stream value; /* of descriptor 3, with FRAME_RUN_VALUE; else it has no bytes */
    struct driver_link driver;
    struct sinks sinks;
    struct relay relay;
    struct cpu_limit cpu_limit;
    struct exit_watch exit_watch;
    struct memory_use memory;
    struct peer peer;
    struct keep keep;
    struct stop_file stop;
    struct detach detach;
    struct workspace workspace;
    int workdir, signals; /* descriptors; owned */
    bool reap_more;       /* there may be ended children that are not reaped yet */
    struct frame_run run; /* that of the program, from BEGUN on: the last request may still use
                             CPU time */
    struct frame_collect collect; /* of the last COLLECT */
    bool collects;                /* it came before RUN: the files are sent after END */
    bool has_interpreter;         /* there is one, whose end was not reported */
    bool is_stopped;              /* it is: SIGSTOP */
    bool ended_alone;             /* the program has ended without others, and SIGCHLD may follow */
    /* What END will say. */
    struct frame_end end;
    struct usage before; /* this request */
    struct usage ended;  /* at the end of the last one, if it has `left_processes` */
    bool left_processes;
    /* Of the last RUN, KEEP or DETACH of a script: if it has failed, the script ends. */
    bool must_succeed, failed;
    bool others_ended;     /* only processes that may stay are alive, and have been stopped */
    uint64_t pause_end_us; /* figures_clock_us() when all are killed */
};

/* Whether there is a program that has not been ended. */
static inline bool supervisor_runs(const struct supervisor *supervisor)
{
    return supervisor->state == STATE_STARTING || supervisor->state == STATE_RUNNING ||
           supervisor->state == STATE_PAUSING;
}

/* Whether the frames are those of a script. */
static inline bool supervisor_has_script(const struct supervisor *supervisor)
{
    return supervisor->connection.link.is_script;
}

/* Whether clients come and go. */
static inline bool supervisor_has_workspace(const struct supervisor *supervisor)
{
    return supervisor->workspace.options != NULL;
}

/* ---- scripts.c */

/* Handles the frames of a script that may come now, and does not wait while one may. */
void scripts_take(struct supervisor *supervisor);
void scripts_watch(struct supervisor *supervisor, struct loop *loop);

/* ---- clients.c */

/* Handles the frames of a client, ends what it has left when it is gone, and lets in the next. */
void clients_take(struct supervisor *supervisor);

/* ---- requests.c */

/* Says HELLO: the state is waiting. */
void requests_say_hello(struct supervisor *supervisor);

/* Forgets the request, after its end, for another one. */
void requests_reset(struct supervisor *supervisor);

/* Handles the frames that have arrived. */
void requests_take(struct supervisor *supervisor);

/* Handles one. False: isolator does not send such a frame now. */
bool requests_take_frame(struct supervisor *supervisor, const struct frame *frame);

/* A frame is handled whose failure ends a script, or may be without consequence. */
void requests_begin_step(struct supervisor *supervisor, bool must_succeed);

/* Ends what runs. What waits in STATE_LOADING does not begin. */
void requests_stop(struct supervisor *supervisor);

/* ---- starting.c */

/* Handles MAKE_READY. */
void starting_make_ready(struct supervisor *supervisor, const struct frame_run *frame,
                         const char *text);

/* Takes a status of wait(2) of what is made ready. False: it is of another child. */
bool starting_take_ready(struct supervisor *supervisor, pid_t pid, int status);

/* Handles RUN. */
void starting_run(struct supervisor *supervisor, const struct frame_run *frame);

/* Looks, in STATE_LOADING, whether what the request waits for is there, and begins it then. */
void starting_load(struct supervisor *supervisor);

/*
 * The program has so much more time. In STATE_LOADING too: processes of a session that stay can
 * call tools before the timers of the next cell are set.
 */
void starting_extend(struct supervisor *supervisor, uint64_t ms);

/* Looks, in STATE_STARTING, whether the new process has become the program. */
void starting_take_report(struct supervisor *supervisor);

/* Sends FAILED for a program that is not started. */
void starting_fail(struct supervisor *supervisor, enum frame_step step, int error);

/* Sends FAILED unless all files that were sent are there. False: they are not. */
bool starting_end_files(struct supervisor *supervisor);

/* ---- ending.c */

/* Takes memory in advance that is given back when the program has ended. */
void ending_take_spare(void);

/* The interpreter has ended, or is to, or was not started. */
void ending_forget_interpreter(struct supervisor *supervisor);

/* Sends FAILED, and leaves the state. */
void ending_report(struct supervisor *supervisor, enum frame_step step, int error,
                   const char *path);

/* Sends FAILED: the request has ended. */
void ending_fail(struct supervisor *supervisor, enum frame_step step, int error, const char *path);

/* Sends FAILED if the last KEEP or RESTORE has failed, and forgets that. True: it has. */
bool ending_fail_keep(struct supervisor *supervisor);

/* Ends the program and all its processes. Does nothing unless it runs. */
void ending_begin(struct supervisor *supervisor, enum frame_cause cause);

/* The program has ended by itself: begins to end the rest, unless it may stay. */
void ending_after_program(struct supervisor *supervisor);

/* The program was reaped, or can be soon, with this status of wait(2). */
void ending_take_status(struct supervisor *supervisor, int status);

/* Looks whether the program has ended, though it cannot be reaped yet. Call it at each end of the
 * timer. */
void ending_check_exit(struct supervisor *supervisor);

/*
 * Ends the program if it has used up its CPU time, and otherwise sets the timer for the next check.
 * Call it when the program has started and at each end of the timer. If processes stay between two
 * requests and use it up, the connection ends.
 */
void ending_check_cpu(struct supervisor *supervisor);

/* Handles the events of the parts: too much output, and the end of a cell's report. */
void ending_take_events(struct supervisor *supervisor);

/* Sends WAIT_STATE when it is time. */
void ending_send_wait_state(struct supervisor *supervisor);

/* Sends END once the request has ended, and its output has been sent. */
void ending_watch(const struct supervisor *supervisor, struct loop *loop);
void ending_finish(struct supervisor *supervisor);

#endif
