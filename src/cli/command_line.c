#include "cli/command_line.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/strvec.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "config/config_load.h"

int command_take_runtime(void *place, const char *value, struct error *error)
{
    const char **runtime = place;

    if (strcmp(value, "docker") != 0 && strcmp(value, "podman") != 0)
        return error_set(error, ERROR_USAGE, "'%s' is not docker or podman", value);
    *runtime = value;
    return 0;
}

int command_take_oci_runtime(void *place, const char *value, struct error *error)
{
    CLEANUP(sandbox_policy_release) struct sandbox_policy policy;
    const char **runtime = place;

    sandbox_policy_init(&policy);
    *runtime = value;
    return sandbox_policy_set_oci_runtime(&policy, value, error);
}

int command_take_tools(void *tools, const char *value, struct error *error)
{
    (void)error;
    strvec_push(tools, value);
    return 0;
}

/* Loads the configuration, or the built-in one if the command accepts that. */
static int load_config(const struct command_line *command, void *options, struct config *config,
                       struct error *error)
{
    const struct common_options *common = options;

    if (config_load(config, common->config, NULL, error) != 0) {
        if (!command->without_config || command->without_config(options, error) != 0)
            return -1;
        config_release(config); /* drop what was read before the error */
        config_init(config);
        if (config_load_built_in(config, error) != 0)
            return -1;
    }
    config_set_audit_file(config, common->audit);
    config_set_runtime(config, common->runtime);
    config_set_oci_runtime(config, common->oci_runtime);
    return command->complete_config ? command->complete_config(config, error) : 0;
}

int command_line_printed(const char *what)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (print_failure() == 0)
        return EXIT_STATUS_SUCCESS;
    if (print_failure() == EPIPE)
        return EXIT_STATUS_INTERRUPTED + SIGPIPE;
    errno = print_failure();
    error_set_errno(&error, ERROR_SYSTEM, "cannot write the %s", what);
    return exit_status_report(&error);
}

int command_line_print_help(const struct option_table *options)
{
    CLEANUP_FREE char *help = options_help(options);

    print_text(help);
    return command_line_printed("help");
}

static int run_with(const struct command_line *command, int argc, char **argv, void *options)
{
    static char *no_operands[] = {NULL};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec operands = STRVEC_INIT;
    CLEANUP(config_release) struct config config;
    const struct common_options *common = options;
    int status, printed;

    config_init(&config);
    if (options_parse(command->options, argc, argv, options, &operands, NULL, &error) != 0)
        return exit_status_report(&error);
    if (common->help)
        return command_line_print_help(command->options);
    if (operands.count > (size_t)command->operands_max) {
        options_refuse_operand(command->options, operands.items[command->operands_max], &error);
        return exit_status_report(&error);
    }
    if (load_config(command, options, &config, &error) != 0)
        return exit_status_report(&error);
    status = command->run(options, operands.items ? operands.items : no_operands, &config, &error);
    if (status < 0)
        return exit_status_report(&error);
    printed = command_line_printed(command->output);
    return printed == EXIT_STATUS_SUCCESS ? status : printed;
}

int command_line_main(const struct command_line *command, int argc, char **argv)
{
    CLEANUP_FREE void *options = memory_allocate(command->options_size);
    int status;

    memset(options, 0, command->options_size);
    status = run_with(command, argc, argv, options);
    if (command->release)
        command->release(options);
    return status;
}

void command_line_warn_interrupted(size_t count)
{
    if (count > 1)
        diagnostics_line("warning: the creation of %zu containers was interrupted; those that the "
                         "engine still completes are removed by the next start of isolator",
                         count);
}
