#include "cli/run_option_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/duration.h"
#include "base/strbuf.h"
#include "cli/run_options.h"
#include "config/environment.h"
#include "config/limits.h"
#include "config/workdir.h"

int run_option_take_network(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_set_network(policy, value, error);
}

int run_option_take_allow_host(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_allow_host(policy, value, error);
}

int run_option_take_oci_runtime(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_set_oci_runtime(policy, value, error);
}

int run_option_take_read_only(void *place, const char *value, struct error *error)
{
    int *read_only = place;

    *read_only = !value || strcmp(value, "true") == 0;
    if (*read_only || strcmp(value, "false") == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "'%s' is not true or false", value);
}

int run_option_take_cap_drop(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_add_cap_drop(policy, value, error);
}

int run_option_take_user(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_set_user(policy, value, error);
}

/* Overwrites a value in our own arguments, which every user of the host can see. */
static void hide_value(const char *value)
{
    memset((char *)value, 'x', strlen(value));
}

int run_option_take_variable(void *environment, const char *value, struct error *error)
{
    const char *sign = strchr(value, '=');
    const char *inherited;

    if (sign) {
        environment_set(environment, value);
        hide_value(sign + 1);
        return 0;
    }
    inherited = getenv(value);
    if (!inherited)
        return error_set(error, ERROR_USAGE, "'%s' is not set in the environment", value);
    CLEANUP_FREE char *assignment = string_format("%s=%s", value, inherited);
    environment_set(environment, assignment);
    return 0;
}

int run_option_take_workdir(void *place, const char *value, struct error *error)
{
    char **workdir = place;

    free(*workdir);
    *workdir = workdir_parse(value, error);
    return *workdir ? 0 : -1;
}

int run_option_take_artifact(void *request, const char *value, struct error *error)
{
    return request_add_artifact(request, value, error);
}

int run_option_take_code(void *place, const char *value, struct error *error)
{
    struct input *input = place;

    (void)error;
    free(input->code);
    input->code = string_copy(value);
    input->code_length = strlen(value);
    return 0;
}

int run_option_take_path(void *request, const char *value, struct error *error)
{
    return request_add_path(request, value, error);
}

/* What is in the directory, for a session. */
int run_option_take_directory(void *paths, const char *value, struct error *error)
{
    (void)error;
    strvec_pushf(paths, "%s/.", value);
    return 0;
}

int run_option_take_compare(void *mode, const char *value, struct error *error)
{
    return comparison_mode_parse(value, mode, error);
}

int run_option_take_tolerance(void *place, const char *value, struct error *error)
{
    struct comparison_rule *rule = place;
    const bool absolute = strncmp(value, "absolute=", 9) == 0;
    const bool relative = strncmp(value, "relative=", 9) == 0;
    const char *text = value + (absolute || relative ? 9 : 0);
    double number;

    if (decimal_read(text, strlen(text), &number) && number >= 0) {
        *(absolute ? &rule->absolute : relative ? &rule->relative : &rule->tolerance) = number;
        return 0;
    }
    return error_set(error, ERROR_USAGE, "'%s' is not a number from 0, like 1e-6", value);
}

int run_option_take_seconds(void *seconds, const char *value, struct error *error)
{
    long long milliseconds;

    if (duration_parse(value, &milliseconds, error) != 0)
        return -1;
    *(long long *)seconds = (milliseconds + 999) / 1000;
    return 0;
}

int run_option_take_time_limit(void *seconds, const char *value, struct error *error)
{
    double *const number = seconds;

    return decimal_read(value, strlen(value), number) && *number > 0 &&
                   *number <= limit_rules[LIMIT_CPU_TIME].key.maximum
               ? 0
               : error_set(error, ERROR_USAGE,
                           "'%s' is not a number of seconds greater than 0, like 2.5", value);
}
