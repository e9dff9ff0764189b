#include "request/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/command_template.h"
#include "config/environment.h"
#include "config/workdir.h"
#include "request/plan_check.h"
#include "request/plan_program.h"
#include "request/proxy_variables.h"
#include "request/tools_argument.h"

/* The working directory is for the program's files, and /tmp for those of its tools. */
static const char HOME_VARIABLE[] = "HOME=/tmp";

static const struct language *find_language(const struct config *config,
                                            const struct request *request, struct error *error)
{
    const struct session_terms *terms = request->terms;
    char *const wanted = terms && (!request->language || request->language_of_file)
                             ? terms->language
                             : request->language;
    const struct language *language;

    if (wanted)
        return config_check_languages(config, (char *const[]){wanted, NULL}, NULL, error) == 0
                   ? config_language_called(config, wanted)
                   : NULL;
    language = request->entrypoint ? config_language_of_file(config, request->entrypoint) : NULL;
    if (!language) {
        CLEANUP_FREE char *known = config_language_names(config, NULL);
        CLEANUP_FREE char *shown = text_escape(request->entrypoint ? request->entrypoint : "-");
        error_set(error, ERROR_USAGE,
                  "cannot tell the language of '%s'; give " ERROR_SUBJECT " (%s)", shown, known);
        error_about(error, REQUEST_LANGUAGE);
    }
    return language;
}

static void set_image(struct plan *plan, const struct request *request,
                      const struct language *language)
{
    const struct session_terms *terms = request->terms;
    const char *prepared = language->preparation.tag;
    const char *image = terms ? terms->image : prepared ? prepared : language->image;
    const char *base = terms ? terms->base : prepared ? language->image : NULL;

    plan->image = string_copy(request->image ? request->image : image);
    plan->base = base && !request->image ? string_copy(base) : NULL;
    plan->image_requested = request->image != NULL;
}

static void set_proxy_variables(struct plan *plan, const struct language *language)
{
    const struct network_rules *rules = &plan->policy.network_rules;
    CLEANUP_FREE char *bundle = string_format("%s/" PROXY_BUNDLE_NAME, plan->workdir);

    if (rules->count == 0)
        return;
    proxy_variables_set(&plan->relay_environment, rules,
                        network_rules_terminate(rules) ? bundle : NULL);
    proxy_variables_set_node(&plan->relay_environment, &language->command);
}

static void set_command(struct plan *plan, const struct request *request,
                        const struct language *language)
{
    strvec_push_all(&plan->source_extensions, &language->extensions);
    strvec_push_all(&plan->paths, &request->paths);
    strvec_push_all(&plan->constants, &request->constants);
    plan->links_below = request->links_below ? string_copy(request->links_below) : NULL;
    strvec_push_all(&plan->arguments, &request->arguments);
    plan_program_fill(plan, language);
    if (!request->input.dir && !plan->no_program)
        command_fill_session(&plan->session_command, &language->session_command, plan->workdir);
    environment_set(&plan->public_environment, HOME_VARIABLE);
    for (size_t i = 0; i < language->environment.count; i++)
        environment_set(&plan->public_environment, language->environment.items[i]);
    set_proxy_variables(plan, language);
    if (plan->tools.count > 0)
        strvec_push(&plan->relay_environment, "ISOLATOR_TOOLS=" MUX_TOOLS_SOCKET);
    for (size_t i = 0; i < plan->public_environment.count; i++)
        environment_set(&plan->environment, plan->public_environment.items[i]);
    for (size_t i = 0; i < request->environment.count; i++)
        environment_set(&plan->environment, request->environment.items[i]);
}

static int set_limits(struct plan *plan, const struct config *config, const struct request *request,
                      const struct language *language, struct error *error)
{
    plan->max_artifacts = config->max_artifacts;
    plan->max_artifact_bytes = config->max_artifact_bytes;
    if (request->max_artifact_bytes > 0 && request->max_artifact_bytes < plan->max_artifact_bytes)
        plan->max_artifact_bytes = request->max_artifact_bytes;
    config_policy(config, language, &plan->policy);
    plan->build_limits = plan->policy.limits;
    plan->build_limits.number[LIMIT_CPU_TIME] = INFINITY;
    limits_overlay(&plan->build_limits, &language->build_limits);
    limits_clamp(&plan->build_limits, &config->maximums.limits);
    sandbox_policy_overlay(&plan->policy, &request->policy);
    plan->requested_cpus = request->policy.limits.number[LIMIT_CPUS];
    return sandbox_policy_check(&plan->policy, &config->maximums, error) == 0 &&
                   sandbox_policy_narrow(&plan->policy, &request->hosts, error) == 0
               ? 0
               : -1;
}

/* Moves what the plan takes over from the request. */
static void take_over(struct plan *plan, struct request *request)
{
    plan->input = request->input;
    request->input = (struct input)INPUT_INIT;
    plan->artifacts = request->artifacts;
    request->artifacts = (struct strvec)STRVEC_INIT;
    plan->artifacts_optional = request->artifacts_optional;
    plan->unrequested = request->unrequested;
    plan->tests = request->tests;
    request->tests = (struct case_requests)CASE_REQUESTS_INIT;
    plan->test_output_bytes =
        request->test_output_bytes > 0 ? request->test_output_bytes : TEST_OUTPUT_BYTES;
    plan->session = request->session;
    plan->save_image = steal_pointer(&request->save_image);
    plan->save_dockerfile = steal_pointer(&request->save_dockerfile);
}

/* Makes the entrypoint and the patterns relative to the working directory. */
static int resolve_paths(struct plan *plan, struct request *request, struct error *error)
{
    char *entrypoint = input_files_path(plan->entrypoint, plan->workdir, error);

    if (!entrypoint)
        return error_prefix(error, "entrypoint");
    free(plan->entrypoint);
    plan->entrypoint = entrypoint;
    for (size_t i = 0; i < request->artifacts.count; i++) {
        char **pattern = &request->artifacts.items[i];
        char *below = string_copy(input_files_below(*pattern, plan->workdir));

        free(*pattern);
        *pattern = below;
        if (*below == '/' || *below == '\0') {
            CLEANUP_FREE char *shown = text_escape_short(below, TEXT_SHOWN_MAX);

            error_set(error, ERROR_USAGE,
                      ERROR_SUBJECT ": '%s' must be a pattern for paths in the working directory, "
                                    "like *.png",
                      shown);
            return error_about(error, REQUEST_ARTIFACTS);
        }
    }
    return 0;
}

/*
 * Resolves the plan of a program of the judges. It never has a network or tools, and its root is
 * read-only so that nothing of one test is left for the next. Its request stays, for other
 * programs.
 */
static int resolve_judge(struct plan **made, const struct config *config,
                         const struct request *request, struct error *error)
{
    struct request own = *request;
    double *timeout = &own.policy.limits.number[LIMIT_TIMEOUT];
    char none[] = "none";
    int result = -1;

    own.input = (struct input)INPUT_INIT;
    own.policy.network = none;
    own.policy.network_rules = (struct network_rules){0};
    own.policy.read_only = 1;
    own.hosts = (struct network_selection){0};
    own.tools = (struct strvec)STRVEC_INIT;
    if (isnan(*timeout))
        *timeout = fmin(CHECKER_TIMEOUT, config->maximums.limits.number[LIMIT_TIMEOUT]);
    *made = memory_allocate(sizeof **made);
    **made = (struct plan)PLAN_INIT;
    if (input_copy(&own.input, &request->input, error) == 0)
        result = plan_resolve(*made, config, &own, error);
    input_release(&own.input); /* empty if the plan has taken it over */
    (*made)->built = request->built;
    (*made)->is_repeated = true;
    (*made)->artifacts_optional = true;
    return result;
}

static int resolve_checker(struct plan *plan, const struct config *config,
                           const struct request *request, struct error *error)
{
    if (request->tests.count == 0)
        return error_set(error, ERROR_USAGE, "a checker needs tests");
    plan->checker_convention = request->checker_convention;
    plan->interactive = request->interactive;
    plan->transcript = request->transcript;
    if (resolve_judge(&plan->checker, config, request->checker, error) != 0 ||
        plan_add_room(&plan->checker->policy.limits, &config->maximums.limits, &request->tests,
                      error) != 0)
        return error_prefix(error, "the checker");
    if (request->checker_convention == CHECKER_KATTIS)
        strvec_push_each(&plan->checker->artifacts, CHECKER_FEEDBACK "/judgemessage.txt",
                         CHECKER_FEEDBACK "/teammessage.txt", CHECKER_FEEDBACK "/score.txt",
                         CHECKER_FEEDBACK "/score_multiplier.txt", NULL);
    return 0;
}

static int resolve_grader(struct plan *plan, const struct config *config,
                          const struct request *request, struct error *error)
{
    return resolve_judge(&plan->grader, config, request->grader, error) == 0
               ? 0
               : error_prefix(error, "the grader");
}

/* Whether a container of the one has the limits of the other, too. */
static bool has_equal_container(const struct limits *one, const struct limits *other)
{
    return one->number[LIMIT_MEMORY] == other->number[LIMIT_MEMORY] &&
           one->number[LIMIT_CPUS] == other->number[LIMIT_CPUS] &&
           one->number[LIMIT_PIDS] == other->number[LIMIT_PIDS];
}

/*
 * Whether other programs may run in its container after it: what it leaves can be removed, no one
 * needs that, and the engine need not change the limits after the build.
 */
static bool can_share(const struct plan *plan)
{
    return (plan->tests.count == 0 || (plan->build.count == 0 && !plan->interactive)) &&
           !plan_has_session(plan) && plan->policy.read_only == 1 &&
           (plan->build.count == 0 ||
            has_equal_container(&plan->build_limits, &plan->policy.limits)) &&
           !plan->save_image && !plan->save_dockerfile &&
           plan_programs_ms(plan) <= SHARE_PROGRAM_MAX_MS;
}

int plan_resolve(struct plan *plan, const struct config *config, struct request *request,
                 struct error *error)
{
    const struct language *language = find_language(config, request, error);
    const struct session_terms *terms = request->terms;

    if (!language || plan_check_request(request, error) != 0)
        return -1;
    plan->workdir = request->workdir ? workdir_parse(request->workdir, error)
                                     : string_copy(terms ? terms->workdir : config->workdir);
    if (!plan->workdir)
        return -1;
    plan->directory = request->directory ? string_copy(request->directory) : NULL;
    plan->language = string_copy(language->name);
    plan->no_program = request->no_program;
    plan->of_package = request->of_package;
    plan->is_shell = request->shell != NULL;
    memcpy(plan->workspace, request->workspace, sizeof plan->workspace);
    plan->traits = language->traits;
    plan->traits.netlink = config->allow_netlink;
    plan->ready = language->ready && !plan->no_program;
    strvec_push_all(&plan->preload, &language->preload);
    set_image(plan, request, language);
    plan->entrypoint = plan_program_path(request, language);
    plan->source_name = request->entrypoint ? string_copy(request->entrypoint) : NULL;
    if (resolve_paths(plan, request, error) != 0 ||
        input_files_check(&request->input.files, plan->no_program ? NULL : plan->entrypoint,
                          error) != 0 ||
        set_limits(plan, config, request, language, error) != 0 ||
        plan_check_tests(plan, config, request, error) != 0 ||
        plan_check_call(plan, language, request, error) != 0 ||
        plan_check_session(request, error) != 0 ||
        (terms && session_terms_apply(terms, request, plan, error) != 0) ||
        tools_argument_resolve(&request->tools, config, &plan->tools, error) != 0 ||
        (request->checker && resolve_checker(plan, config, request, error) != 0) ||
        (request->grader && resolve_grader(plan, config, request, error) != 0))
        return -1;
    function_call_copy(&plan->call, &request->call);
    set_command(plan, request, language);
    take_over(plan, request);
    plan->share_max = can_share(plan) ? request->share_max : 0;
    return 0;
}

bool plan_has_session(const struct plan *plan)
{
    return plan->session.id[0] != '\0';
}

enum plan_kind plan_kind(const struct plan *plan)
{
    if (plan_has_session(plan) && plan->session_command.count > 0)
        return PLAN_CELL;
    return plan->build.count > 0 || plan->tests.count > 0 || plan->is_repeated ? PLAN_SUBMISSION
                                                                               : PLAN_PROGRAM;
}

void plan_release(struct plan *plan)
{
    free(plan->language);
    free(plan->image);
    free(plan->base);
    free(plan->workdir);
    free(plan->directory);
    free(plan->entrypoint);
    free(plan->included_main);
    free(plan->source_name);
    strvec_release(&plan->build);
    strvec_release(&plan->command);
    strvec_release(&plan->source_extensions);
    strvec_release(&plan->relay_environment);
    strvec_release(&plan->environment);
    strvec_release(&plan->public_environment);
    sandbox_policy_release(&plan->policy);
    strvec_release(&plan->session_command);
    strvec_release(&plan->preload);
    strvec_release(&plan->arguments);
    input_release(&plan->input);
    strvec_release(&plan->tools);
    strvec_release(&plan->paths);
    strvec_release(&plan->constants);
    free(plan->links_below);
    strvec_release(&plan->artifacts);
    case_requests_release(&plan->tests);
    function_call_release(&plan->call);
    if (plan->checker)
        plan_release(plan->checker);
    free(plan->checker);
    if (plan->grader)
        plan_release(plan->grader);
    free(plan->grader);
    free(plan->save_image);
    free(plan->save_dockerfile);
    *plan = (struct plan)PLAN_INIT;
}

static size_t strings_bytes(const struct strvec *strings)
{
    size_t bytes = 0;

    for (size_t i = 0; i < strings->count; i++)
        bytes += strlen(strings->items[i]);
    return bytes;
}

static size_t test_bytes(const struct case_request *test)
{
    const struct input input = {.files = test->files, .stdin_file = test->stdin_file};

    return sizeof *test + input_bytes(&input) + strings_bytes(&test->arguments) +
           strings_bytes(&test->environment) + test->stdin_length + test->expected_length;
}

size_t plan_bytes(const struct plan *plan)
{
    size_t bytes = input_bytes(&plan->input) + strings_bytes(&plan->command) +
                   strings_bytes(&plan->environment);

    for (size_t i = 0; i < plan->tests.count; i++)
        bytes += test_bytes(&plan->tests.items[i]);
    bytes += plan->checker ? plan_bytes(plan->checker) : 0;
    return plan->grader ? bytes + plan_bytes(plan->grader) : bytes;
}

struct limits plan_test_limits(const struct plan *plan, const struct case_request *test)
{
    struct limits limits = plan->policy.limits;

    if (test->timeout_seconds > 0)
        limits.number[LIMIT_TIMEOUT] = test->timeout_seconds;
    if (test->cpu_seconds > 0)
        limits.number[LIMIT_CPU_TIME] = test->cpu_seconds;
    limits.number[LIMIT_OUTPUT] = plan->test_output_bytes;
    return limits;
}

long long plan_programs_ms(const struct plan *plan)
{
    long long ms = plan->build.count > 0 ? limits_timeout_ms(&plan->build_limits) : 0;

    for (size_t i = 0; i < plan->tests.count; i++) {
        const struct limits limits = plan_test_limits(plan, &plan->tests.items[i]);

        ms += limits_timeout_ms(&limits);
    }
    return plan->tests.count > 0 ? ms : ms + limits_timeout_ms(&plan->policy.limits);
}
