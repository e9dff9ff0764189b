/*
 * The results of tools for jobs that have not ended. They have the members of the result of a run,
 * so that they fit the same schema: the status is "running", and there is no reason yet.
 */
#ifndef MCP_JOB_RESULT_H
#define MCP_JOB_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "mcp/revision.h"

/* What is known of a job that runs. */
struct running_job {
    const char *id;                /* borrowed */
    long long seconds_left;        /* until its timeout; -1: not known */
    struct strbuf text[2];         /* the output so far, valid UTF-8 */
    bool truncated[2];             /* it is not all of it */
    const struct strvec *warnings; /* borrowed; NULL: none */
};

/* Both return a new reference. */
json_t *job_result_started(const struct running_job *job, const struct revision *revision);
json_t *job_result_running(const struct running_job *job, const struct revision *revision);

#endif
