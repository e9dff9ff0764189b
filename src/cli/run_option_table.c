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

static int take_timeout(void *limits, const char *value, struct error *error)
{
    long long milliseconds;

    return duration_parse(value, &milliseconds, error) == 0
               ? limits_set_number(limits, LIMIT_TIMEOUT, (double)milliseconds / 1000, error)
               : -1;
}

static int take_network(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_set_network(policy, value, error);
}

static int take_read_only(void *place, const char *value, struct error *error)
{
    int *read_only = place;

    *read_only = !value || strcmp(value, "true") == 0;
    if (*read_only || strcmp(value, "false") == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "'%s' is not true or false", value);
}

static int take_cap_drop(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_add_cap_drop(policy, value, error);
}

static int take_user(void *policy, const char *value, struct error *error)
{
    return sandbox_policy_set_user(policy, value, error);
}

static int take_runtime(void *options, const char *value, struct error *error)
{
    (void)options;
    if (strcmp(value, "docker") == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "'%s' is not supported; use docker", value);
}

/* Overwrites a value in our own arguments, which every user of the host can see. */
static void hide_value(const char *value)
{
    memset((char *)value, 'x', strlen(value));
}

static int take_variable(void *environment, const char *value, struct error *error)
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

static int take_workdir(void *place, const char *value, struct error *error)
{
    char **workdir = place;

    free(*workdir);
    *workdir = workdir_parse(value, error);
    return *workdir ? 0 : -1;
}

static int take_artifact(void *request, const char *value, struct error *error)
{
    return request_add_artifact(request, value, error);
}

static int take_compare(void *mode, const char *value, struct error *error)
{
    return comparison_mode_parse(value, mode, error);
}

static int take_tolerance(void *place, const char *value, struct error *error)
{
    struct run_options *options = place;

    options->tolerance_given = true;
    if (decimal_read(value, strlen(value), &options->tolerance) && options->tolerance >= 0)
        return 0;
    return error_set(error, ERROR_USAGE, "'%s' is not a number from 0, like 1e-6", value);
}

#define STRING(member) OPTION_COPY(struct run_options, member)
#define FLAG(member)   OPTION_FLAG(struct run_options, member)
#define LIMIT(which)   OPTION_LIMIT(struct run_options, request.policy.limits, which)
/* Gets all options. */
#define WITH_ALL(function)     .kind = OPTION_CALLS, .apply = (function)
#define CALL(function, member) OPTION_CALL(struct run_options, member, function)

/* The commands that have an option. */
#define RUN             (1 << RUN_OPTIONS_RUN)
#define TEST            (1 << RUN_OPTIONS_TEST)
#define SESSION         (1 << RUN_OPTIONS_SESSION)
#define BOTH            (RUN | TEST)
#define ALL             (BOTH | SESSION)
#define FOR(which)      .commands = (which)
#define ABOUT(key)      .subject = (key)
#define OFFER(which)    .values = (which)
#define CHOICES(values) .choices = (values)

static const struct option_rule rules[] = {
    {'l', "--language", "NAME", "language (default: from the file's extension)",
     STRING(request.language), ABOUT(REQUEST_LANGUAGE), FOR(ALL), OFFER(VALUES_LANGUAGES)},
    {'d', "--dir", "DIR", "send the contents of this directory", STRING(request.input.dir),
     FOR(BOTH)},
    {'e', "--entrypoint", "PATH", "program file inside --dir", STRING(request.entrypoint),
     ABOUT(REQUEST_ENTRYPOINT), FOR(BOTH)},
    {0, "--tests", "DIR", "tests: files NAME.in, NAME.out, NAME.args", STRING(tests), FOR(TEST)},
    {0, "--compare", "MODE", COMPARISON_MODE_NAMES " (trim)", CALL(take_compare, compare),
     FOR(TEST), CHOICES("trim exact tokens float")},
    {0, "--tolerance", "NUMBER", "for float: absolute or relative (1e-6)", WITH_ALL(take_tolerance),
     FOR(TEST)},
    {0, "--stop-on-failure", NULL, "end after the first test that is not passed",
     FLAG(stop_on_failure), FOR(TEST)},
    {'j', "--jobs", "N", "FILEs at a time (one per processor core)",
     OPTION_WHOLE(struct run_options, jobs, 1, JOBS_MAX), FOR(TEST)},
    {0, "--stdin", "FILE", "the program's stdin; - is isolator's own", STRING(stdin_path),
     FOR(RUN)},
    {0, "--env", "KEY[=VALUE]", "set or pass on a variable; repeatable",
     CALL(take_variable, request.environment), FOR(ALL)},
    {'t', "--timeout", "DURATION", "timeout, like 500ms or 1m30s (60s)",
     CALL(take_timeout, request.policy.limits), ABOUT("timeoutSeconds"), FOR(ALL)},
    {'m', "--memory", "MB", "memory, without swap (256)", LIMIT(LIMIT_MEMORY), FOR(ALL)},
    {'c', "--cpus", "N", "CPU cores, fractions allowed (0.5)", LIMIT(LIMIT_CPUS), FOR(ALL)},
    {0, "--cpu-seconds", "N", "CPU time of all processes; 0: no limit (0)", LIMIT(LIMIT_CPU_TIME),
     FOR(ALL)},
    {0, "--pids-limit", "N", "processes and threads (64)", LIMIT(LIMIT_PIDS), FOR(ALL)},
    {0, "--workdir-size", "MB", "size of the working directory (64)", LIMIT(LIMIT_WORKDIR),
     FOR(ALL)},
    {0, "--tmp-size", "MB", "size of /tmp (64)", LIMIT(LIMIT_TMP), FOR(ALL)},
    {0, "--output-limit", "BYTES", "bytes kept of each output stream (1048576)",
     LIMIT(LIMIT_OUTPUT), FOR(RUN | SESSION)},
    {0, "--output-limit", "BYTES", "bytes kept of each stream of a test (4096)",
     OPTION_WHOLE(struct run_options, request.test_output_bytes, TEST_OUTPUT_BYTES_MIN,
                  TEST_OUTPUT_BYTES_MAX),
     FOR(TEST)},
    {0, "--network", "NAME", "none, bridge or an engine's network (none)",
     CALL(take_network, request.policy), ABOUT("network"), FOR(ALL), OFFER(VALUES_NETWORKS)},
    {0, "--read-only", "[BOOL]", "read-only root file system (true)",
     CALL(take_read_only, request.policy.read_only), ABOUT("readOnly"), FOR(ALL),
     CHOICES("true false")},
    {0, "--cap-drop", "LIST", "capabilities to drop; repeatable (ALL)",
     CALL(take_cap_drop, request.policy), ABOUT("capDrop"), FOR(ALL), CHOICES("ALL")},
    {0, "--user", "UID[:GID]", "user of the program (one of its own)",
     CALL(take_user, request.policy), ABOUT("user"), FOR(ALL)},
    {0, "--image", "IMAGE", "use this image, not the language's", STRING(request.image), FOR(ALL)},
    {0, "--pull", NULL, "fetch the image first if it is missing", FLAG(pull), FOR(ALL)},
    {0, "--container-workdir", "PATH", "working directory (/workspace)",
     CALL(take_workdir, request.workdir), FOR(ALL), CHOICES("")},
    {0, "--artifacts", "DIR", "write the files that the program makes to DIR", STRING(artifacts),
     FOR(RUN)},
    {0, "--artifact", "GLOB", "only files that match, like *.png; repeatable",
     CALL(take_artifact, request), FOR(RUN)},
    {0, "--artifacts", "DIR", "write the figures of cells to DIR", STRING(artifacts), FOR(SESSION)},
    {0, "--artifact", "GLOB", "and files that match, like *.csv; repeatable",
     CALL(take_artifact, request), FOR(SESSION)},
    {0, "--force", NULL, "replace existing files in DIR", FLAG(force), FOR(RUN)},
    {0, "--save-image", "TAG", "on success: save files and command as image",
     STRING(request.save_image), FOR(RUN)},
    {0, "--save-dockerfile", "PATH", "on success: write a Dockerfile",
     STRING(request.save_dockerfile), FOR(RUN)},
    {0, "--runtime", "NAME", "family of container commands (docker)", WITH_ALL(take_runtime),
     FOR(RUN), CHOICES("docker")},
    {0, "--config", "FILE", "configuration file", STRING(config_path), FOR(ALL)},
    {0, "--keep-processes", NULL, "processes of a cell go on after it", FLAG(keep_processes),
     FOR(SESSION)},
    {0, "--json", NULL, "print the result as JSON, also at a terminal", FLAG(json),
     FOR(TEST | SESSION)},
    {0, "--table", NULL, "print a table, also elsewhere", FLAG(table), FOR(TEST)},
    {0, "--stream", NULL, "pass on output as it comes, print no JSON", FLAG(stream), FOR(RUN)},
    {'v', "--verbose", NULL, "trace each step with its time on stderr", FLAG(verbose), FOR(ALL)},
    {'h', "--help", NULL, "print this summary", FLAG(help), FOR(ALL)},
};

#define DEFAULTS "Defaults are in parentheses; configuration and language may change them.\n"

const struct option_table run_option_tables[] = {
    [RUN_OPTIONS_RUN] =
        {.command = "isolator run",
         .usage = "usage: isolator run [OPTIONS] [FILE] [-- ARG...]\n"
                  "\n"
                  "Runs FILE (- for stdin), or the --entrypoint of --dir, in a fresh, locked-down\n"
                  "container and prints one JSON result. Arguments after -- go to the program.\n",
         .after = DEFAULTS
         "Exit status: 0 success, 1 program failed, 2 usage or input, 3 engine or image,\n"
         "124 timeout, 130 or 143 interrupted. See isolator(1).\n",
         .commands = RUN,
         .has_rest = true,
         .operands = VALUES_FILES,
         OPTION_RULES(rules)},
    [RUN_OPTIONS_TEST] =
        {.command = "isolator test",
         .usage =
             "usage: isolator test [OPTIONS] --tests DIR [FILE...] [-- ARG...]\n"
             "\n"
             "Runs FILE (- for stdin), or the --entrypoint of --dir, with each test of DIR in\n"
             "one container, and prints a table at a terminal, otherwise one JSON result.\n"
             "Several FILEs run in a container each, with a row or a JSON result for each.\n",
         .after = DEFAULTS
         "Exit status: 0 all passed, 1 some did not or the build failed, 2 usage or input,\n"
         "3 engine or image, 130 or 143 interrupted. See isolator-test(1).\n",
         .commands = TEST,
         .has_rest = true,
         .operands = VALUES_FILES,
         OPTION_RULES(rules)},
    [RUN_OPTIONS_SESSION] =
        {.command = "isolator session",
         .usage =
             "usage: isolator session [OPTIONS] [FILE] [-- ARG...]\n"
             "\n"
             "Runs cells one after the other in one container, whose files, and in Python and\n"
             "JavaScript also variables, stay until the end. Asks for cells at a terminal;\n"
             "otherwise reads them from FILE or stdin, with lines like '# %%' between them.\n",
         .after = DEFAULTS
         "Exit status: 0 all cells succeeded, 1 some failed, 2 usage or input, 3 engine,\n"
         "130 or 143 interrupted. See isolator-session(1).\n",
         .commands = SESSION,
         .has_rest = true,
         .operands = VALUES_FILES,
         OPTION_RULES(rules)},
};

/* All have the same rules. */
const char *run_options_namer(const char *subject)
{
    return options_name(&run_option_tables[RUN_OPTIONS_RUN], subject);
}
