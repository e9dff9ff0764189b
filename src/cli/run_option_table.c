#include "cli/run_option_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/duration.h"
#include "base/strbuf.h"
#include "cli/jobs.h"
#include "config/environment.h"
#include "config/workdir.h"

static void set_string(char **target, const char *value)
{
    free(*target);
    *target = string_copy(value);
}

const char *run_options_namer(const char *subject)
{
    static const struct {
        const char *subject, *option;
    } names[] = {{"timeoutSeconds", "--timeout"},
                 {"memoryMB", "--memory"},
                 {"cpus", "--cpus"},
                 {"pidsLimit", "--pids-limit"},
                 {"workdirMB", "--workdir-size"},
                 {"tmpMB", "--tmp-size"},
                 {"outputBytes", "--output-limit"},
                 {"cpuSeconds", "--cpu-seconds"},
                 {"network", "--network"},
                 {"readOnly", "--read-only"},
                 {"capDrop", "--cap-drop"},
                 {"user", "--user"},
                 {REQUEST_LANGUAGE, "--language"},
                 {REQUEST_ENTRYPOINT, "--entrypoint"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(subject, names[i].subject) == 0)
            return names[i].option;
    return NULL;
}

static int set_number(struct run_options *options, enum limit_number which, const char *value,
                      struct error *error)
{
    const struct key_rule *rule = &limit_rules[which];
    double number;

    if (number_parse(value, rule->unit + strspn(rule->unit, " "), &number, error) != 0)
        return error_prefix(error, "%s", run_options_namer(rule->name));
    return limits_set_number(&options->request.policy.limits, which, number, error);
}

static int apply_timeout(struct run_options *options, const char *value, struct error *error)
{
    long long milliseconds;

    if (duration_parse(value, &milliseconds, error) != 0)
        return error_prefix(error, "--timeout");
    return limits_set_number(&options->request.policy.limits, LIMIT_TIMEOUT,
                             (double)milliseconds / 1000, error);
}

static int apply_network(struct run_options *options, const char *value, struct error *error)
{
    return sandbox_policy_set_network(&options->request.policy, value, error) == 0
               ? 0
               : error_prefix(error, "--network");
}

static int apply_read_only(struct run_options *options, const char *value, struct error *error)
{
    if (!value || strcmp(value, "true") == 0)
        options->request.policy.read_only = 1;
    else if (strcmp(value, "false") == 0)
        options->request.policy.read_only = 0;
    else
        return error_set(error, ERROR_USAGE, "--read-only: '%s' is not true or false", value);
    return 0;
}

static int apply_cap_drop(struct run_options *options, const char *value, struct error *error)
{
    return sandbox_policy_add_cap_drop(&options->request.policy, value, error) == 0
               ? 0
               : error_prefix(error, "--cap-drop");
}

static int apply_runtime(struct run_options *options, const char *value, struct error *error)
{
    (void)options;
    if (strcmp(value, "docker") == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "--runtime: '%s' is not supported; use docker", value);
}

/* Overwrites a value in our own arguments, which every user of the host can see. */
static void hide_value(const char *value)
{
    memset((char *)value, 'x', strlen(value));
}

static int apply_env(struct run_options *options, const char *value, struct error *error)
{
    const char *sign = strchr(value, '=');
    const char *inherited;

    if (sign) {
        environment_set(&options->request.environment, value);
        hide_value(sign + 1);
        return 0;
    }
    inherited = getenv(value);
    if (!inherited)
        return error_set(error, ERROR_USAGE, "--env: '%s' is not set in the environment", value);
    CLEANUP_FREE char *assignment = string_format("%s=%s", value, inherited);
    environment_set(&options->request.environment, assignment);
    return 0;
}

static int apply_user(struct run_options *options, const char *value, struct error *error)
{
    return sandbox_policy_set_user(&options->request.policy, value, error) == 0
               ? 0
               : error_prefix(error, "--user");
}

static int apply_workdir(struct run_options *options, const char *value, struct error *error)
{
    free(options->request.workdir);
    options->request.workdir = workdir_parse(value, error);
    return options->request.workdir ? 0 : -1;
}

static int apply_artifact(struct run_options *options, const char *value, struct error *error)
{
    return request_add_artifact(&options->request, value, error) == 0
               ? 0
               : error_prefix(error, "--artifact");
}

static int apply_test_output(struct run_options *options, const char *value, struct error *error)
{
    double bytes;

    if (number_parse(value, "bytes", &bytes, error) != 0)
        return error_prefix(error, "--output-limit");
    if (!(bytes >= TEST_OUTPUT_BYTES_MIN && bytes <= TEST_OUTPUT_BYTES_MAX) || bytes != (int)bytes)
        return error_set(error, ERROR_USAGE,
                         "--output-limit must be a whole number from %d to %d bytes",
                         TEST_OUTPUT_BYTES_MIN, TEST_OUTPUT_BYTES_MAX);
    options->request.test_output_bytes = (int)bytes;
    return 0;
}

static int apply_compare(struct run_options *options, const char *value, struct error *error)
{
    return comparison_mode_parse(value, &options->compare, error) == 0
               ? 0
               : error_prefix(error, "--compare");
}

static int apply_tolerance(struct run_options *options, const char *value, struct error *error)
{
    options->tolerance_given = true;
    if (decimal_read(value, strlen(value), &options->tolerance) && options->tolerance >= 0)
        return 0;
    return error_set(error, ERROR_USAGE, "--tolerance: '%s' is not a number from 0, like 1e-6",
                     value);
}

static int apply_jobs(struct run_options *options, const char *value, struct error *error)
{
    return jobs_parse(value, &options->jobs, error);
}

#define STRING(member) SETS_STRING, offsetof(struct run_options, member), NULL
#define FLAG(member)   RAISES_FLAG, offsetof(struct run_options, member), NULL
#define NUMBER(which)  SETS_NUMBER, (which), NULL
#define CALL(function) CALLS, 0, (function)

/* The commands that have an option. */
#define RUN     (1 << RUN_OPTIONS_RUN)
#define TEST    (1 << RUN_OPTIONS_TEST)
#define SESSION (1 << RUN_OPTIONS_SESSION)
#define BOTH    (RUN | TEST)
#define ALL     (BOTH | SESSION)

const struct run_option run_option_table[RUN_OPTIONS] = {
    {ALL, 'l', "language", "NAME", "language (default: from the file's extension)",
     STRING(request.language)},
    {BOTH, 'd', "dir", "DIR", "send the contents of this directory", STRING(request.input.dir)},
    {BOTH, 'e', "entrypoint", "PATH", "program file inside --dir", STRING(request.entrypoint)},
    {TEST, 0, "tests", "DIR", "tests: files NAME.in, NAME.out, NAME.args", STRING(tests)},
    {TEST, 0, "compare", "MODE", COMPARISON_MODE_NAMES " (trim)", CALL(apply_compare)},
    {TEST, 0, "tolerance", "NUMBER", "for float: absolute or relative (1e-6)",
     CALL(apply_tolerance)},
    {TEST, 0, "stop-on-failure", NULL, "end after the first test that is not passed",
     FLAG(stop_on_failure)},
    {TEST, 'j', "jobs", "N", "FILEs at a time (one per processor core)", CALL(apply_jobs)},
    {RUN, 0, "stdin", "FILE", "the program's stdin; - is isolator's own", STRING(stdin_path)},
    {ALL, 0, "env", "KEY[=VALUE]", "set or pass on a variable; repeatable", CALL(apply_env)},
    {ALL, 't', "timeout", "DURATION", "timeout, like 500ms or 1m30s (60s)", CALL(apply_timeout)},
    {ALL, 'm', "memory", "MB", "memory, without swap (256)", NUMBER(LIMIT_MEMORY)},
    {ALL, 'c', "cpus", "N", "CPU cores, fractions allowed (0.5)", NUMBER(LIMIT_CPUS)},
    {ALL, 0, "cpu-seconds", "N", "CPU time of all processes; 0: no limit (0)",
     NUMBER(LIMIT_CPU_TIME)},
    {ALL, 0, "pids-limit", "N", "processes and threads (64)", NUMBER(LIMIT_PIDS)},
    {ALL, 0, "workdir-size", "MB", "size of the working directory (64)", NUMBER(LIMIT_WORKDIR)},
    {ALL, 0, "tmp-size", "MB", "size of /tmp (64)", NUMBER(LIMIT_TMP)},
    {RUN | SESSION, 0, "output-limit", "BYTES", "bytes kept of each output stream (1048576)",
     NUMBER(LIMIT_OUTPUT)},
    {TEST, 0, "output-limit", "BYTES", "bytes kept of each stream of a test (4096)",
     CALL(apply_test_output)},
    {ALL, 0, "network", "NAME", "none, bridge or an engine's network (none)", CALL(apply_network)},
    {ALL, 0, "read-only", "[BOOL]", "read-only root file system (true)", CALL(apply_read_only)},
    {ALL, 0, "cap-drop", "LIST", "capabilities to drop; repeatable (ALL)", CALL(apply_cap_drop)},
    {ALL, 0, "user", "UID[:GID]", "user of the program (one of its own)", CALL(apply_user)},
    {ALL, 0, "image", "IMAGE", "use this image, not the language's", STRING(request.image)},
    {ALL, 0, "pull", NULL, "fetch the image first if it is missing", FLAG(pull)},
    {ALL, 0, "container-workdir", "PATH", "working directory (/workspace)", CALL(apply_workdir)},
    {RUN, 0, "artifacts", "DIR", "write the files that the program makes to DIR",
     STRING(artifacts)},
    {RUN, 0, "artifact", "GLOB", "only files that match, like *.png; repeatable",
     CALL(apply_artifact)},
    {SESSION, 0, "artifacts", "DIR", "write the figures of cells to DIR", STRING(artifacts)},
    {SESSION, 0, "artifact", "GLOB", "and files that match, like *.csv; repeatable",
     CALL(apply_artifact)},
    {RUN, 0, "force", NULL, "replace existing files in DIR", FLAG(force)},
    {RUN, 0, "save-image", "TAG", "on success: save files and command as image",
     STRING(request.save_image)},
    {RUN, 0, "save-dockerfile", "PATH", "on success: write a Dockerfile",
     STRING(request.save_dockerfile)},
    {RUN, 0, "runtime", "NAME", "family of container commands (docker)", CALL(apply_runtime)},
    {ALL, 0, "config", "FILE", "configuration file", STRING(config_path)},
    {SESSION, 0, "keep-processes", NULL, "processes of a cell go on after it",
     FLAG(keep_processes)},
    {TEST | SESSION, 0, "json", NULL, "print the result as JSON, also at a terminal", FLAG(json)},
    {TEST, 0, "table", NULL, "print a table, also elsewhere", FLAG(table)},
    {RUN, 0, "stream", NULL, "pass on output as it comes, print no JSON", FLAG(stream)},
    {ALL, 'v', "verbose", NULL, "trace each step with its time on stderr", FLAG(verbose)},
    {ALL, 'h', "help", NULL, "print this summary", FLAG(help)},
};

int run_option_apply(struct run_options *options, const struct run_option *option,
                     const char *value, struct error *error)
{
    char *place = (char *)options + option->place;

    switch (option->kind) {
    case SETS_STRING:
        set_string((char **)place, value);
        return 0;
    case RAISES_FLAG:
        *(bool *)place = true;
        return 0;
    case SETS_NUMBER:
        return set_number(options, (enum limit_number)option->place, value, error);
    case CALLS:
        break;
    }
    return option->apply(options, value, error);
}
