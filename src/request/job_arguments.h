/*
 * The arguments of models about jobs: what `background` of the tool execute_code means for the
 * others, and those of the tool wait_job. The errors are ERROR_USAGE, as in
 * request/argument_values.h.
 */
#ifndef REQUEST_JOB_ARGUMENTS_H
#define REQUEST_JOB_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "request/request.h"

/*
 * Seconds that wait_job waits if it is not told, and at most. Hosts give up after 60 s, and before
 * the response the engine is asked for the output.
 */
enum { JOB_WAIT_SECONDS = 30, JOB_WAIT_SECONDS_MAX = 50 };

/* The timeout of a job in seconds if neither the call nor the configuration says more. */
enum { JOB_TIMEOUT = 3600 };

/* Whether the configuration allows models jobs. */
bool job_arguments_offered(const struct config *config);

/*
 * The timeout in seconds of a job whose call names none: the maximum of the configuration, or else
 * JOB_TIMEOUT. The default timeout is that of programs that someone waits for.
 */
double job_arguments_timeout(const struct config *config);

/*
 * Completes a request with `background`: with that timeout, and with the patterns of pictures if
 * the call does not say which files it wants. ERROR_USAGE if it also names a session.
 */
int job_arguments_complete(struct request *request, const struct config *config,
                           struct error *error);

struct wait_arguments {
    char job[JOB_ID_SIZE]; /* digits alone, so it can be part of a path */
    double seconds;        /* from 1 to JOB_WAIT_SECONDS_MAX */
    bool stop;             /* the job has to end */
};

/* Reads the arguments of wait_job, an object or NULL; adds to the warnings. */
int job_arguments_read_wait(const json_t *arguments, struct wait_arguments *wait,
                            struct strvec *warnings, struct error *error);

#endif
