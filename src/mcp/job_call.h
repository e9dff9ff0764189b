/*
 * One call about a job, and what its thread does. mcp/job_calls.c makes, cancels and frees it.
 */
#ifndef MCP_JOB_CALL_H
#define MCP_JOB_CALL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/notifier.h"
#include "mcp/job_calls.h"
#include "mcp/progress.h"
#include "mcp/responder.h"
#include "request/job_arguments.h"
#include "request/plan.h"

struct job_call {
    struct job_calls *calls;    /* borrowed */
    struct responder responder; /* with calls->lock, like `progress`, `closed` and `ended` */
    struct progress progress;
    struct plan plan;           /* of the job to start */
    size_t bytes;               /* of the plan */
    struct wait_arguments wait; /* without a job: the call starts one */
    struct strvec warnings;     /* about the arguments; owned */
    struct notifier cancel;
    pthread_t thread;
    bool closed; /* no response will be sent: it was cancelled, or has its response */
    bool ended;  /* its thread ends */
    struct job_call *next;
};

bool job_call_is_start(const struct job_call *call);

/* Starts a job or waits for one, and responds unless the call is closed. */
void job_call_run(struct job_call *call);

#endif
