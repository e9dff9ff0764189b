/*
 * One run of the docker command: its arguments, its output, what its failure means.
 *
 * The messages of docker are not stable between versions, so nothing is decided by them: a failure
 * is explained by asking further questions whose answer is an exit status (docker_explain()), and
 * the message is only passed on to the reader.
 */
#ifndef DOCKER_DOCKER_H
#define DOCKER_DOCKER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "base/strvec.h"

/* Called behind each finished step with what was done and how long it took. */
typedef void docker_trace(void *context, const char *step, long long milliseconds);

/* Called with the name of a container that could not be removed in the time that there was. */
typedef void docker_not_removed(void *context, const char *name);

struct docker {
    const char *command;   /* name or path of the program; borrowed */
    int engine_timeout;    /* seconds the engine may take for a run, beside the program: budget.h */
    bool allow_unenforced; /* limits that the engine says it ignores are no error */
    docker_trace *trace;   /* NULL: none. Must be thread-safe where the struct is shared */
    void *trace_context;
    docker_not_removed *given_up; /* NULL: nobody takes it on. Thread-safe like the trace */
    void *given_up_context;
};

struct docker_call {
    const struct strvec *arguments;    /* without the program's name */
    int stdin_file;                    /* what the command reads; -1: /dev/null; borrowed */
    long long deadline;                /* clock_now_ms(); the command is killed then; 0: none */
    const struct notifier *cancel;     /* NULL: cannot be cancelled */
    long long patience;                /* ms that a cancelled command still gets to end by itself */
    const struct process_drain *drain; /* NULL: none */
    bool shown;                        /* what it writes goes to our stderr, and nowhere else */
};

struct docker_output {
    int status;        /* exit status; 128 + n where a signal ended it; -1 while it did not start */
    struct strbuf out; /* at most DOCKER_OUTPUT_MAX bytes of each are kept */
    struct strbuf err;
};

#define DOCKER_OUTPUT_INIT                                                                         \
    {                                                                                              \
        .status = -1, .out = STRBUF_INIT, .err = STRBUF_INIT                                       \
    }

enum { DOCKER_OUTPUT_MAX = 1 << 18 };

/*
 * The Go template of an image's id. It is ID, not Id: docker fills a template from a struct of its own
 * and, if that lacks a member, from the JSON of the engine, in which engines leave out members that are
 * empty (API 1.50), so that a template which names such a member fails.
 */
#define IMAGE_ID_TEMPLATE "{{.ID}}"

/* A vector "docker", arguments... for process_start(). The caller releases it. */
struct strvec docker_argv(const struct docker *docker, const struct strvec *arguments);

/*
 * Runs one command to its end. 0 means that it ended, whatever its status. -1: it could not be
 * started (output->status stays -1), did not end in time (ERROR_ENGINE), or was cancelled
 * (ERROR_CANCELLED).
 */
int docker_run(const struct docker *docker, const struct docker_call *call,
               struct docker_output *output, struct error *error);

/*
 * The same of a command whose failure needs no further questions: -1 also where its status is not 0; the error
 * begins with `what` then, but for ERROR_CANCELLED. `output` may be NULL.
 */
int docker_succeed(const struct docker *docker, const struct docker_call *call, const char *what,
                   struct docker_output *output, struct error *error);

void docker_output_release(struct docker_output *output);

/* Whether a signal ended the command, whose status then says nothing about the engine. */
bool docker_was_killed(const struct docker_output *output);

/* The command's own words in one line that is safe to print, at most 500 bytes; owned. */
char *docker_message(const struct strbuf *standard_error);

/*
 * Why a command failed that ended with a status other than 0: its message, or where it has none the
 * status; owned.
 */
char *docker_failure(const struct docker_call *call, const struct docker_output *output);

/*
 * Sets the error for a command on this image that failed with this message: the image is missing
 * (ERROR_IMAGE, with the command that pulls it), the engine does not answer, or else the message
 * itself (both ERROR_ENGINE). Asks the engine, which may take all of its time; ERROR_CANCELLED if the
 * handle (which may be NULL) is raised before it has answered. Returns -1.
 */
int docker_explain(const struct docker *docker, const char *image, const char *what,
                   const char *message, const struct notifier *cancel, struct error *error);

/* A docker_trace that prints on stderr (base/diagnostics.h); its context is not used. */
docker_trace docker_print_trace;

/* Reports a step to the trace, which began at `start` (clock_now_ms()). */
void docker_traced(const struct docker *docker, const char *step, long long start);

#endif
