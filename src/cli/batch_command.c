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
#include "base/duration.h"
#include "base/linux.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/batch.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "sandbox/config.h"
#include "sandbox/janitor.h"

enum { JOBS_MAX = 1024 };

struct options {
    const char *config; /* borrowed from argv; NULL: the usual places */
    const char *file;   /* likewise; NULL or "-": stdin */
    int jobs;
    bool quiet, verbose, help;
};

static void print_help(void)
{
    puts("usage: isolator batch [-j N] [--config FILE] [-q] [-v] [FILE]\n"
         "\n"
         "Reads requests from FILE, or from stdin: one JSON object a line, with the members of\n"
         "execute_code and an \"id\". Runs each in a container of its own, several at a time, and\n"
         "prints one JSON result a line as each finishes.\n"
         "\n"
         "  -j, --jobs N       run N at a time (default: one for each processor core)\n"
         "      --config FILE  configuration file\n"
         "  -q, --quiet        show no progress on a terminal\n"
         "  -v, --verbose      say on stderr which container each line had\n"
         "  -h, --help         print this summary\n"
         "\n"
         "Exit status: 0 when all succeeded, 1 when some did not, 2 wrong command line or\n"
         "configuration or FILE, 3 this host or the output failed, 128+N on signal N, 141 when\n"
         "nobody reads the results. See isolator-batch(1).");
}

static int read_jobs(const char *value, int *jobs, struct error *error)
{
    double number;

    if (number_parse(value, &number, error) != 0)
        return error_prefix(error, "--jobs");
    if (!(number >= 1 && number <= JOBS_MAX) || number != (int)number)
        return error_set(error, ERROR_USAGE, "--jobs: must be a whole number from 1 to %d",
                         JOBS_MAX);
    *jobs = (int)number;
    return 0;
}

static int parse(struct options *options, int argc, char **argv, struct error *error)
{
    enum { OPTION_CONFIG = 256 };
    static const struct option known[] = {
        {"jobs", required_argument, NULL, 'j'}, {"config", required_argument, NULL, OPTION_CONFIG},
        {"quiet", no_argument, NULL, 'q'},      {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    const int cores = linux_cores();
    int option;

    *options = (struct options){.jobs = cores < JOBS_MAX ? cores : JOBS_MAX};
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":j:qvh", known, NULL)) != -1) {
        if (option == 'j') {
            if (read_jobs(optarg, &options->jobs, error) != 0)
                return -1;
        } else if (option == OPTION_CONFIG)
            options->config = optarg;
        else if (option == 'q')
            options->quiet = true;
        else if (option == 'v')
            options->verbose = true;
        else if (option == 'h')
            options->help = true;
        else
            return command_line_refuse(option, "batch", known, argv, error);
    }
    if (argc - optind > 1)
        return error_set(error, ERROR_USAGE, "one FILE at most; '%s' is too much",
                         argv[optind + 1]);
    options->file = argv[optind];
    return 0;
}

/* The descriptor to read from; -1 with the error. */
static int open_input(const char *file, struct error *error)
{
    int fd;

    if (!file || strcmp(file, "-") == 0) {
        if (isatty(STDIN_FILENO))
            fputs("isolator: reads requests from the terminal, one JSON object a line\n", stderr);
        return STDIN_FILENO;
    }
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        error_set_errno(error, ERROR_INPUT, "cannot open '%s'", file);
    return fd;
}

/* Results that are read as requests would never end; cat(1) refuses the same. */
static int check_output(int in, struct error *error)
{
    struct stat from, to;

    if (fstat(in, &from) != 0 || fstat(STDOUT_FILENO, &to) != 0 || !S_ISREG(from.st_mode) ||
        from.st_dev != to.st_dev || from.st_ino != to.st_ino)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "the results would go to the file from which the requests come");
}

static int status_of(const struct batch_totals *totals)
{
    if (totals->output_error == EPIPE)
        return EXIT_STATUS_INTERRUPTED + SIGPIPE;
    if (totals->output_error != 0) {
        fprintf(stderr, "isolator: cannot write the results: %s\n", strerror(totals->output_error));
        return EXIT_STATUS_ENGINE;
    }
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return totals->failed > 0 ? EXIT_STATUS_PROGRAM : EXIT_STATUS_SUCCESS;
}

static int run(const struct options *options, const struct config *config, struct error *error)
{
    struct docker docker = config_docker(config);
    struct batch_options batch = {
        .jobs = options->jobs, .verbose = options->verbose, .quiet = options->quiet};
    struct batch_totals totals;
    struct janitor janitor;
    int result;

    batch.in = open_input(options->file, error);
    if (batch.in < 0 || check_output(batch.in, error) != 0 ||
        signals_catch(error) != 0) /* last: to open a FIFO may take long */
        return -1;
    janitor_start(&janitor, &docker);
    linux_raise_descriptors(); /* each run holds some */
    result = batch_run(config, &docker, &batch, &totals, error);
    janitor_dismiss(&janitor);
    signals_release(); /* nothing is left that would have to be removed */
    if (batch.in != STDIN_FILENO)
        close(batch.in);
    return result == 0 ? status_of(&totals) : -1;
}

int batch_command(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    struct options options;
    int status;

    config_init(&config);
    if (parse(&options, argc, argv, &error) != 0)
        return exit_status_report(&error);
    if (options.help) {
        print_help();
        return EXIT_STATUS_SUCCESS;
    }
    if (config_load(&config, options.config, NULL, &error) != 0)
        return exit_status_report(&error);
    status = run(&options, &config, &error);
    return status >= 0 ? status : exit_status_report(&error);
}
