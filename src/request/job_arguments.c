#include "request/job_arguments.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "request/argument_members.h"
#include "request/argument_names.h"

bool job_arguments_offered(const struct config *config)
{
    return config->jobs.max_running > 0;
}

double job_arguments_timeout(const struct config *config)
{
    const double maximum = config->maximums.limits.number[LIMIT_TIMEOUT];

    return isfinite(maximum) ? maximum : JOB_TIMEOUT;
}

int job_arguments_complete(struct request *request, const struct config *config,
                           struct error *error)
{
    static const char *const pictures[] = {"*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.svg"};
    const double timeout = request->policy.limits.number[LIMIT_TIMEOUT];

    if (request->session.open || request->session.id[0] != '\0')
        return error_set(error, ERROR_USAGE,
                         "background excludes session: a program in the background has a container "
                         "of its own; leave one of them out");
    if (isnan(timeout) && limits_set_number(&request->policy.limits, LIMIT_TIMEOUT,
                                            job_arguments_timeout(config), error) != 0)
        return -1;
    if (!request->unrequested)
        return 0;
    request->unrequested = false; /* the script of a job looks only for patterns */
    request->artifacts_optional = true;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (request_add_artifact(request, pictures[i], error) != 0)
            return -1;
    return 0;
}

/* ---- wait_job */

static int read_job(struct argument_reader *reader, const char *name, const json_t *value,
                    void *job)
{
    const char *text = json_string_value(value);
    const size_t length = JOB_ID_SIZE - 1;

    if (json_string_length(value) != length || strspn(text, "0123456789abcdef") != length)
        return argument_wrong(reader, name,
                              "the id of a job, 16 digits that execute_code has returned for a "
                              "program in the background");
    memcpy(job, text, JOB_ID_SIZE);
    return 0;
}

static int read_seconds(struct argument_reader *reader, const char *name, const json_t *value,
                        void *target)
{
    const double seconds = json_number_value(value);

    if (!json_is_number(value) || !(seconds >= 0))
        return argument_wrong(reader, name, "a number of seconds, at most 50");
    *(double *)target = fmin(fmax(seconds, 1), JOB_WAIT_SECONDS_MAX);
    return 0;
}

#define WAIT(member) .offset = offsetof(struct wait_arguments, member)
static const struct argument_member members[] = {
    {"job", ARGUMENT_NAME, WAIT(job), .read = read_job},
    {"wait_seconds", ARGUMENT_NUMBER, WAIT(seconds), .read = read_seconds},
    {"stop", ARGUMENT_BOOLEAN, WAIT(stop)},
    ARGUMENT_MEMBERS_END,
};

int job_arguments_read_wait(const json_t *arguments, struct wait_arguments *wait,
                            struct strvec *warnings, struct error *error)
{
    struct argument_reader reader = {.error = error, .warnings = warnings};
    CLEANUP(strvec_release) struct strvec known = STRVEC_INIT;
    const struct argument_names names = {.known = &known};
    json_auto_t *resolved = NULL;

    *wait = (struct wait_arguments){.seconds = JOB_WAIT_SECONDS};
    for (const struct argument_member *member = members; member->name; member++)
        strvec_push(&known, member->name);
    resolved = argument_names_resolve(&names, arguments, warnings, error);
    if (!resolved)
        return -1;
    for (const struct argument_member *member = members; member->name; member++) {
        json_auto_t *value = argument_given(&reader, resolved, member->name, member->type);

        if (value && argument_member_read(&reader, member, member->name, value, wait) != 0)
            return argument_hint(&reader, value, member->type);
    }
    return wait->job[0] != '\0' ? 0 : read_job(&reader, "job", NULL, wait->job);
}
