#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "cli/artifact_files.h"
#include "cli/batch/batch.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/output_format.h"
#include "cli/parallel.h"
#include "config/config.h"
#include "service/job_batch.h"

struct batch_arguments {
    struct common_options common;
    int parallel, retries, share;
    struct batch_shard shard;
    const char *artifacts; /* directory, borrowed from argv; NULL */
    const char *programs;  /* directory, borrowed from argv; NULL */
    struct strvec tools;   /* names of servers */
    const char *results;   /* of an earlier batch, borrowed from argv; NULL */
    bool detach, json, force, quiet, verbose;
    enum output_format format;
};

/* Lines that share a container if --share does not say how many. */
enum { SHARE_DEFAULT = 200 };

static const struct option_rule batch_rules[] = {
    {{'j', "--jobs", "N", "run N at a time", "one per processor core",
      "Run N requests at a time, at most 1024. A much higher number makes the engine no faster, "
      "and it may then need more than the *engineTimeoutSeconds* of isolator_config.json(5)."},
     OPTION_WHOLE(struct batch_arguments, parallel, 1, PARALLEL_MAX)},
    {{0, "--share", "[N]", "let lines share containers, N in each", "200",
      "Let lines share containers, one after the other: at most N run in one, by default 200; 0: "
      "each has a container of its own. Only for programs that may know of each other; see "
      "[SHARING CONTAINERS]."},
     OPTION_WHOLE(struct batch_arguments, share, 0, CONFIG_SHARE_MAX),
     .without_value = SHARE_DEFAULT},
    {{0, "--detach", NULL, "start jobs, and print their ids", NULL,
      "Start each request as a job, which does not end with this command, and print its id; see "
      "[JOBS OF A BATCH]."},
     OPTION_FLAG(struct batch_arguments, detach)},
    {{0, "--resume", "RESULTS", "skip requests whose id has a result in this file", NULL,
      "Skip requests that have a result in the file RESULTS, which earlier batches printed; see "
      "[RESUMING A BATCH]."},
     OPTION_STRING(struct batch_arguments, results),
     .values = VALUES_FILES},
    {{0, "--shard", "I/N", "run every Nth line, beginning with line I", NULL,
      "Run only lines I, I + N, I + 2 N and so on of the input, with I from 1 to N, and N at most "
      "1000000; see [SEVERAL MACHINES]."},
     OPTION_CALL(struct batch_arguments, shard, batch_shard_take)},
    {{0, "--programs", "DIR", "requests may name programs in DIR", NULL,
      "Let requests name a program in or below DIR, by the path that follows DIR: "
      "*entrypoint_file* in place of *entrypoint_code*. Its name determines the language, unless "
      "*language* does. Links are not followed, and a path with a part that begins with a dot is "
      "refused."},
     OPTION_STRING(struct batch_arguments, programs)},
    {COMMAND_TEXT_TOOLS("The member *tools* of a request narrows the servers. "),
     OPTION_CALL(struct batch_arguments, tools, command_take_tools)},
    {COMMAND_TEXT_RETRIES("request"),
     OPTION_WHOLE(struct batch_arguments, retries, 0, COMMAND_RETRIES_MAX)},
    {{0, "--artifacts", "DIR", "write the files that requests name to DIR/LINE", NULL,
      "Write the files that requests name in *artifacts* below DIR, which is created if it does "
      "not exist. The files of each line are in a directory with the number of the line; see "
      "--artifacts in isolator(1). Without this option the results only list the files and their "
      "digests."},
     OPTION_STRING(struct batch_arguments, artifacts)},
    {{0, "--force", NULL, "replace existing files", NULL, "Replace existing files."},
     OPTION_FLAG(struct batch_arguments, force)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_AUDIT,
    {OUTPUT_FORMAT_JSON_OPTION, OPTION_FLAG(struct batch_arguments, json)},
    {OUTPUT_FORMAT_OPTION("a row of a table, see [AT A TERMINAL]."),
     OPTION_CALL(struct batch_arguments, format, output_format_take),
     .choices = OUTPUT_FORMAT_CHOICES},
    {{'q', "--quiet", NULL, "print no progress and no summary on stderr", NULL,
      "Print neither progress nor the summary. Use this option if a program that reads the results "
      "writes to the same terminal."},
     OPTION_FLAG(struct batch_arguments, quiet)},
    {{'v', "--verbose", NULL, "print on stderr which container each line had", NULL,
      "Print on standard error which container each line had, and whether it was warm."},
     OPTION_FLAG(struct batch_arguments, verbose)},
    COMMAND_OPTION_HELP,
};

static const struct option_other others[] = {
    {"--output", "results go to stdout; redirect it to a file"},
    {"-o", "results go to stdout; redirect it to a file"},
    {"--input", "name the file of requests without an option"},
    {"--workers", "--jobs N runs N at a time"},
    {"--parallel", "--jobs N runs N at a time"},
    {NULL, NULL},
};

static const struct option_table batch_table = {
    .command = "isolator batch",
    .usage = "usage: isolator batch [OPTIONS] [FILE]\n"
             "\n"
             "Runs the requests of FILE or stdin, lines of JSON with the arguments of\n"
             "execute_code and an \"id\": several at a time, each in a container of its own.\n"
             "Prints each result as it finishes, in a table at a terminal, otherwise as JSON.\n",
    .example = "isolator batch -j 4 requests.jsonl >results.jsonl",
    .after = "Exit status: 0 success, 1 some failed, 2 usage or FILE, 3 engine, image, host or\n"
             "output, 128+N signal N, 141 stdout was closed. See isolator-batch(1).\n",
    .operands = VALUES_FILES,
    .others = others,
    OPTION_RULES(batch_rules)};

static int open_file(const char *file, struct error *error)
{
    const int fd = open(file, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? error_set_errno(error, ERROR_INPUT, "cannot open '%s'", file) : fd;
}

/* Returns the descriptor to read from, which is stdin for NULL and "-", or -1 with the error. */
static int open_input(const char *file, struct error *error)
{
    if (!file || strcmp(file, "-") == 0) {
        if (isatty(STDIN_FILENO))
            diagnostics_line("reading requests from the terminal, one JSON object per line");
        return STDIN_FILENO;
    }
    return open_file(file, error);
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

static int check_share(const struct batch_arguments *options, const struct config *config,
                       struct error *error)
{
    if (options->detach && options->share > 0)
        return error_set(error, ERROR_USAGE,
                         "--share is not for jobs, each of which has a container of its own");
    if (options->share > config->max_share)
        return error_set(
            error, ERROR_USAGE,
            "--share: %d is more than the configuration allows, which is %d (maxShare)",
            options->share, config->max_share);
    return 0;
}

/* Reads the results in `fd`, and the requests for the first time. */
static int prepare_resume(const struct batch_arguments *options, int fd,
                          struct batch_options *batch, struct batch_resume *resume,
                          struct error *error)
{
    if (!options->results)
        return 0;
    batch->resume = resume;
    return batch_resume_read_results(resume, fd, options->results, error) == 0
               ? batch_resume_check_requests(resume, &batch->shard, &batch->in, error)
               : -1;
}

/* Runs the batch. Signals are caught. */
static int run_batch(const struct batch_arguments *options, const struct config *config,
                     int results, struct batch_options *batch, struct error *error)
{
    CLEANUP(batch_resume_release) struct batch_resume resume = BATCH_RESUME_INIT;
    struct batch_totals totals;
    bool good = prepare_resume(options, results, batch, &resume, error) == 0;

    good = good && batch_run(config, batch, &totals, error) == 0;
    batch->resume = NULL;
    if (good)
        return batch_output_exit_status(&totals);
    if (error->kind != ERROR_CANCELLED || signals_caught() == 0)
        return -1;
    error_release(error);
    return EXIT_STATUS_INTERRUPTED + signals_caught();
}

static int run_batch_command(void *context, char **operands, const struct config *config,
                             struct error *error)
{
    const struct batch_arguments *options = context;
    char directory[PATH_MAX];
    struct batch_options batch = {
        .parallel = options->parallel > 0 ? options->parallel : parallel_default(),
        .artifacts = -1,
        .artifacts_path = options->artifacts ? directory : NULL,
        .force = options->force,
        .detach = options->detach,
        .verbose = options->verbose,
        .quiet = options->quiet,
        .shard = options->shard,
        .retries = options->retries,
        .share = options->share,
        .programs = options->programs,
        .tools = &options->tools,
        .as_table = output_format_is_text(options->format, options->json),
    };
    CLEANUP_FD int artifacts = -1;
    CLEANUP_FD int results = -1;
    CLEANUP_FD int starting = -1;
    int result;

    if (options->detach && options->retries > 0)
        return error_set(error, ERROR_USAGE, "--retries is not for jobs, which run once");
    if (options->detach && options->tools.count > 0)
        return error_set(error, ERROR_USAGE,
                         "--tools is not for jobs, which run on when isolator has ended");
    if (check_share(options, config, error) != 0)
        return -1;
    if (options->programs && access(options->programs, R_OK | X_OK) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'",
                               options->programs);
    if (output_format_check(options->format, options->json, error) != 0)
        return -1;
    if (options->artifacts)
        batch.artifacts = artifacts = artifact_files_open(options->artifacts, error);
    if (options->artifacts && artifacts < 0)
        return -1;
    if (options->artifacts && !realpath(options->artifacts, directory))
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", options->artifacts);
    if (options->results && (results = open_file(options->results, error)) < 0)
        return -1;
    /* Before the input is opened: who gives it may wait for the jobs at once. */
    if (options->detach)
        starting = job_batch_begin(error);
    if (options->detach && starting < 0)
        return -1;
    batch.in = open_input(operands[0], error);
    if (batch.in < 0 || check_output(batch.in, error) != 0 ||
        signals_catch(error) != 0) /* last: opening a FIFO may block */
        return -1;
    result = run_batch(options, config, results, &batch, error);
    signals_release(); /* nothing remains to be removed */
    if (batch.in != STDIN_FILENO)
        close(batch.in);
    return result;
}

static void release_options(void *options)
{
    struct batch_arguments *own = options;

    strvec_release(&own->tools);
}

const struct command_line batch_command = {.options_size = sizeof(struct batch_arguments),
                                           .options = &batch_table,
                                           .operands_max = 1,
                                           .run = run_batch_command,
                                           .output = "results",
                                           .release = release_options};
