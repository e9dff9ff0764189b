#include "cli/batch_command.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/duration.h"
#include "base/linux.h"
#include "base/signals.h"
#include "cli/artifact_files.h"
#include "cli/batch.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "config/config.h"

enum { JOBS_MAX = 1024 };

struct batch_arguments {
    int jobs;
    const char *artifacts; /* directory, borrowed from argv; NULL */
    bool force, quiet, verbose;
};

enum { OPTION_ARTIFACTS = COMMAND_OPTION, OPTION_FORCE };

static const char batch_help[] =
    "usage: isolator batch [OPTIONS] [FILE]\n"
    "\n"
    "Reads requests from FILE or from stdin: one JSON object per line, with the\n"
    "arguments of execute_code and an \"id\". Runs several at a time, each in a\n"
    "container of its own, and prints one JSON result per line as each finishes.\n"
    "\n"
    "  -j, --jobs N         run N at a time (default: one per processor core)\n"
    "      --artifacts DIR  write the files that requests name to DIR/LINE\n"
    "      --force          replace existing files\n"
    "      --config FILE    configuration file\n"
    "  -q, --quiet          show no progress on a terminal\n"
    "  -v, --verbose        print on stderr which container each line had\n"
    "  -h, --help           print this summary\n"
    "\n"
    "Exit status: 0 all succeeded, 1 some failed, 2 wrong command line, configuration\n"
    "or FILE, 3 host or output error, 128+N signal N, 141 the reader closed stdout.\n"
    "See isolator-batch(1).\n";

static int read_jobs(const char *value, int *jobs, struct error *error)
{
    double number;

    if (number_parse(value, "", &number, error) != 0)
        return error_prefix(error, "--jobs");
    if (!(number >= 1 && number <= JOBS_MAX) || number != (int)number)
        return error_set(error, ERROR_USAGE, "--jobs: must be a whole number from 1 to %d",
                         JOBS_MAX);
    *jobs = (int)number;
    return 0;
}

static const struct option known_options[] = {
    {"jobs", required_argument, NULL, 'j'},
    {"artifacts", required_argument, NULL, OPTION_ARTIFACTS},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    COMMAND_OPTIONS_COMMON,
};

static int batch_take_option(void *context, int option, char *value, struct error *error)
{
    struct batch_arguments *options = context;

    if (option == 'j')
        return read_jobs(value, &options->jobs, error);
    if (option == OPTION_ARTIFACTS)
        options->artifacts = value;
    options->force |= option == OPTION_FORCE;
    options->quiet |= option == 'q';
    options->verbose |= option == 'v';
    return 0;
}

/* Returns the descriptor to read from, which is stdin for NULL and "-", or -1 with the error. */
static int open_input(const char *file, struct error *error)
{
    int fd;

    if (!file || strcmp(file, "-") == 0) {
        if (isatty(STDIN_FILENO))
            diagnostics_line("reading requests from the terminal, one JSON object per line");
        return STDIN_FILENO;
    }
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        error_set_errno(error, ERROR_INPUT, "cannot open '%s'", file);
    return fd;
}

/* Refuses to read our own results as requests, which would never end. cat(1) does the same. */
static int check_output(int in, struct error *error)
{
    struct stat from, to;

    if (fstat(in, &from) != 0 || fstat(STDOUT_FILENO, &to) != 0 || !S_ISREG(from.st_mode) ||
        from.st_dev != to.st_dev || from.st_ino != to.st_ino)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "input and output are the same file; write the results to another file");
}

static int exit_status_of_batch(const struct batch_totals *totals)
{
    if (totals->output_error == EPIPE)
        return EXIT_STATUS_INTERRUPTED + SIGPIPE;
    if (totals->output_error != 0) {
        diagnostics_line("cannot write the results: %s", strerror(totals->output_error));
        return EXIT_STATUS_ENGINE;
    }
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return totals->failed > 0 ? EXIT_STATUS_PROGRAM : EXIT_STATUS_SUCCESS;
}

static int run_batch_command(void *context, char **operands, const struct config *config,
                             struct error *error)
{
    const struct batch_arguments *options = context;
    struct batch_options batch = {
        .jobs = options->jobs,
        .artifacts = -1,
        .force = options->force,
        .verbose = options->verbose,
        .quiet = options->quiet,
    };
    CLEANUP_FD int artifacts = -1;
    struct batch_totals totals;
    int result;

    if (options->artifacts)
        batch.artifacts = artifacts = artifact_files_open(options->artifacts, error);
    if (options->artifacts && artifacts < 0)
        return -1;
    batch.in = open_input(operands[0], error);
    if (batch.in < 0 || check_output(batch.in, error) != 0 ||
        signals_catch(error) != 0) /* last: opening a FIFO may block */
        return -1;
    result = batch_run(config, &batch, &totals, error);
    signals_release(); /* nothing remains to be removed */
    if (batch.in != STDIN_FILENO)
        close(batch.in);
    return result == 0 ? exit_status_of_batch(&totals) : -1;
}

int batch_command(int argc, char **argv)
{
    static const struct command_line command = {.name = "batch",
                                                .help = batch_help,
                                                .letters = ":j:qvh",
                                                .known_options = known_options,
                                                .operands_max = 1,
                                                .take_option = batch_take_option,
                                                .run = run_batch_command,
                                                .output = "results"};
    const int cores = linux_cores();
    struct batch_arguments options = {.jobs = cores < JOBS_MAX ? cores : JOBS_MAX};

    return command_line_main(&command, argc, argv, &options);
}
