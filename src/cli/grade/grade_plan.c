#include "cli/grade/grade_plan.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/problem/included_files.h"
#include "cli/run_inputs.h"

/* Sets what the request has of the program alone. */
static int set_program(const struct grade_source *source, struct request *request,
                       struct error *error)
{
    const struct submission *submission = source->submission;
    const struct language *language =
        submission ? submission->language : run_inputs_language(source->file, source->config);

    if (!request->language && language)
        request->language = string_copy(language->name);
    if (!run_inputs_is_directory(source->file)) {
        run_options_set_program(source->options, source->file);
        return 0;
    }
    if (!submission || !submission->entrypoint)
        return run_inputs_use_directory(request, source->file, source->config, error);
    free(request->entrypoint);
    request->entrypoint = string_copy(submission->entrypoint);
    free(request->input.dir);
    request->input.dir = string_copy(source->file);
    return 0;
}

/*
 * After which statuses the tests go on that a test could skip (cli/grade/case_directory.h). The
 * legacy format says when a judge stops. The others do not, but that all tests count: there it
 * stops once the expectation is resolved, and none of the times that make the time limit is lost.
 */
static unsigned goes_on_after(const struct grade_source *source)
{
    const struct problem_package *package = source->package;
    const struct submission *submission = source->submission;
    unsigned statuses = 0;

    if (package->settings.is_legacy)
        return 0;
    if (package->time_limit.is_measured && submission->role == TIME_LIMIT_LOWER)
        return ~0u;
    for (int i = 0; i <= TEST_JUDGE_ERROR; i++)
        if (!expectation_is_resolved(&submission->expectation, (enum case_status)i))
            statuses |= 1u << i;
    return statuses;
}

int grade_plan_resolve(const struct grade_source *source, struct plan *plan, struct error *error)
{
    struct request *request = &source->options->request;
    struct case_requests tests = case_requests_share(&request->tests);
    const struct limits limits = request->policy.limits;
    const bool has_language = request->language != NULL;
    const char *lacking = source->submission ? source->submission->lacking : NULL;
    int result =
        lacking ? error_set(error, ERROR_INPUT,
                            "the configuration has no language '%s', which the package asks for; "
                            "add it, or give --language",
                            lacking)
                : set_program(source, request, error);

    if (source->submission) {
        time_limit_apply(source->time_limit, &source->config->maximums.limits,
                         source->submission->role, request);
        request->tests.goes_on_after = goes_on_after(source);
    }
    if (result == 0)
        result = plan_resolve(plan, source->config, request, error);
    if (!has_language)
        free(steal_pointer(&request->language)); /* the next file has another one */
    free(steal_pointer(&request->input.dir));    /* if the plan has not taken it over */
    request->policy.limits = limits;
    request->tests.cpu_seconds_allowed = 0;
    request->tests.goes_on_after = 0;
    if (result == 0)
        request->tests = tests;
    else
        case_requests_release(&tests);
    return result;
}

/* Adds the files of the package, one of which may be the program. */
static int include(const struct grade_source *source, struct plan *plan, struct error *error)
{
    const struct problem_package *package = source->package;
    const struct language *language = config_language(source->config, plan->language);

    if (!package)
        return 0;
    if (included_files_add(&package->root, package->path, language, &plan->paths, error) != 0)
        return -1;
    if (source->submission->included_main)
        plan_use_included(plan, language, source->submission->included_main);
    return 0;
}

/* Opens the file of the program. */
static int open_file(const struct grade_source *source, struct plan *plan, struct error *error)
{
    const int file = run_inputs_open_file(source->file,
                                          limits_bytes(&plan->policy.limits, LIMIT_WORKDIR), error);

    return file < 0 ? -1 : plan_set_file(plan, source->config, file, error);
}

int grade_plan_complete(const struct grade_source *source, struct plan *plan, struct error *error)
{
    if (!run_inputs_is_directory(source->file) && run_inputs_check_file(source->file, error) != 0)
        return -1;
    if (grade_plan_resolve(source, plan, error) != 0 ||
        (!plan->input.dir && open_file(source, plan, error) != 0))
        return -1;
    return include(source, plan, error);
}
