/*
 * The program: what is executed, and the process that executes it. It gets pipes of its own, a
 * session of its own, and no descriptor of the supervisor. An interpreter that stays is a program
 * with more descriptors (see "Cells" in supervisor/protocol.h). Knows no frame but
 * what struct frame_run says of its start.
 */
#ifndef SUPERVISOR_PROGRAM_H
#define SUPERVISOR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "supervisor/figures.h"
#include "supervisor/frame_payloads.h"

struct program {
    struct frame_run order; /* the last one: how it is started, and what the supervisor does then */
    const struct strbuf *hook; /* what a hook reads from descriptor 3; borrowed; NULL: no hook */
    struct strvec arguments;
    struct strvec environment; /* that of this process, changed by program_set_variable() */
    char *directory;           /* where it starts; owned; NULL: in that of this process */
    size_t bytes;              /* of all of these, to bound them */
    pid_t pid;                 /* 0: it was not started */
    bool reaped;               /* it has ended; set by the caller, who reaps all children */
    int status;                /* of wait(2), once it is reaped; set by the caller */
    int in;                    /* our ends of its pipes, non-blocking; -1: closed */
    int out[2];
    int report;            /* for program_take_report(); -1: closed */
    int begin, answer;     /* of descriptors 4 and 5 of an interpreter, or `answer` of descriptor 3
                              for a value; -1: closed */
    bool traced;           /* it stops when it is executed, for its tracer, this process */
    int joined[2];         /* its stdin and stdout, in place of pipes; given away; -1: none */
    bool ipc;              /* filter_install() lets it use that */
    pid_t watch;           /* the second thread of process 1, for filter_install(); 0: none */
    uint64_t start_us;     /* figures_clock_us() right before it was executed */
    uint64_t start_cpu_us; /* figures_cpu_us() then */
};

/* Whether it is started with one of these flags of enum frame_run_flag. With FRAME_RUN_CELL it is
 * an interpreter, which stays and reads cells. */
static inline bool program_has(const struct program *program, uint32_t flags)
{
    return (program->order.flags & flags) != 0;
}

void program_init(struct program *program);
void program_release(struct program *program);

/* Add a word to argv, and set ("NAME=VALUE") or remove ("NAME") a variable. False: too many. */
bool program_add_argument(struct program *program, const char *text, size_t length);
bool program_set_variable(struct program *program, const char *text, size_t length);

/* Sets where it starts. False: that is set already, or this is no path. */
bool program_set_directory(struct program *program, const char *text, size_t length);

/* Adds a directory at the end of PATH, if the program has that variable. */
void program_extend_path(struct program *program, const char *directory);

/*
 * Makes this process, a new one, the first choice of the OOM killer, and dumpable.
 */
void program_prefer_for_oom(void);

/* Why a program was not started. */
struct program_failure {
    /* FRAME_STEP_EXEC: the program itself could not be executed; FRAME_STEP_DIRECTORY: it cannot
     * start there; FRAME_STEP_START: it got no process. */
    enum frame_step step;
    int error; /* errno */
};

/*
 * Makes the file in memory that is its stdin in place of a pipe: `in` writes to it, and joined[0]
 * reads it. False: errno says why.
 */
bool program_open_stdin(struct program *program);

/*
 * Makes a process that is to become the program, in the current directory. False: `failure` says
 * why there is none.
 */
bool program_start(struct program *program, const struct figures *figures,
                   struct program_failure *failure);

enum program_report { PROGRAM_STARTING, PROGRAM_STARTED, PROGRAM_FAILED };

/*
 * Reads, without waiting, whether the process has become the program. PROGRAM_FAILED: it ends, and
 * `failure` says why; its pipes are closed. A process that was killed before counts as started.
 */
enum program_report program_take_report(struct program *program, struct program_failure *failure);

#endif
