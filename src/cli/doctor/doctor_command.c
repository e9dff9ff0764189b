#include "cli/command.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "cli/command_line.h"
#include "cli/doctor/doctor.h"
#include "cli/exit_status.h"
#include "request/snippets.h"

struct doctor_options {
    struct common_options common;
    bool json;
    char *config_error; /* owned; why the configuration cannot be read; NULL: it can */
};

static const struct option_rule doctor_rules[] = {
    {{0, "--json", NULL, "print the checks as a JSON array instead", NULL,
      "Print a JSON array of objects instead, with the members *check*, *status* ('ok', 'warn' "
      "or 'fail'), *detail* and *advice*, which can be null. Some have *values*: versions and "
      "drivers, and the limits that are enforced, for the report of a problem."},
     OPTION_FLAG(struct doctor_options, json)},
    COMMAND_OPTION_RUNTIME,
    COMMAND_OPTION_OCI_RUNTIME,
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table doctor_table = {
    .command = "isolator doctor",
    .usage = "usage: isolator doctor [--json] [--runtime NAME] [--oci-runtime NAME]\n"
             "                       [--config FILE]\n"
             "\n"
             "Checks whether runs work here: configuration, docker command, engine and the\n"
             "limits that it enforces, images, and a program in each language. Prints ok, warn\n"
             "or fail for each check, and below it how to fix a problem.\n",
    .example = "isolator doctor",
    .after = "Exit status: 0 runs work, 2 wrong command line or configuration, 3 a check\n"
             "failed, 128+N signal N. See isolator-doctor(1).\n",
    OPTION_RULES(doctor_rules)};

/* Reports the error as a finding. The other checks use the built-in configuration. */
static int doctor_without_config(void *context, struct error *error)
{
    struct doctor_options *options = context;

    options->config_error = string_copy(error->message);
    error_release(error);
    return 0;
}

static void check_configuration(struct doctor *doctor, const char *config_error)
{
    static const char *const origins[] = {
        [CONFIG_BUILT_IN] = "built in",
        [CONFIG_ASKED_FOR] = "--config",
        [CONFIG_ENVIRONMENT] = "ISOLATOR_CONFIG",
        [CONFIG_OF_USER] = "user",
        [CONFIG_OF_SYSTEM] = "system",
        [CONFIG_INSTALLED] = "installed default",
    };
    const struct config *config = doctor->config;
    CLEANUP_FREE char *detail = NULL;

    if (config_error) {
        detail = string_format("%s; the checks below use the built-in configuration", config_error);
        findings_add(&doctor->findings, FINDING_FAIL, "configuration", detail,
                     "fix the file or choose another one; isolator config --schema prints what it "
                     "may contain");
        return;
    }
    if (config->file)
        detail = string_format("%s (%s)", config->file, origins[config->origin]);
    findings_add(&doctor->findings, FINDING_OK, "configuration",
                 detail ? detail : "built in; no file was found", NULL);
}

static void check_snippets(struct doctor *doctor)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (snippets_check(doctor->config, &error) != 0)
        findings_add(&doctor->findings, FINDING_WARN, "snippets", error.message,
                     "set promptsDir in the configuration to another directory, or remove it");
}

static int exit_status_of_doctor(const struct doctor *doctor, bool config_invalid)
{
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (config_invalid)
        return EXIT_STATUS_USAGE;
    return doctor->findings.failed ? EXIT_STATUS_ENGINE : EXIT_STATUS_SUCCESS;
}

static int run_doctor_command(void *context, char **operands, const struct config *config,
                              struct error *error)
{
    const struct doctor_options *options = context;
    struct doctor doctor = {.config = config, .docker = config_docker(config)};
    bool supported;

    (void)operands;
    if (signals_catch(error) != 0)
        return -1;
    findings_init(&doctor.findings, options->json);
    engine_info_init(&doctor.engine);
    supported = doctor_ask_engine(&doctor);
    check_configuration(&doctor, options->config_error);
    check_snippets(&doctor);
    if (supported && doctor_check_engine(&doctor)) {
        doctor_check_ssh(&doctor);
        doctor_check_languages(&doctor);
    }
    findings_finish(&doctor.findings);
    engine_info_release(&doctor.engine);
    error_release(&doctor.no_answer);
    strvec_release(&doctor.tried);
    free(doctor.command_file);
    signals_release();
    return exit_status_of_doctor(&doctor, options->config_error != NULL);
}

static void release_options(void *options)
{
    struct doctor_options *own = options;

    free(own->config_error);
}

const struct command_line doctor_command = {.options_size = sizeof(struct doctor_options),
                                            .options = &doctor_table,
                                            .without_config = doctor_without_config,
                                            .run = run_doctor_command,
                                            .output = "checks",
                                            .release = release_options};
