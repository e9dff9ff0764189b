#include "cli/jobs/wait_command.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/duration.h"
#include "base/signals.h"
#include "cli/artifact_files.h"
#include "cli/command_line.h"
#include "cli/escaped_output.h"
#include "cli/exit_status.h"
#include "cli/jobs/each_job.h"
#include "cli/output_format.h"
#include "cli/print.h"
#include "cli/run_request.h"
#include "cli/run_text.h"
#include "service/jobs.h"

struct wait_options {
    struct common_options common;
    long long timeout_ms; /* 0: none */
    bool keep, json;
    enum output_format format;
};

static int take_timeout(void *place, const char *value, struct error *error)
{
    return duration_parse(value, place, error);
}

static const struct option_rule wait_rules[] = {
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
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_AUDIT,
    COMMAND_OPTION_HELP,
};

const struct option_table wait_table = {
    .command = "isolator wait",
    .usage = "usage: isolator wait [OPTIONS] ID...\n"
             "\n"
             "Waits until jobs have ended, prints the result of each as isolator run does, and\n"
             "removes them. ID is what isolator start has printed, its first digits, or the\n"
             "--name of the job.\n",
    .example = "isolator wait $(isolator start main.py)",
    .after = "Exit status: as that of isolator run, of the last job that has failed; 124 also\n"
             "if a job has not ended in time. See isolator-wait(1).\n",
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

/* -1: it could not be written; a line on stderr says so. */
static int print_result(const struct wait_options *options, struct result *result)
{
    if (!output_format_is_text(options->format, options->json))
        return run_request_print_json(result);
    print_stream(PROCESS_STDOUT, STDOUT_FILENO, &result->text[0]);
    print_stream(PROCESS_STDERR, STDERR_FILENO, &result->text[1]);
    if (run_request_printed() != 0)
        return -1;
    run_text_print(result);
    return 0;
}

static void write_artifacts(const struct job_note *note, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FD int directory = -1;

    if (!note->artifacts)
        return;
    directory = artifact_files_open(note->artifacts, &error);
    if (directory < 0)
        strvec_push(&result->warnings, error.message);
    else
        artifact_files_write(directory, NULL, note->force, "move it away, and wait with --keep",
                             result);
}

/*
 * The job is removed after its result was printed and its files are in place. If either fails, it
 * stays, and so it does if its container is not on this engine.
 */
static int finish(const struct docker *docker, const struct wait_options *options,
                  const struct job_note *note, struct result *result, struct error *error)
{
    const size_t warned = result->warnings.count + result->artifacts.missing.count;
    const bool is_gone = !result->container;
    int status;
    bool is_written;

    write_artifacts(note, result);
    is_written = result->warnings.count + result->artifacts.missing.count == warned;
    status = exit_status_of_result(result, SIGTERM); /* if isolator stop has ended it */
    if (print_result(options, result) != 0)
        return EXIT_STATUS_ENGINE;
    if (!options->keep && !is_gone && is_written &&
        jobs_remove(docker, note, true, NULL, error) != 0)
        return -1;
    return status;
}

struct wait {
    const struct wait_options *options;
    struct docker docker;
    struct audit audit;
    long long deadline; /* clock_now_ms(); 0: none */
};

static int wait_for_job(void *context, const char *word, struct error *error)
{
    struct wait *wait = context;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    bool runs;

    if (job_note_lock(&note, word, error) != 0)
        return -1;
    if (jobs_wait(&wait->docker, &wait->audit, &note, wait->deadline, signals_cancel(), &result,
                  &runs, error) == 0)
        return finish(&wait->docker, wait->options, &note, &result, error);
    if (!runs)
        return -1;
    diagnostics_line("the job %s has not ended within the --timeout", note.id);
    error_release(error);
    *error = (struct error)ERROR_INIT;
    return EXIT_STATUS_TIMEOUT;
}

static int run_wait_command(void *context, char **operands, const struct config *config,
                            struct error *error)
{
    const struct wait_options *options = context;
    struct wait wait = {.options = options,
                        .docker = config_docker(config),
                        .deadline =
                            options->timeout_ms > 0 ? clock_now_ms() + options->timeout_ms : 0};
    int status;

    if (output_format_check(options->format, options->json, error) != 0)
        return -1;
    if (audit_open(&wait.audit, config->audit_file, error) != 0)
        return -1;
    status = each_job(operands, wait_for_job, &wait, error);
    audit_close(&wait.audit);
    return status;
}

int wait_command(int argc, char **argv)
{
    static const struct command_line command = {.options = &wait_table,
                                                .operands_max = COMMAND_ANY_OPERANDS,
                                                .run = run_wait_command,
                                                .output = "result"};
    struct wait_options options = {.timeout_ms = 0};

    return command_line_main(&command, argc, argv, &options);
}
