#include "cli/run_options.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static int check_files(const struct run_options *options, struct error *error)
{
    CLEANUP_FREE char *escaped = NULL;

    if (options->files.count <= 1 || options->command != RUN_OPTIONS_SESSION)
        return 0;
    escaped = text_escape(options->files.items[1]);
    return error_set(error, ERROR_USAGE,
                     "unexpected argument '%s': only one FILE has cells; send others with --file, "
                     "and put arguments after --",
                     escaped);
}

const struct comparison_names run_options_comparison_names = {
    .mode = "--compare",
    .tolerance = "--tolerance",
    .absolute = "--tolerance absolute=NUMBER",
    .relative = "--tolerance relative=NUMBER",
};

/* At most one program decides, and only one that talks has a transcript. */
static int check_judges(const struct run_options *options, struct error *error)
{
    const struct {
        const char *name, *path;
    } judges[] = {{"--checker", options->checker},
                  {"--validator", options->validator},
                  {"--interactor", options->interactor},
                  {"--interactive-validator", options->interactive_validator}};
    const char *given = NULL;

    for (size_t i = 0; i < sizeof judges / sizeof *judges; i++) {
        if (!judges[i].path)
            continue;
        if (given)
            return error_set(error, ERROR_USAGE, "%s and %s cannot be used together", given,
                             judges[i].name);
        given = judges[i].name;
    }
    if (options->transcript && !options->interactor && !options->interactive_validator)
        return error_set(error, ERROR_USAGE,
                         "--transcript needs --interactor or --interactive-validator");
    return 0;
}

/* What the package says itself. */
static int check_problem(const struct run_options *options, struct error *error)
{
    const struct comparison_rule *comparison = &options->comparison;
    const struct {
        bool given;
        const char *option;
    } refused[] = {
        {options->tests, "--tests"},
        {options->request.input.dir, "--dir"},
        {options->request.entrypoint, "--entrypoint"},
        {comparison->mode != COMPARE_TRIM, "--compare"},
        {comparison->ignore_case, "--ignore-case"},
        {comparison->tolerance >= 0 || comparison->absolute >= 0 || comparison->relative >= 0,
         "--tolerance"},
        {options->checker, "--checker"},
        {options->validator, "--validator"},
        {options->interactor, "--interactor"},
        {options->interactive_validator, "--interactive-validator"},
        {options->stop_on_failure, "--stop-on-failure"},
        {strvec_contains(&options->files, "-"), "-"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return error_set(error, ERROR_USAGE,
                             "--problem and %s cannot be used together; the package says what is "
                             "tested, and how",
                             refused[i].option);
    return 0;
}

static int check_time_limit(const struct run_options *options, struct error *error)
{
    const double *given = options->request.policy.limits.number;

    if (options->time_limit == 0)
        return 0;
    if (!options->problem)
        return error_set(error, ERROR_USAGE,
                         "--time-limit needs --problem; without it, set --cpu-seconds");
    if (isnan(given[LIMIT_TIMEOUT]) && isnan(given[LIMIT_CPU_TIME]))
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--time-limit and %s cannot be used together; it sets the CPU time and the "
                     "timeout",
                     isnan(given[LIMIT_TIMEOUT]) ? "--cpu-seconds" : "--timeout");
}

static int check_test_options(const struct run_options *options, struct error *error)
{
    struct comparison_rule comparison = options->comparison;

    if (options->files.count > 1 && strvec_contains(&options->files, "-"))
        return error_set(error, ERROR_USAGE,
                         "- and another FILE cannot be used together; stdin is one program");
    if ((options->packages || options->all_tests) && !options->problem)
        return error_set(error, ERROR_USAGE, "%s needs --problem",
                         options->packages ? "--packages" : "--all");
    if (!options->tests && !options->problem)
        return error_set(error, ERROR_USAGE, "nothing to test with; give a directory with --tests");
    if (options->problem && check_problem(options, error) != 0)
        return -1;
    if (comparison_rule_complete(&comparison, &run_options_comparison_names, error) != 0 ||
        check_judges(options, error) != 0 || check_time_limit(options, error) != 0)
        return -1;
    if (options->json && options->table)
        return error_set(error, ERROR_USAGE, "--json and --table cannot be used together");
    return 0;
}

static int check_stdin(const struct run_options *options, bool from_stdin, struct error *error)
{
    const bool stdin_is_input = options->stdin_path && strcmp(options->stdin_path, "-") == 0;

    if (options->interactive && options->stdin_path)
        return error_set(error, ERROR_USAGE,
                         "--interactive and --stdin cannot be used together; the program has one "
                         "standard input");
    if (from_stdin && options->interactive)
        return error_set(error, ERROR_USAGE,
                         "--interactive passes stdin on, so the program cannot be read from it; "
                         "give a FILE or --dir");
    if (from_stdin && stdin_is_input)
        return error_set(error, ERROR_USAGE,
                         "the program and --stdin cannot both be read from stdin");
    return 0;
}

/* What runs, where it comes from, and what is saved of it. */
static int check_program(const struct run_options *options, struct error *error)
{
    const struct request *request = &options->request;
    const bool from_stdin = options->file && strcmp(options->file, "-") == 0;

    const char *code = request->input.code;

    if (code && (options->file || request->input.dir))
        return error_set(error, ERROR_USAGE,
                         "--code and %s cannot be used together; send files with --file",
                         options->file ? "FILE" : "--dir");
    if (code && !request->language)
        return error_set(error, ERROR_USAGE, "--code needs --language");
    if (options->file && request->input.dir)
        return error_set(error, ERROR_USAGE,
                         "FILE and --dir cannot be used together; name the program in --dir with "
                         "--entrypoint");
    if (!options->file && !request->input.dir && !code)
        return error_set(error, ERROR_USAGE, "nothing to run; give a FILE, -%s",
                         options->command == RUN_OPTIONS_TEST ? " or --dir" : ", --dir or --code");
    if (request->entrypoint && !request->input.dir && strchr(request->entrypoint, '='))
        return error_set(error, ERROR_USAGE,
                         "--entrypoint needs --dir; variables of the environment are set by --env");
    if (request->entrypoint && !request->input.dir)
        return error_set(error, ERROR_USAGE, "--entrypoint needs --dir");
    if (request->input.dir && !request->entrypoint && !request->language)
        return error_set(error, ERROR_USAGE,
                         "--dir needs --entrypoint, or --language to run its default file");
    if (from_stdin && !request->language)
        return error_set(error, ERROR_USAGE, "a program from stdin needs --language");
    if (check_stdin(options, from_stdin, error) != 0)
        return -1;
    if (request->save_dockerfile && !*request->save_dockerfile)
        return error_set(error, ERROR_USAGE, "--save-dockerfile: the path is empty");
    if (request->paths.count > 0 && request->save_dockerfile)
        return error_set(error, ERROR_USAGE,
                         "--save-dockerfile copies FILE or --dir alone; put all files in --dir");
    if ((from_stdin || code) && request->save_dockerfile)
        return error_set(error, ERROR_USAGE,
                         "--save-dockerfile needs a FILE or --dir to copy from");
    return 0;
}

/* What a job cannot have, since isolator has ended by then. */
static int check_job(const struct run_options *options, struct error *error)
{
    const struct {
        bool given;
        const char *option, *reason;
    } refused[] = {
        {options->stream, "--stream", "isolator logs shows its output"},
        {options->interactive, "--interactive", "give it its input with --stdin FILE"},
        {options->request.save_image, "--save-image", "only isolator run saves images"},
        {options->request.save_dockerfile, "--save-dockerfile", "only isolator run writes one"},
        {options->json, "--json", "isolator wait prints the result"},
        {options->format != OUTPUT_FORMAT_AUTO, "--format", "isolator wait prints the result"},
    };

    if (options->name && !options->detach)
        return error_set(error, ERROR_USAGE, "--name is the name of a job, so it needs --detach");
    for (size_t i = 0; i < sizeof refused / sizeof *refused && options->detach; i++)
        if (refused[i].given)
            return error_set(error, ERROR_USAGE, "a job cannot have %s: %s", refused[i].option,
                             refused[i].reason);
    return 0;
}

static int check_network(const struct sandbox_policy *policy, struct error *error)
{
    if (policy->network_rules.count == 0 || strcmp(policy->network, "none") == 0)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--allow-host and --network %s cannot be used together; only a container "
                     "without a network has the proxy",
                     policy->network);
}

static bool has_program(const struct run_options *options)
{
    return options->command != RUN_OPTIONS_SESSION && options->command != RUN_OPTIONS_CREATE;
}

static int check_exec(const struct run_options *options, struct error *error)
{
    CLEANUP_FREE char *escaped = NULL;

    if (options->files.count == 0)
        return error_set(error, ERROR_USAGE, "no workspace is named; isolator ps lists them");
    if (options->shell && options->request.arguments.count != 1)
        return error_set(error, ERROR_USAGE,
                         "--shell takes one word of code, as in: --shell -- 'cd src && make'");
    if (options->files.count == 1 && options->request.arguments.count > 0)
        return check_stdin(options, false, error);
    escaped = text_escape(options->files.items[0]);
    return error_set(error, ERROR_USAGE,
                     "the command follows two dashes, as in: isolator exec %s -- ls -l", escaped);
}

int run_options_check(const struct run_options *options, struct error *error)
{
    const struct request *request = &options->request;

    if (check_files(options, error) != 0)
        return -1;
    if (options->command == RUN_OPTIONS_EXEC
            ? check_exec(options, error) != 0
            : has_program(options) && !options->problem && check_program(options, error) != 0)
        return -1;
    if (check_network(&request->policy, error) != 0 || check_job(options, error) != 0)
        return -1;
    if (!options->artifacts && (request->artifacts.count > 0 || options->force))
        return error_set(error, ERROR_USAGE, "--%s needs --artifacts DIR",
                         options->force ? "force" : "artifact");
    if (options->stream && (options->json || options->format != OUTPUT_FORMAT_AUTO))
        return error_set(error, ERROR_USAGE,
                         "--stream prints no result, so --%s cannot be used with it",
                         options->json ? "json" : "format");
    if (output_format_check(options->format, options->json, error) != 0)
        return -1;
    return options->command == RUN_OPTIONS_TEST ? check_test_options(options, error) : 0;
}
