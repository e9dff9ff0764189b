/*
 * A program that was started before its request: an interpreter that has not looked at the working
 * directory or its first cell yet ("Ready programs" in supervisor/protocol.h). So it has seen
 * nothing that depends on the request, and cannot tell that it has waited. What waits is the
 * image's own code: nothing of a request has run in the container, except for forks of what waits.
 * Knows nothing of requests.
 */
#ifndef SUPERVISOR_READY_H
#define SUPERVISOR_READY_H

#include <stdbool.h>
#include <sys/types.h>

#include "supervisor/figures.h"
#include "supervisor/processes.h"
#include "supervisor/program.h"
#include "supervisor/ready/ready_template.h"

enum ready_state {
    READY_NONE,
    READY_STARTING, /* it has not come to the working directory */
    READY_WAITING,
    READY_TEMPLATE /* it waits, and programs are forks of it */
};

struct ready {
    struct program program;
    const char *workdir; /* absolute; borrowed */
    char *driver;        /* owned; a file in it that may be looked at; NULL: none */
    enum ready_state state;
    bool has_loaded; /* its hook has, if it has one: what it looks at from now on counts */
    struct ready_thread thread;
    struct ready_template template; /* of READY_TEMPLATE */
};

void ready_init(struct ready *ready, const char *workdir);

/*
 * Starts the program, which is taken over. `text` is that of MAKE_READY: empty, the variable of a
 * hook ("NAME=PATH", supervisor/ready/ready_hook.h), or the file of a driver. False: `failure` says
 * why not.
 */
bool ready_start(struct ready *ready, struct program *program, const struct figures *figures,
                 const char *text, struct program_failure *failure);

/*
 * Takes a status of wait(2) of a child. False: it is not of this one. The state is READY_WAITING if
 * it has come to the place where it waits, and READY_NONE if it has ended.
 */
bool ready_take_status(struct ready *ready, pid_t pid, int status);

/* Whether what waits, or is the template, is what this program would become. */
bool ready_suits(const struct ready *ready, const struct program *program);

/* Makes what waits a template. False: it has to be discarded. */
bool ready_become_template(struct ready *ready, const struct processes *processes,
                           const struct figures *figures);

/* Whether there is a template, and no other process besides it. */
bool ready_is_alone(const struct ready *ready, const struct figures *figures);

/*
 * Gives the program the file that is the stdin of what waits, as program_open_stdin() does. False:
 * there is none, or its forks get files of their own.
 */
bool ready_take_stdin(struct ready *ready, struct program *program);

/*
 * Gives the process, or a fork of the template, to the program, which ready_suits(); it waits for
 * ready_continue(). False: there is no fork, and the template has to be discarded.
 */
bool ready_resume(struct ready *ready, const struct processes *processes, struct program *program);

/* Lets the process of a program go on. */
void ready_continue(pid_t pid);

/* Kills what was made ready, if it is there. Its end comes as a status. */
void ready_kill(const struct ready *ready);

/*
 * Kills all processes and waits until they have ended, so there may be no others. Does nothing if
 * none was made ready.
 */
void ready_discard(struct ready *ready, const struct processes *processes);

#endif
