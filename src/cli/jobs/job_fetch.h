/*
 * Fetches the result of a job: waits for it, writes its files, prints it and removes the job. For
 * `isolator wait`, which prints results in several ways.
 */
#ifndef CLI_JOBS_JOB_FETCH_H
#define CLI_JOBS_JOB_FETCH_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "docker/docker.h"
#include "run/result.h"
#include "service/audit.h"
#include "service/job_note.h"

struct job_fetch {
    const struct config *config; /* borrowed, like the next two */
    const struct docker *docker;
    struct audit *audit;
    long long deadline; /* clock_now_ms(), of the wait; 0: none */
    bool keep;          /* do not remove the job */
    /* Prints a result. False: it could not be written; a message says so. */
    bool (*print)(void *context, const struct job_note *note, struct result *result);
    void *context;
};

/*
 * The job is removed after its result was printed and its files are in place. If either fails, it
 * stays, and so it does if its container is not on this engine. The note is empty; the caller
 * releases it. Returns an exit status; EXIT_STATUS_TIMEOUT if the deadline passes first, after a
 * message. -1 with the error: the job stays.
 */
int job_fetch(const struct job_fetch *fetch, const char *word, struct job_note *note,
              struct error *error);

/* The members that the result of a batch begins with: an object, a new reference. */
json_t *job_fetch_members(const struct job_note *note);

#endif
