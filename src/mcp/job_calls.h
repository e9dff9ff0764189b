/*
 * The calls about jobs: of execute_code in the background, and of wait_job. Both run docker
 * commands that take long, so each has a thread of its own, which starts one job or waits for one
 * (service/jobs.h). A job goes on when the server ends, and any server of the same user can wait
 * for it.
 *
 * As in mcp/calls.h, cancellation, progress and response of a call happen under one lock. A
 * cancelled start leaves no job, since no one has its id; a cancelled wait changes nothing.
 *
 * All functions are for the main thread.
 */
#ifndef MCP_JOB_CALLS_H
#define MCP_JOB_CALLS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "request/job_arguments.h"
#include "request/plan.h"
#include "service/service.h"

/* Calls at once, each with a thread; bytes of the plans of all starts. */
enum { JOB_CALLS_MAX = 16, JOB_CALLS_BYTES_MAX = 128 << 20 };

/* Bytes of each stream in the result of a job that still runs: a model gets them with each call. */
enum { JOB_OUTPUT_MAX = 4000 };

struct job_call;

struct job_calls {
    struct service *service; /* borrowed, like the next three */
    const struct config *config;
    struct result_store *store;
    const struct notifier *changed;

    pthread_mutex_t lock;
    pthread_cond_t ended; /* signalled when a call ends */
    struct job_call *list;
    int count; /* of those in the list */
    size_t bytes;
};

/* Everything is borrowed; `changed` is raised when a call has ended. */
void job_calls_init(struct job_calls *calls, struct service *service, const struct config *config,
                    struct result_store *store, const struct notifier *changed);

/*
 * Starts a job for the plan, or waits for one; the response is sent when that is done. Both use the
 * responder, and the first one takes over the plan, on success. `params` of the request may ask for
 * progress. The result gets the warnings, which are copied. ERROR_ENGINE if there are too many
 * calls, ERROR_SYSTEM if the host refuses a thread.
 */
int job_calls_start(struct job_calls *calls, struct responder *responder, const json_t *params,
                    struct plan *plan, const struct strvec *warnings, struct error *error);
int job_calls_wait(struct job_calls *calls, struct responder *responder, const json_t *params,
                   const struct wait_arguments *wait, const struct strvec *warnings,
                   struct error *error);

/* Cancels the calls with this id; no response is sent. */
void job_calls_cancel(struct job_calls *calls, const json_t *id);

/*
 * Sends the progress that is due, and frees the calls that have ended. Returns after how many
 * milliseconds to call it again, or -1 if no call needs it.
 */
int job_calls_tend(struct job_calls *calls);

/* Whether no call runs. */
bool job_calls_done(struct job_calls *calls);

/* Responds to all calls and cancels them, because the server shuts down. */
void job_calls_end(struct job_calls *calls);

/*
 * After job_calls_end(): waits until all calls have ended, and frees everything. Returns -1 if the
 * deadline (clock_now_ms()) passes first: then nothing was freed, and the process has to end. What
 * remains of a start that was cut off is removed like any orphan, unless its job has just started:
 * that one goes on until its timeout.
 */
int job_calls_close(struct job_calls *calls, long long deadline);

#endif
