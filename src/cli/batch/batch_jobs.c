#include "cli/batch/batch_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/thread.h"
#include "cli/jobs/job_discard.h"

enum batch_job_state {
    JOB_ENDED, /* or there is none; its thread ends */
    JOB_STARTING,
    JOB_RUNNING
};

struct batch_job {
    struct batch_jobs *jobs;
    bool has_thread; /* `thread` is to be joined; of the thread that starts the jobs */
    pthread_t thread;
    enum batch_job_state state; /* with the lock; the rest belongs to `thread` until it has ended */
    struct plan plan;
    json_t *batch_id; /* a reference; NULL: none */
    long long line;
    void *context;
};

int batch_jobs_open(struct batch_jobs *jobs, const struct batch_jobs_options *options,
                    struct error *error)
{
    *jobs = (struct batch_jobs){.options = *options, .stop = NOTIFIER_INIT};
    if (notifier_open(&jobs->stop, error) != 0)
        return -1;
    jobs->jobs = memory_allocate((size_t)options->max * sizeof *jobs->jobs);
    for (int i = 0; i < options->max; i++)
        jobs->jobs[i] = (struct batch_job){.jobs = jobs, .state = JOB_ENDED};
    pthread_mutex_init(&jobs->lock, NULL);
    return 0;
}

/* ---- the thread of a job */

static void set_state(struct batch_job *job, enum batch_job_state state)
{
    THREAD_LOCK(&job->jobs->lock);
    job->state = state;
    notifier_raise(job->jobs->options.changed);
}

/* Starts the job, and reports that. True: it runs and has this id. */
static bool start_job(struct batch_job *job, char id[JOB_ID_SIZE])
{
    const struct batch_jobs_options *options = &job->jobs->options;
    CLEANUP_FREE char *artifacts =
        options->artifacts ? string_format("%s/%lld", options->artifacts, job->line) : NULL;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct job_note note = JOB_NOTE_INIT;
    const struct job_start start = {.docker = options->docker,
                                    .plan = &job->plan,
                                    .audit = options->audit,
                                    .artifacts = artifacts,
                                    .force = options->force,
                                    .keep_hours = options->keep_hours,
                                    .batch_id = job->batch_id,
                                    .batch_line = job->line,
                                    .cancel = signals_cancel()};
    const bool started = jobs_start(&start, &note, &result);

    memcpy(id, note.id, JOB_ID_SIZE);
    job_note_release(&note); /* the reader of the id may use the job at once */
    if (options->started(job->context, started ? id : NULL, &result) || !started)
        return started;
    job_discard(options->docker, id);
    return false;
}

static void *run_job(void *context)
{
    struct batch_job *job = context;
    char id[JOB_ID_SIZE];
    const bool runs = start_job(job, id);

    plan_release(&job->plan);
    json_decref(job->batch_id);
    if (runs) {
        set_state(job, JOB_RUNNING);
        jobs_wait_for_end(job->jobs->options.docker, id, &job->jobs->stop);
    }
    set_state(job, JOB_ENDED);
    return NULL;
}

/* ---- */

/* Returns a job in this state, or NULL. */
static struct batch_job *find_job(struct batch_jobs *jobs, enum batch_job_state state)
{
    THREAD_LOCK(&jobs->lock);
    for (int i = 0; i < jobs->options.max; i++)
        if (jobs->jobs[i].state == state)
            return &jobs->jobs[i];
    return NULL;
}

bool batch_jobs_have_room(struct batch_jobs *jobs)
{
    return find_job(jobs, JOB_ENDED) != NULL;
}

bool batch_jobs_are_started(struct batch_jobs *jobs)
{
    return find_job(jobs, JOB_STARTING) == NULL;
}

static void join_thread(struct batch_job *job)
{
    if (job->has_thread)
        pthread_join(job->thread, NULL);
    job->has_thread = false;
}

int batch_jobs_start(struct batch_jobs *jobs, struct plan *plan, const json_t *id, long long line,
                     void *context, struct error *error)
{
    struct batch_job *job = find_job(jobs, JOB_ENDED);

    join_thread(job);
    job->plan = *plan;
    job->batch_id = id ? json_deep_copy(id) : NULL; /* reference counts are not for two threads */
    job->line = line;
    job->context = context;
    job->state = JOB_STARTING;
    job->has_thread = thread_start(&job->thread, run_job, job) == 0;
    if (job->has_thread) {
        *plan = (struct plan)PLAN_INIT;
        return 0;
    }
    error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    job->state = JOB_ENDED;
    json_decref(job->batch_id);
    return -1;
}

void batch_jobs_close(struct batch_jobs *jobs)
{
    notifier_raise(&jobs->stop);
    for (int i = 0; i < jobs->options.max; i++)
        join_thread(&jobs->jobs[i]);
    free(jobs->jobs);
    notifier_release(&jobs->stop);
    pthread_mutex_destroy(&jobs->lock);
}
