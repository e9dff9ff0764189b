/*
 * Jobs: runs that outlive the isolator that started them. The engine keeps the container and its
 * log, the supervisor in it keeps the limits, and a file of the user (service/job_note.h) says what
 * is needed to compute the result. A job is found by its id, "isolator-job-ID" is its container.
 *
 *     create, cp, start -a     until the supervisor says that it needs no isolator (DETACHED)
 *     wait, logs, rm           whenever the result is wanted
 *
 * Until then the job is not started: what is left of a start that was killed is removed like any
 * orphan. From then on the job ends by itself.
 */
#ifndef SERVICE_JOBS_H
#define SERVICE_JOBS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "request/plan.h"
#include "run/result.h"
#include "service/audit.h"
#include "service/job_note.h"

struct job_start {
    const struct docker *docker; /* all is borrowed */
    const struct plan *plan;     /* with its files open, and no live input */
    struct audit *audit;
    const char *name;      /* NULL: none */
    const char *artifacts; /* absolute path; NULL: none */
    bool force;
    int keep_hours;        /* after its timeout, after which it is removed */
    int max_running;       /* no more jobs than this one may run then; 0: any number */
    const char *when_full; /* what to do then, for the message; or NULL */
    bool of_model;         /* a model starts it, and waits for it */
    json_t *batch_id;      /* of the request of a batch; borrowed; NULL: none */
    long long batch_line;
    const struct notifier *cancel; /* or NULL */
};

/*
 * Starts a job, and fills in its note, which is empty. The caller releases it; then others can work
 * on the job. False: there is no job, and the result, which is empty, says why. It gets the
 * warnings of the start in either case.
 */
bool jobs_start(const struct job_start *start, struct job_note *note, struct result *result);

/*
 * Waits until the job has ended, until the deadline (clock_now_ms(); 0: none) at the latest, and
 * fills in the result, which is empty. 0: it is what is known of the job, and was added to the
 * audit file; without a container in it if the engine has none of the job, which may be on another
 * engine. -1: the job still runs (`*runs`), the wait was cancelled, or the engine or this host
 * failed; it can be waited for again.
 */
int jobs_wait(const struct docker *docker, struct audit *audit, const struct job_note *note,
              long long deadline, const struct notifier *cancel, struct result *result, bool *runs,
              struct error *error);

/*
 * Waits until the job has ended, or is on this engine no more, however long the engine fails. False
 * if `cancel` is raised.
 */
bool jobs_wait_for_end(const struct docker *docker, const char *id, const struct notifier *cancel);

/*
 * Orders a job to end; its result says so (REASON_CANCELLED). A job that has ended stays as it is.
 */
int jobs_stop(const struct docker *docker, const struct job_note *note,
              const struct notifier *cancel, struct error *error);

/*
 * Removes the container and then the file. A job that runs is only removed by force: ERROR_USAGE.
 */
int jobs_remove(const struct docker *docker, const struct job_note *note, bool force,
                const struct notifier *cancel, struct error *error);

#endif
