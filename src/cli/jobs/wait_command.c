#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/duration.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/escaped_output.h"
#include "cli/jobs/each_job.h"
#include "cli/jobs/job_fetch.h"
#include "cli/jobs/wait_all.h"
#include "cli/output_format.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/run_text.h"

struct wait_options {
    struct common_options common;
    long long timeout_ms; /* 0: none */
    bool all, keep, json, quiet;
    enum output_format format;
};

static int take_timeout(void *place, const char *value, struct error *error)
{
    return duration_parse(value, place, error);
}

static const struct option_rule wait_rules[] = {
    {{'a', "--all", NULL, "wait for all jobs, and print results as they come", NULL,
      "Wait for all jobs of this user and host on the engine, except those of models, and print "
      "each result as soon as its "
      "job has ended, like *isolator batch*: a line of JSON, or at a terminal a row of a table. "
      "Jobs that an *isolator batch --detach* is still starting are waited for too."},
     OPTION_FLAG(struct wait_options, all)},
    {{'t', "--timeout", "DURATION", "wait no longer than that, like 30s", NULL,
      "How long to wait for all jobs together. Then the exit status is 124, and the jobs that have "
      "not ended go on. Without this option, *wait* waits until they have ended; each of them ends "
      "at its own timeout at the latest."},
     OPTION_CALL(struct wait_options, timeout_ms, take_timeout)},
    {{'k', "--keep", NULL, "do not remove the job", NULL,
      "Do not remove the job when its result was printed, so that it can be printed again."},
     OPTION_FLAG(struct wait_options, keep)},
    {OUTPUT_FORMAT_JSON_OPTION, OPTION_FLAG(struct wait_options, json)},
    {OUTPUT_FORMAT_OPTION(
         "the output of the program and then, on standard error, one line with the "
         "status, the exit status or the signal, the duration and the peak "
         "memory."),
     OPTION_CALL(struct wait_options, format, output_format_take),
     .choices = OUTPUT_FORMAT_CHOICES},
    {{'q', "--quiet", NULL, "with --all, print no progress and no summary on stderr", NULL,
      "With --all, print neither progress nor the summary on standard error."},
     OPTION_FLAG(struct wait_options, quiet)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_AUDIT,
    COMMAND_OPTION_HELP,
};

static const struct option_table wait_table = {
    .command = "isolator wait",
    .usage = "usage: isolator wait [OPTIONS] ID...\n"
             "       isolator wait [OPTIONS] --all\n"
             "\n"
             "Waits until jobs have ended, prints the result of each as isolator run does, and\n"
             "removes them. ID is what isolator start has printed, its first digits, or the\n"
             "--name of the job.\n",
    .example = "isolator wait $(isolator start main.py)",
    .after = "Exit status: as that of isolator run, of the last job that has failed; with\n"
             "--all that of isolator batch; 124 also if a job has not ended in time. See\n"
             "isolator-wait(1).\n",
    .operands = VALUES_JOBS,
    OPTION_RULES(wait_rules)};

static void print_stream(enum process_stream stream, int fd, const struct strbuf *text)
{
    CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
    CLEANUP_FREE char *shown =
        isatty(fd) == 1 ? escaped_output_text(&escaped, stream, text->data, text->length) : NULL;
    const char *bytes = shown ? shown : text->data;
    const size_t length = shown ? strlen(shown) : text->length;

    if (length == 0)
        return;
    if (stream == PROCESS_STDOUT)
        print_bytes(bytes, length);
    else
        diagnostics_copy(bytes, length, signals_cancel());
    if (shown && bytes[length - 1] != '\n' && stream == PROCESS_STDOUT)
        print_text("\n");
}

/* See struct job_fetch. */
static bool print_result(void *context, const struct job_note *note, struct result *result)
{
    const struct wait_options *options = context;

    if (!output_format_is_text(options->format, options->json))
        return run_request_print_json(job_fetch_members(note), result) == 0;
    print_stream(PROCESS_STDOUT, STDOUT_FILENO, &result->text[0]);
    print_stream(PROCESS_STDERR, STDERR_FILENO, &result->text[1]);
    if (run_request_printed() != 0)
        return false;
    run_text_print(result);
    return true;
}

static int fetch_one(void *context, const char *word, struct error *error)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    return job_fetch(context, word, &note, error);
}

static int fetch_all(const struct job_fetch *fetch, const struct wait_options *options,
                     struct error *error)
{
    int status;

    if (signals_catch(error) != 0)
        return -1;
    status = wait_for_all(fetch, output_format_is_text(options->format, options->json),
                          options->quiet, error);
    signals_release();
    return status;
}

static int run_wait_command(void *context, char **operands, const struct config *config,
                            struct error *error)
{
    struct wait_options *options = context;
    const struct docker docker = config_docker(config);
    struct audit audit;
    struct job_fetch fetch = {
        .config = config,
        .docker = &docker,
        .audit = &audit,
        .deadline = options->timeout_ms > 0 ? clock_now_ms() + options->timeout_ms : 0,
        .keep = options->keep,
        .print = print_result,
        .context = options};
    int status;

    if (output_format_check(options->format, options->json, error) != 0)
        return -1;
    if (options->all && operands[0])
        return error_set(error, ERROR_USAGE, "--all waits for all jobs: name none");
    if (audit_open(&audit, config->audit_file, error) != 0)
        return -1;
    status = options->all ? fetch_all(&fetch, options, error)
                          : each_job(operands, "job", fetch_one, &fetch, error);
    audit_close(&audit);
    return status;
}

const struct command_line wait_command = {.options_size = sizeof(struct wait_options),
                                          .options = &wait_table,
                                          .operands_max = COMMAND_ANY_OPERANDS,
                                          .run = run_wait_command,
                                          .output = "result"};
