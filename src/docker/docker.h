/*
 * Runs the docker command: its arguments, its output, and what a failure means.
 *
 * The messages of docker are not stable between versions, so no decision depends on them. To
 * explain a failure, docker_explain() runs further commands whose exit status is the answer; the
 * message is only passed on to the reader.
 */
#ifndef DOCKER_DOCKER_H
#define DOCKER_DOCKER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "base/strvec.h"

/* Called after each step with its name and how long it took. */
typedef void docker_trace(void *context, const char *step, long long milliseconds);

/* Called with the name of a container that could not be removed before its deadline. */
typedef void docker_not_removed(void *context, const char *name);

/* Users by their numbers, from first to last. */
struct user_range {
    unsigned first, last;
};

/* What the command is; docker/engine_kind.h has what differs between them. */
enum engine_kind { ENGINE_DOCKER, ENGINE_PODMAN };

/*
 * The docker command and how to use it. Several threads may share one; then the callbacks must be
 * thread-safe.
 */
struct docker {
    const char *command;             /* name or path of the program; borrowed */
    enum engine_kind kind;           /* engine_kind_of_command() */
    int engine_timeout;              /* seconds; docker/budget.h divides them */
    bool allow_unenforced;           /* a limit that the engine cannot enforce is no error */
    struct user_range users;         /* those that containers get; see docker/engine_memory.h */
    docker_trace *trace;             /* NULL: no trace */
    void *trace_context;             /* its first argument */
    docker_not_removed *not_removed; /* NULL: nothing retries the removal */
    void *not_removed_context;       /* its first argument */
    struct engine_memory *memory;    /* borrowed; NULL: nothing is remembered */
};

/*
 * Changes the environment of this process for docker commands: they are Go programs that end after
 * a fraction of a second, and collect less garbage then, which saves a fifth of their CPU time
 * (GOGC, unless it is set). podman does not warn of control groups of version 1 on each command.
 * Call it before there are threads.
 */
void docker_set_up_environment(void);

/*
 * Called if a command has not ended by then: once, or again and again if it has no deadline (0).
 * Returns until when to wait for it, at most until the deadline. *answers: whether the engine is
 * there.
 */
typedef long long docker_engine_check(const struct docker *docker, long long deadline,
                                      const struct notifier *cancel, bool *answers);

/* One command. All but its arguments is borrowed. */
struct docker_call {
    struct strvec arguments; /* without the name of the program; owned */
    bool has_stdin;          /* its stdin is `stdin_file`; else it is /dev/null */
    int stdin_file;
    int extra_file;                    /* as in struct process_options */
    long long deadline;                /* clock_now_ms(); the command is killed then; 0: none */
    const struct notifier *cancel;     /* NULL: cannot be cancelled */
    long long grace_ms;                /* how long a cancelled command may still take to end */
    const struct process_drain *drain; /* NULL: none */
    bool show_stdout;                  /* its stdout is our stderr, and not kept */
    docker_engine_check *engine_check; /* NULL: it gets all its time */
    long long check_at;                /* clock_now_ms(); when `engine_check` is called */
};

struct docker_output {
    /* Exit status; 128 + N after signal N; 0 if it did not end; -1 if it did not start. */
    int status;
    struct strbuf out; /* the start of each stream */
    struct strbuf err;
    bool given_up; /* it did not end in time, and `engine_check` says that the engine does not
                      answer */
};

#define DOCKER_OUTPUT_INIT                                                                         \
    {                                                                                              \
        .status = -1, .out = STRBUF_MAX(DOCKER_OUTPUT_MAX), .err = STRBUF_MAX(DOCKER_OUTPUT_MAX)   \
    }

enum { DOCKER_OUTPUT_MAX = 1 << 18 };

/*
 * The Go template of an image's id. It is ID and not Id, because docker takes the members from a
 * struct of its own, or, if the struct lacks one, all of them from the engine's JSON. Newer engines
 * leave out empty members there (API 1.50), and a template that names one of those fails.
 */
#define IMAGE_ID_TEMPLATE "{{.ID}}"

/*
 * Starts one command as a child that goes on; the rest of its options is `streams`. Fails as
 * process_start() does. If there is no docker command, the message says how to install it here.
 */
int docker_start(const struct docker *docker, const struct strvec *arguments,
                 const struct process_options *streams, struct process *process,
                 struct error *error);

/*
 * Runs one command to its end. Returns 0 if it ended, whatever its status; -1 if it could not be
 * started (output->status stays -1), did not end before the deadline (ERROR_ENGINE) or was
 * cancelled (ERROR_CANCELLED). A cancelled command that ends within its grace time counts as ended.
 */
int docker_run(const struct docker *docker, const struct docker_call *call,
               struct docker_output *output, struct error *error);

/*
 * Whether no docker command of this process has reached an engine, so that none can have created a
 * container. Then nothing has to be removed, and no warning says that something may still exist.
 *
 * No message decides this. It is true as long as every command has ended by itself with a failure:
 * no socket, no permission, no such context or host, an API version that is refused. One success is
 * enough to make it false for the rest of the process, and so is a command that did not end by
 * itself, since the engine may have its request: it was killed at its deadline or after a cancel, a
 * signal ended it, or it crashed. `docker context` and `docker info` prove nothing, as they may
 * succeed without an engine. It is false if docker->memory is NULL.
 *
 * A failure alone does not tell whether the engine was lost in the middle of the first request. So
 * ask this only after further commands have failed, and leave the last word to the reaper, which
 * has asked the engine by itself (service/reaper.h).
 */
bool docker_never_reached(const struct docker *docker);

/*
 * Remembers for docker_never_reached() how a command ended that docker_run() did not run. `status`
 * is that of struct docker_output; 0 also if it was killed.
 */
void docker_remember_end(const struct docker *docker, int status);

/*
 * Runs a command that must succeed: the same, and -1 also if its status is not 0. The error begins
 * with `what`, unless it is ERROR_CANCELLED. `output` may be NULL.
 */
int docker_succeed(const struct docker *docker, const struct docker_call *call, const char *what,
                   struct docker_output *output, struct error *error);

void docker_output_release(struct docker_output *output);
void docker_call_release(struct docker_call *call);

/* Whether a signal ended the command. Then its status says nothing about the engine. */
bool docker_was_killed(const struct docker_output *output);

/*
 * The same, or it crashed: a Go program exits with 2 if it gets no thread or no memory (package
 * runtime), and the docker command itself never uses that status.
 */
bool docker_crashed(const struct docker_output *output);

/*
 * What the command wrote to stderr, without a last line that points to its --help, as one line of
 * at most 500 bytes, escaped for a terminal; owned.
 */
char *docker_message(const struct strbuf *standard_error);

/* The same for the end of what it wrote: the last lines, of at most 500 bytes together; owned. */
char *docker_last_message(const struct strbuf *standard_error);

/*
 * Why a command failed that ended with a status other than 0: its message, or its status if it
 * wrote none; owned.
 */
char *docker_failure(const struct docker *docker, const struct docker_call *call,
                     const struct docker_output *output);

/* A docker_trace that prints on stderr (base/diagnostics.h); its context is not used. */
docker_trace docker_print_trace;

/* Reports to the trace a step that began at `start` (clock_now_ms()) and has just ended. */
void docker_traced(const struct docker *docker, const char *step, long long start);

#endif
