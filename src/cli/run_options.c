#include "cli/run_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/parallel.h"
#include "cli/run_option_table.h"

bool run_options_want_table(const struct run_options *options)
{
    return options->table || (!options->json && isatty(STDOUT_FILENO));
}

int run_options_configure(const struct run_options *options, struct config *config,
                          struct error *error)
{
    CLEANUP_FREE char *configured = string_copy(config->container_command);

    config_set_audit_file(config, options->audit);
    config_set_runtime(config, options->runtime);
    if (options->detach && strcmp(configured, config->container_command) != 0)
        return error_set(error, ERROR_USAGE,
                         "--runtime: isolator wait would look for the job with '%s', which is "
                         "\"containerCommand\" in the configuration; set it there",
                         configured);
    return 0;
}

bool run_options_want_text(const struct run_options *options)
{
    return (options->command == RUN_OPTIONS_RUN || options->command == RUN_OPTIONS_EXEC) &&
           !options->stream && output_format_is_text(options->format, options->json);
}

void run_options_set_program(struct run_options *options, const char *file)
{
    free(options->request.entrypoint);
    options->request.entrypoint = string_copy(text_file_name(file));
}

/* Whether the FILEs after the first one are sent along. */
static bool sends_files(enum run_options_command command)
{
    return command == RUN_OPTIONS_RUN || command == RUN_OPTIONS_START ||
           command == RUN_OPTIONS_CREATE;
}

/* Whether a FILE is the program. */
static bool has_program(enum run_options_command command)
{
    return command == RUN_OPTIONS_RUN || command == RUN_OPTIONS_START ||
           command == RUN_OPTIONS_TEST;
}

/* The FILEs of a workspace are not its program, and a command has the name of one in their place.
 */
static void set_workspace(struct run_options *options)
{
    struct request *request = &options->request;

    request->no_program = true;
    if (options->command == RUN_OPTIONS_EXEC)
        options->name = string_copy(options->files.items[0]);
    else if (!request->language)
        request->language = string_copy("python");
    if (options->shell) {
        request->shell = string_copy(request->arguments.items[0]);
        strvec_release(&request->arguments);
    }
}

int run_options_parse(struct run_options *options, enum run_options_command command, int argc,
                      char **argv, struct error *error)
{
    *options = (struct run_options){.command = command,
                                    .detach = command == RUN_OPTIONS_START ||
                                              command == RUN_OPTIONS_CREATE,
                                    .parallel = parallel_default(),
                                    .artifacts_directory = -1,
                                    .comparison = COMPARISON_RULE_INIT};
    request_init(&options->request);
    limits_init(&options->judge_limits);
    if (options_parse(&run_option_tables[command], argc, argv, options, &options->files,
                      &options->request.arguments, error) != 0)
        return -1;
    if (options->help)
        return 0;
    if (options->files.count > 0 && command < RUN_OPTIONS_CREATE)
        options->file = options->files.items[0];
    for (size_t i = options->file ? 1 : 0; i < options->files.count && sends_files(command); i++)
        if (request_add_path(&options->request, options->files.items[i], error) != 0)
            return -1;
    if (run_options_check(options, error) != 0)
        return -1;
    if (command == RUN_OPTIONS_CREATE || command == RUN_OPTIONS_EXEC)
        set_workspace(options);
    if (has_program(command) && options->file && strcmp(options->file, "-") != 0)
        run_options_set_program(options, options->file);
    if (has_program(command) && options->artifacts && options->request.artifacts.count == 0)
        strvec_push(&options->request.artifacts, REQUEST_ALL_FILES);
    return 0;
}

void run_options_release(struct run_options *options)
{
    request_release(&options->request);
    strvec_release(&options->files);
    strvec_release(&options->test_warnings);
    free(options->stdin_path);
    free(options->config_path);
    free(options->audit);
    free(options->artifacts);
    free(options->tests);
    free(options->problem);
    free(options->packages);
    free(options->validator_flags);
    free(options->checker);
    free(options->interactor);
    free(options->interactive_validator);
    free(options->validator);
    free(options->grader);
    free(options->no_grader);
    free(options->name);
    cleanup_fd(&options->artifacts_directory);
}
