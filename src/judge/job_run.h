/*
 * The run of a job, in three parts that need not be one process: it is written as a script, its
 * container starts with that, and its result is read from the log. Each part lets run/run_kinds.h
 * run the programs of the plan, in an instance that does something else with what is sent to it
 * (container/job_instance.h). Knows no files of jobs, and does not create or remove their
 * containers.
 */
#ifndef JUDGE_JOB_RUN_H
#define JUDGE_JOB_RUN_H

#include "container/job_instance.h"
#include "judge/judgement.h"

/*
 * Memory in MB that the container of a job has in addition to run->limits: the supervisor keeps the
 * end of the output there.
 */
long job_run_extra_mb(const struct plan *plan);

/* Writes the script of a run that has begun (run_begin()). The script is open. */
int job_run_write(struct judgement *judgement, struct job_script *script, struct error *error);

/*
 * Starts the container of the run, and waits until it does not need this process any more: after
 * the build, if there is one, when the limits are those of the program. A build that fails is no
 * error: the result of the job will say so. `key` is that of its log. -1: the container has to be
 * removed.
 */
int job_run_start(struct judgement *judgement, const struct owned_container *container,
                  const char *key, struct error *error);

/* What is known of a job whose container has ended. All is borrowed. */
struct job_run {
    const struct docker *docker;
    const struct plan *plan;
    const struct manifest *sent; /* the files that the program was given */
    const char *container, *key;
    const struct notifier *cancel; /* or NULL */
};

/*
 * Computes the result, which is empty (RESULT_INIT), from the log. 0: it is what happened, also if
 * that is not known since the container ended too early. -1: the engine did not give the log, or
 * the wait was cancelled; it can be read again.
 */
int job_run_read(const struct job_run *job, struct result *result, struct error *error);

#endif
