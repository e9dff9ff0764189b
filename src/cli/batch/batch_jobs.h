/*
 * `isolator batch --detach`: starts the requests as jobs (service/jobs.h), so many that at most
 * `max` run at once. For each there is a thread, which starts it and then waits until it has ended,
 * so that another one can start.
 *
 * All functions are for one thread.
 */
#ifndef CLI_BATCH_JOBS_H
#define CLI_BATCH_JOBS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/notifier.h"
#include "request/plan.h"
#include "run/result.h"
#include "service/jobs.h"

/*
 * What is done with a job that was started: `id` is its id; NULL: the result says why it failed.
 * False: the id could not be printed, and the job is removed.
 */
typedef bool batch_jobs_started(void *context, const char *id, struct result *result);

struct batch_jobs_options {
    const struct docker *docker; /* all is borrowed */
    struct audit *audit;
    const char *artifacts; /* absolute path; NULL: none */
    bool force;
    int keep_hours;
    int max;                        /* jobs that run at once */
    batch_jobs_started *started;    /* called by any thread, once for each job */
    const struct notifier *changed; /* raised when a job was started, and when one has ended */
};

struct batch_jobs {
    struct batch_jobs_options options;
    struct batch_job *jobs; /* options.max, owned */
    pthread_mutex_t lock;   /* protects their states */
    struct notifier stop;   /* no one waits for the end of a job any more */
};

/* ERROR_SYSTEM; then there is nothing to close. */
int batch_jobs_open(struct batch_jobs *jobs, const struct batch_jobs_options *options,
                    struct error *error);

/* Whether one more job can be started now. */
bool batch_jobs_have_room(struct batch_jobs *jobs);

/* Whether no job is just being started. */
bool batch_jobs_are_started(struct batch_jobs *jobs);

/*
 * Starts a job of the plan, which is taken over. There is room. `id`, which may be NULL, and the
 * line are those of the request; `context` is for `started`. ERROR_SYSTEM if the host refuses a
 * thread.
 */
int batch_jobs_start(struct batch_jobs *jobs, struct plan *plan, const json_t *id, long long line,
                     void *context, struct error *error);

/* Waits until all are started, and leaves them running. */
void batch_jobs_close(struct batch_jobs *jobs);

#endif
