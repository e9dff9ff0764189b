#include "cli/run_request.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/grade/grade.h"
#include "cli/live_output.h"
#include "cli/print.h"
#include "cli/problem/problem_command.h"
#include "cli/result_text.h"
#include "cli/run_inputs.h"
#include "cli/run_option_table.h"
#include "cli/safe_json.h"
#include "config/config_load.h"
#include "run/hints.h"
#include "service/service.h"

/*
 * Checks before the run that the Dockerfile can be written: over an existing file (for example
 * /dev/stderr) or as a new one.
 */
static int check_dockerfile(const char *file, struct error *error)
{
    const char *slash = strrchr(file, '/');
    CLEANUP_FREE char *directory =
        slash ? string_format("%.*s", (int)(slash - file) + 1, file) : string_copy(".");
    CLEANUP_FREE char *escaped = text_escape(file);

    if (access(file, W_OK) == 0 || (errno == ENOENT && access(directory, W_OK | X_OK) == 0))
        return 0;
    return error_set_errno(error, ERROR_INPUT, "cannot write the Dockerfile '%s'", escaped);
}

static int open_files(struct run_options *options, const struct config *config, struct plan *plan,
                      struct error *error)
{
    const long long max = limits_bytes(&plan->policy.limits, LIMIT_WORKDIR);
    const char *dockerfile = plan->save_dockerfile;

    if (dockerfile && check_dockerfile(dockerfile, error) != 0)
        return -1;
    if (options->file) {
        const int file = run_inputs_open_file(options->file, max, error);

        if (file < 0 || plan_set_file(plan, config, file, error) != 0)
            return -1;
    }
    if (options->stdin_path) {
        plan->input.stdin_file = run_inputs_open_file(options->stdin_path, max, error);
        if (plan->input.stdin_file < 0)
            return access(options->stdin_path, F_OK) == 0 || strcmp(options->stdin_path, "-") == 0
                       ? -1
                       : error_hint(error, "--stdin names a file; - is isolator's own stdin");
    }
    if (options->interactive) {
        plan->input.stdin_file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (plan->input.stdin_file < 0)
            return error_set_errno(error, ERROR_SYSTEM, "cannot duplicate standard input");
        plan->input.stdin_is_live = true;
    }
    if (options->artifacts) {
        options->artifacts_directory = artifact_files_open(options->artifacts, error);
        if (options->artifacts_directory < 0)
            return -1;
    }
    return 0;
}

static void run_with(const struct run_request_view *view, struct service *service,
                     struct plan *plan, const struct run_observer *observer, struct result *result)
{
    if (view->run)
        view->run(view->context, service, plan, observer, signals_cancel(), result);
    else
        service_run(service, plan, observer, signals_cancel(), result);
}

/* Runs the plan with its output shown as it comes. */
static void run_shown(const struct run_request_view *view, struct service *service,
                      struct plan *plan, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct live_output output;

    if (live_output_begin(&output, &error) != 0) {
        result_fail(result, &error);
        return;
    }
    run_with(view, service, plan, &output.observer, result);
    live_output_end(&output);
}

static void run_plan(struct service *service, const struct config *config,
                     const struct run_options *options, const struct run_request_view *view,
                     struct plan *plan, struct result *result)
{
    struct run_observer observer = RUN_OBSERVER_INIT;
    const struct hint_program program = hint_program_of(config, plan);

    if (options->detach) {
        view->start(view->context, service, config, options, plan, result);
        return;
    }
    if (options->stream) {
        observer.live[0] = STDOUT_FILENO;
        observer.live[1] = STDERR_FILENO;
    }
    observer.test_ended = view->test_ended;
    observer.test_context = view->context;
    if (options->interactive && isatty(STDIN_FILENO))
        diagnostics_line("standard input is this terminal; Ctrl-D ends it");
    if (view->begin_tests)
        view->begin_tests(view->context, options, &plan->tests);
    if (run_options_want_text(options))
        run_shown(view, service, plan, result);
    else
        run_with(view, service, plan, &observer, result);
    hints_add(result, &program, &hint_person);
    if (options->artifacts_directory >= 0)
        artifact_files_write(options->artifacts_directory, NULL, options->force,
                             ARTIFACT_FILES_FORCE, result);
}

/*
 * Names input that the program could have had. This is known best at the end: the writer of a pipe
 * may be slower to start than isolator. Nothing is read, since the bytes may be for someone else.
 */
static void warn_of_input(const struct run_options *options, struct result *result)
{
    const bool is_used = options->interactive || options->stdin_path ||
                         (options->file && strcmp(options->file, "-") == 0);
    const bool has_run = result->exit_code != EXIT_CODE_NONE;

    if (options->command == RUN_OPTIONS_RUN && !options->detach && !is_used && has_run &&
        io_has_bytes(STDIN_FILENO))
        strvec_push(&result->warnings,
                    "the program did not get what waits on standard input; pass it on with "
                    "--interactive (-i), or redirect standard input from /dev/null");
}

/* Opens the files of the plan and runs it. -1 if the run does not start. */
static int open_and_run(struct run_options *options, const struct config *config,
                        const struct run_request_view *view, struct plan *plan,
                        struct result *result, struct error *error)
{
    const struct service_options service_options = {
        .limits = {.max_active = 1, .max_retries = options->retries},
        .has_tools = options->request.tools.count > 0,
        .trace = options->verbose ? docker_print_trace : NULL};
    struct service service;
    int status = 0;

    if (open_files(options, config, plan, error) != 0 ||
        service_open(&service, config, &service_options, error) != 0)
        return -1;
    if (options->pull)
        status = run_inputs_pull(&service.docker, plan, error);
    if (status == 0)
        run_plan(&service, config, options, view, plan, result);
    service_close(&service, 0);
    return status;
}

/* Lets the first line of a file without an extension name the language. */
static void name_language(struct run_options *options, const struct config *config)
{
    const struct language *language = run_inputs_language(options->file, config);

    if (language)
        options->request.language = string_copy(language->name);
}

/* A solution may be a directory of files, of which one is the program. */
static int use_directory(struct run_options *options, const struct config *config,
                         struct error *error)
{
    const char *path = options->file;

    if (options->command != RUN_OPTIONS_TEST || !run_inputs_is_directory(path))
        return 0;
    options->file = NULL;
    return run_inputs_use_directory(&options->request, path, config, error);
}

/* Fills in the result, whatever happens. -1: the options do not fit the configuration or the view.
 */
static int run_request(struct run_options *options, const struct config *config,
                       const struct run_request_view *view, struct result *result,
                       struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    CLEANUP_FREE char *image = NULL;

    if (view->prepare && view->prepare(view->context, options, &options->request, error) != 0)
        return -1;
    if (options->file && !options->request.language)
        name_language(options, config);
    if (use_directory(options, config, &failure) == 0 &&
        run_inputs_check_file(options->file, &failure) == 0 &&
        run_inputs_check_paths(options, &failure) == 0 &&
        (!options->tests || run_inputs_read_tests(options, config, &failure) == 0) &&
        plan_resolve(&plan, config, &options->request, error) != 0) {
        if (error->kind == ERROR_USAGE) {
            error_name_subject(error, run_options_namer);
            return -1;
        }
        failure = *error;
        *error = (struct error)ERROR_INIT;
    }
    image = plan.image ? string_copy(plan.image) : NULL;
    if (options->verbose && failure.kind == ERROR_NONE)
        run_inputs_print_standard(options->file, &plan, config);
    if (failure.kind != ERROR_NONE ||
        open_and_run(options, config, view, &plan, result, &failure) != 0) {
        result_fail(result, &failure);
        if (!result->image)
            result->image = steal_pointer(&image);
    }
    warn_of_input(options, result);
    strvec_push_all(&result->warnings, &options->test_warnings);
    result_name_subject(result, run_options_namer);
    signals_release(); /* nothing remains to be removed */
    return 0;
}

/* A program that is tested a hundred times, and has an endless loop, must not take hours. */
static int load_config(struct config *config, const struct run_options *options,
                       struct error *error)
{
    struct limits own;

    limits_init(&own);
    own.number[LIMIT_TIMEOUT] = RUN_OPTIONS_TEST_TIMEOUT;
    if (config_load(config, options->config_path,
                    options->command == RUN_OPTIONS_TEST ? &own : NULL, error) != 0)
        return -1;
    return run_options_configure(options, config, error);
}

int run_request_main(enum run_options_command command, int argc, char **argv,
                     const struct run_request_view *view)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(run_options_release) struct run_options options;
    CLEANUP(config_release) struct config config;
    CLEANUP(result_release) struct result result = RESULT_INIT;

    config_init(&config);
    if (run_options_parse(&options, command, argc, argv, &error) != 0)
        return exit_status_report(&error);
    if (options.help)
        return command_line_print_help(&run_option_tables[command]);
    if (load_config(&config, &options, &error) != 0 || signals_catch(&error) != 0)
        return exit_status_report(&error);
    if (options.problem || (command == RUN_OPTIONS_TEST && options.files.count > 1)) {
        const int status = options.problem ? problem_command(&options, &config, &error)
                                           : grade_files(&options, &config, NULL, &error);

        return status < 0 ? exit_status_report(&error) : status;
    }
    if (run_request(&options, &config, view, &result, &error) != 0)
        return exit_status_report(&error);
    if (options.verbose)
        diagnostics_line("container %s of image %s, configuration %s",
                         result.container ? result.container : "none",
                         result.image ? result.image : "none",
                         config.file ? config.file : "built in");
    return view->report(view->context, &options, &result,
                        exit_status_of_result(&result, signals_caught()));
}

/* Adds the members of the result, with the tests as one like the others, and prints the object. */
static void print_whole(json_t *object, struct result *result, bool indented)
{
    json_t *members = result_to_json(result);
    json_t *tests = json_array();

    for (size_t i = 0; i < result->tests.count; i++)
        json_array_append_new(tests, case_result_to_json(&result->tests.items[i]));
    json_object_update(object, members);
    if (result->tests.count > 0)
        json_object_set(object, "tests", tests);
    json_decref(members);
    json_decref(tests);
    safe_json_print(object, indented);
    json_decref(object);
}

/* A result_text_writer. */
static bool print_piece(void *context, const char *data, size_t length)
{
    (void)context;
    print_bytes(data, length);
    return print_failure() == 0;
}

int run_request_print_json(json_t *members, struct result *result)
{
    const bool terminal = isatty(STDOUT_FILENO);

    if (terminal || result->tests.count == 0)
        print_whole(members, result, terminal);
    else
        result_text_write(members, result, SAFE_JSON_FLAGS, print_piece, NULL);
    return run_request_printed();
}

int run_request_printed(void)
{
    if (print_failure() == 0)
        return 0;
    diagnostics_line("cannot write the result: %s", strerror(print_failure()));
    return -1;
}

static void write_diagnostic(const char *prefix, const char *text)
{
    CLEANUP_FREE char *escaped = text_escape(text);

    diagnostics_line("%s%s", prefix, escaped);
}

void run_request_print_messages(const struct result *result, bool with_error)
{
    for (size_t i = 0; i < result->warnings.count; i++)
        write_diagnostic("warning: ", result->warnings.items[i]);
    for (size_t i = 0; i < result->artifacts.missing.count; i++)
        write_diagnostic("warning: ", result->artifacts.missing.items[i]);
    if (result->error && with_error)
        write_diagnostic("", result->error);
}
