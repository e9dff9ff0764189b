#include "request/job_arguments.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "request/argument_names.h"
#include "request/argument_values.h"

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

static int read_job(struct argument_reader *reader, const json_t *value,
                    struct wait_arguments *wait)
{
    const char *text = json_string_value(value);
    const size_t length = JOB_ID_SIZE - 1;

    if (json_string_length(value) != length || strspn(text, "0123456789abcdef") != length)
        return argument_wrong(reader, "job",
                              "the id of a job, 16 digits that execute_code has returned for a "
                              "program in the background");
    memcpy(wait->job, text, JOB_ID_SIZE);
    return 0;
}

static int read_seconds(struct argument_reader *reader, const json_t *value,
                        struct wait_arguments *wait)
{
    const double seconds = json_number_value(value);

    if (!json_is_number(value) || !(seconds >= 0))
        return argument_wrong(reader, "wait_seconds", "a number of seconds, at most 50");
    wait->seconds = fmin(fmax(seconds, 1), JOB_WAIT_SECONDS_MAX);
    return 0;
}

static int read_stop(struct argument_reader *reader, const json_t *value,
                     struct wait_arguments *wait)
{
    return argument_flag(reader, "stop", value, &wait->stop);
}

static const struct wait_argument {
    const char *name;
    enum argument_type type;
    int (*read)(struct argument_reader *reader, const json_t *value, struct wait_arguments *wait);
} table[] = {
    {"job", ARGUMENT_NAME, read_job},
    {"wait_seconds", ARGUMENT_NUMBER, read_seconds},
    {"stop", ARGUMENT_BOOLEAN, read_stop},
};
enum { ROWS = sizeof table / sizeof *table };

int job_arguments_read_wait(const json_t *arguments, struct wait_arguments *wait,
                            struct strvec *warnings, struct error *error)
{
    struct argument_reader reader = {.error = error, .warnings = warnings};
    CLEANUP(strvec_release) struct strvec known = STRVEC_INIT;
    const struct argument_names names = {.known = &known};
    json_auto_t *resolved = NULL;

    *wait = (struct wait_arguments){.seconds = JOB_WAIT_SECONDS};
    for (int i = 0; i < ROWS; i++)
        strvec_push(&known, table[i].name);
    resolved = argument_names_resolve(&names, arguments, warnings, error);
    if (!resolved)
        return -1;
    for (int i = 0; i < ROWS; i++) {
        json_auto_t *value = argument_given(&reader, resolved, table[i].name, table[i].type);

        if (value && table[i].read(&reader, value, wait) != 0)
            return argument_hint(&reader, value, table[i].type);
    }
    return wait->job[0] != '\0' ? 0 : read_job(&reader, NULL, wait);
}
