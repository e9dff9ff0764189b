#include "cli/doctor_command.h"

#include <getopt.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "cli/command_line.h"
#include "cli/doctor.h"
#include "cli/exit_status.h"
#include "config/snippets.h"

enum { OPTION_JSON = COMMAND_OPTION };

struct options {
    bool json;
    char *broken; /* owned; why the configuration cannot be read; NULL: it can */
};

static const char help[] =
    "usage: isolator doctor [--json] [--config FILE]\n"
    "\n"
    "Checks whether runs work here: configuration, docker command, engine and the\n"
    "limits that it enforces, images, and a program in each language. Prints ok, warn\n"
    "or fail for each check, and below it how to fix a problem.\n"
    "\n"
    "      --json         print the checks as a JSON array instead\n"
    "      --config FILE  configuration file\n"
    "  -h, --help         print this summary\n"
    "\n"
    "Exit status: 0 runs work, 2 wrong command line or configuration, 3 a check\n"
    "failed, 128+N signal N. See isolator-doctor(1).\n";

static const struct option known[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    COMMAND_OPTIONS_COMMON,
};

static int take(void *context, int option, char *value, struct error *error)
{
    struct options *options = context;

    (void)option;
    (void)value;
    (void)error;
    options->json = true;
    return 0;
}

/* That is a finding; the other checks are made with what is built in. */
static int without_config(void *context, struct error *error)
{
    struct options *options = context;

    options->broken = string_copy(error->message);
    error_release(error);
    return 0;
}

static void check_configuration(struct doctor *doctor, const char *broken)
{
    static const char *const origins[] = {
        [CONFIG_BUILT_IN] = "built in",           [CONFIG_ASKED_FOR] = "--config",
        [CONFIG_ENVIRONMENT] = "ISOLATOR_CONFIG", [CONFIG_OF_USER] = "the user's",
        [CONFIG_OF_SYSTEM] = "the system's",      [CONFIG_INSTALLED] = "the installed default",
    };
    const struct config *config = doctor->config;
    CLEANUP_FREE char *detail = NULL;

    if (broken) {
        detail = string_format("%s; the checks below are with what is built in", broken);
        findings_add(
            &doctor->findings, FINDING_FAIL, "configuration", detail,
            "mend the file, or name another; isolator config --schema tells what it may hold");
        return;
    }
    if (config->file)
        detail = string_format("%s (%s)", config->file, origins[config->origin]);
    findings_add(&doctor->findings, FINDING_OK, "configuration",
                 detail ? detail : "what is built in; there is no file", NULL);
}

static void check_snippets(struct doctor *doctor)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (snippets_check(doctor->config, &error) != 0)
        findings_add(&doctor->findings, FINDING_WARN, "snippets", error.message,
                     "make install, or name another directory: promptsDir in the configuration");
}

static int status_of(const struct doctor *doctor, bool broken)
{
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (broken)
        return EXIT_STATUS_USAGE;
    return doctor->findings.failed ? EXIT_STATUS_ENGINE : EXIT_STATUS_SUCCESS;
}

static int run(void *context, char **operands, const struct config *config, struct error *error)
{
    const struct options *options = context;
    struct doctor doctor = {.config = config, .docker = config_docker(config)};

    (void)operands;
    if (signals_catch(error) != 0)
        return -1;
    findings_init(&doctor.findings, options->json);
    check_configuration(&doctor, options->broken);
    check_snippets(&doctor);
    if (doctor_check_engine(&doctor))
        doctor_check_languages(&doctor);
    findings_finish(&doctor.findings);
    signals_release();
    return status_of(&doctor, options->broken != NULL);
}

int doctor_command(int argc, char **argv)
{
    static const struct command_line command = {.name = "doctor",
                                                .help = help,
                                                .letters = ":h",
                                                .known = known,
                                                .take = take,
                                                .without_config = without_config,
                                                .run = run,
                                                .output = "checks"};
    struct options options = {.json = false};
    const int status = command_line_main(&command, argc, argv, &options);

    free(options.broken);
    return status;
}
