#include "request/plan_check.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/environment.h"
#include "config/settings.h"
#include "docker/image.h"

static int check_environment(const struct strvec *environment, struct error *error)
{
    for (size_t i = 0; i < environment->count; i++) {
        const char *assignment = environment->items[i];
        const size_t length = strcspn(assignment, "=");

        if (!environment_is_name(assignment, length)) {
            CLEANUP_FREE char *name = string_format("%.*s", (int)length, assignment);
            CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);
            return error_set(error, ERROR_USAGE,
                             "'%s' is not the name of an environment variable: letters, digits, _",
                             shown);
        }
        if (environment_is_reserved(assignment, length))
            return error_set(error, ERROR_USAGE,
                             "variable '%.*s' cannot be given: shells keep it for themselves",
                             (int)length, assignment);
    }
    return 0;
}

static int check_directory(const char *directory, struct error *error)
{
    if (!directory || (*directory != '\0' && strlen(directory) < PATH_MAX))
        return 0;
    error_set(error, ERROR_USAGE, ERROR_SUBJECT ": a path has 1 to %d bytes", PATH_MAX - 1);
    return error_about(error, REQUEST_DIRECTORY);
}

int plan_check_request(const struct request *request, struct error *error)
{
    if (request->image && image_check_reference(request->image, error) != 0)
        return -1;
    if (request->save_image && image_check_tag(request->save_image, error) != 0)
        return -1;
    if (check_directory(request->directory, error) != 0)
        return -1;
    return check_environment(&request->environment, error);
}

/* Lowers a number of a test to its maximum, and checks it. 0: the test has none of its own. */
static int check_test_limit(double *number, const struct config *config, enum limit_number which,
                            struct error *error)
{
    const double maximum = config->maximums.limits.number[which];
    struct limits limits;

    if (*number > maximum) /* false if there is no maximum */
        *number = maximum;
    return *number > 0 ? limits_set_number(&limits, which, *number, error) : 0;
}

static int check_test(struct case_request *test, const struct config *config,
                      const char *entrypoint, struct error *error)
{
    CLEANUP_FREE char *shown = NULL;

    if (check_test_limit(&test->timeout_seconds, config, LIMIT_TIMEOUT, error) == 0 &&
        check_test_limit(&test->cpu_seconds, config, LIMIT_CPU_TIME, error) == 0 &&
        check_environment(&test->environment, error) == 0 &&
        input_files_check(&test->files, entrypoint, error) == 0)
        return 0;
    shown = text_escape_short(test->name, TEXT_SHOWN_MAX);
    return error_prefix(error, "test '%s'", shown);
}

/* The outputs of all tests are in memory at the same time. */
static int check_test_output(const struct request *request, struct error *error)
{
    const size_t count = request->tests.count;
    const size_t most = count > 0 ? TESTS_OUTPUT_BYTES_MAX / count : SIZE_MAX;

    if (request->test_output_bytes <= 0 || (size_t)request->test_output_bytes <= most)
        return 0;
    error_set(error, ERROR_USAGE, ERROR_SUBJECT " can be at most %zu with %zu tests", most, count);
    return error_about(error, limit_rules[LIMIT_OUTPUT].key.name);
}

static int check_read_only(const struct plan *plan, const struct request *request,
                           struct error *error)
{
    if (plan->policy.read_only || request->tests.count == 0)
        return 0;
    error_set(error, ERROR_USAGE,
              ERROR_SUBJECT " must be true for a request with tests: nothing of one program may be "
                            "left for the next");
    return error_about(error, setting_rules[SETTING_READ_ONLY].key.name);
}

int plan_check_tests(const struct plan *plan, const struct config *config, struct request *request,
                     struct error *error)
{
    if (check_test_output(request, error) != 0 || check_read_only(plan, request, error) != 0)
        return -1;
    for (size_t i = 0; i < request->tests.count; i++)
        if (check_test(&request->tests.items[i], config, plan->entrypoint, error) != 0)
            return -1;
    if (request->tests.count > 0 && (request->save_image || request->save_dockerfile))
        return error_set(error, ERROR_USAGE, "a request with tests cannot be saved as an image");
    if (request->tests.count > 0 && request->artifacts.count > 0)
        return error_set(error, ERROR_USAGE, "a request with tests cannot return files");
    if (request->tests.groups && request->tests.count == 0)
        return error_set(error, ERROR_USAGE, "groups need tests");
    return score_groups_complete(&request->tests, request->checker != NULL, error);
}

/* Checks that a test is one of a call, or is not. */
static int check_call_test(const struct case_request *test, bool is_call, struct error *error)
{
    CLEANUP_FREE char *shown = NULL;

    if (test->is_call == is_call)
        return 0;
    shown = text_escape_short(test->name, TEXT_SHOWN_MAX);
    return error_set(error, ERROR_USAGE,
                     is_call ? "test '%s' has no call_arguments for the function of the call"
                             : "test '%s' has call_arguments, but no call names a function",
                     shown);
}

int plan_check_call(const struct plan *plan, const struct language *language,
                    const struct request *request, struct error *error)
{
    const bool is_call = request->call.function;

    for (size_t i = 0; i < request->tests.count; i++)
        if (check_call_test(&request->tests.items[i], is_call, error) != 0)
            return -1;
    if (!is_call)
        return 0;
    if (request->tests.count == 0)
        return error_set(error, ERROR_USAGE, "a call needs tests");
    if (request->checker)
        return error_set(error, ERROR_USAGE,
                         "a request with a call cannot have a checker: values are compared");
    if (language->build.count > 0 || !function_call_driver(&request->call, &language->extensions))
        return error_set(error, ERROR_USAGE,
                         "no function of a program in %s can be called; languages with the "
                         "extension .py or .js can do that",
                         plan->language);
    return 0;
}

int plan_check_session(const struct request *request, struct error *error)
{
    if (request->session.id[0] == '\0' && !request->session.open)
        return 0;
    if (request->tests.count > 0)
        return error_set(error, ERROR_USAGE, "a request of a session cannot have tests");
    if (request->save_image || request->save_dockerfile)
        return error_set(error, ERROR_USAGE, "a request of a session cannot be saved as an image");
    return 0;
}

void plan_name_pull(const struct plan *plan, struct error *error)
{
    if (error->kind != ERROR_IMAGE || plan->image_requested || !plan->language)
        return;
    error_release(error);
    error_set(error, ERROR_IMAGE, "image '%s' is not on the engine; run: isolator pull %s",
              plan->base ? plan->base : plan->image, plan->language);
}

/* ---- the room of a checker */

/* Bytes of the input and the answer of a test, which the checker is given. */
static long long given_bytes(const struct case_request *test)
{
    struct stat status = {.st_size = 0};

    if (test->stdin_file >= 0)
        fstat(test->stdin_file, &status);
    return (long long)status.st_size + (long long)test->stdin_length +
           (long long)test->expected_length;
}

/* The same with the most that its program may write. */
static long long checked_bytes(const struct case_request *test)
{
    return given_bytes(test) +
           (test->max_output_bytes > 0 ? test->max_output_bytes : TEST_MAX_OUTPUT_BYTES);
}

/* MB that hold so many bytes. */
static double megabytes(long long bytes)
{
    return (double)(bytes >> 20) + 1;
}

static int check_room(const struct limits *limits, const struct case_request *test,
                      struct error *error)
{
    static const enum limit_number numbers[] = {LIMIT_WORKDIR, LIMIT_MEMORY};
    const double needed = megabytes(given_bytes(test));

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double given = limits->number[numbers[i]];
        CLEANUP_FREE char *shown = NULL;

        if (needed <= given)
            continue;
        shown = text_escape_short(test->name, TEXT_SHOWN_MAX);
        return error_set(error, ERROR_USAGE,
                         "the input and the answer of test '%s' need %.10g MB, and it can have "
                         "%.10g MB (maximums.%s)",
                         shown, needed, given, limit_rules[numbers[i]].key.name);
    }
    return 0;
}

int plan_add_room(struct limits *limits, const struct limits *maximums,
                  const struct case_requests *tests, struct error *error)
{
    double most = 0;

    for (size_t i = 0; i < tests->count; i++)
        most = fmax(most, megabytes(checked_bytes(&tests->items[i])));
    limits->number[LIMIT_WORKDIR] += most;
    limits->number[LIMIT_MEMORY] += most;
    limits_clamp(limits, maximums);
    for (size_t i = 0; i < tests->count; i++)
        if (check_room(limits, &tests->items[i], error) != 0)
            return -1;
    return 0;
}
