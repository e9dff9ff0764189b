#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/escaped_output.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/terminal.h"
#include "service/job_output.h"

struct logs_options {
    struct common_options common;
    bool follow;
};

static const struct option_rule logs_rules[] = {
    {{'f', "--follow", NULL, "go on until the job ends", NULL,
      "Go on with what the job writes, until it ends. Ctrl-C ends the command and not the job."},
     OPTION_FLAG(struct logs_options, follow)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table logs_table = {
    .command = "isolator logs",
    .usage = "usage: isolator logs [-f] [--config FILE] ID\n"
             "\n"
             "Prints what a job has written to its standard output and standard error so far,\n"
             "to the same streams. ID is what isolator start has printed, its first digits, or\n"
             "the --name of the job.\n",
    .example = "isolator logs --follow 3f9c",
    .after = "Exit status: 0 printed, 2 no such job, 3 the engine failed, 128+N signal N. See\n"
             "isolator-logs(1).\n",
    .operands = VALUES_JOBS,
    OPTION_RULES(logs_rules)};

struct shown {
    struct escaped_output escaped;
    bool terminal[2];
};

static void write_stream(int stream, const char *data, size_t length)
{
    if (stream == 0)
        print_bytes(data, length);
    else
        diagnostics_copy(data, length, signals_cancel());
}

static void take(void *context, int stream, const char *data, size_t length)
{
    struct shown *shown = context;
    CLEANUP_FREE char *text = NULL;

    if (shown->terminal[stream])
        text = escaped_output_text(&shown->escaped, stream ? PROCESS_STDERR : PROCESS_STDOUT, data,
                                   length);
    write_stream(stream, text ? text : data, text ? strlen(text) : length);
}

/* As in the text of a result (base/capture.h). */
static void show_omitted(void *context, int stream, unsigned long long bytes)
{
    CLEANUP_FREE char *line = string_format("\n[... %llu bytes left out ...]\n", bytes);

    (void)context;
    write_stream(stream, line, strlen(line));
}

static bool go_on(void *context)
{
    (void)context;
    return print_failure() == 0;
}

static void end_streams(struct shown *shown)
{
    for (int i = 0; i < 2; i++) {
        CLEANUP_FREE char *rest =
            shown->terminal[i]
                ? escaped_output_rest(&shown->escaped, i ? PROCESS_STDERR : PROCESS_STDOUT)
                : NULL;

        if (rest)
            write_stream(i, rest, strlen(rest));
    }
}

static int show_logs(const struct docker *docker, const char *word, bool follow,
                     struct error *error)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;
    struct shown shown = {.escaped = ESCAPED_OUTPUT_INIT,
                          .terminal = {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1}};
    const struct job_output output = {
        .take = take, .omitted = show_omitted, .go_on = go_on, .context = &shown};
    int result;

    if (job_note_open(&note, word, error) != 0)
        return -1;
    shown.escaped.colours = terminal_has_colours(STDOUT_FILENO) &&
                            (!shown.terminal[1] || terminal_has_colours(STDERR_FILENO));
    result = job_output_read(docker, &note, follow, &output, signals_cancel(), error);
    end_streams(&shown);
    escaped_output_release(&shown.escaped);
    return result;
}

static int run_logs_command(void *context, char **operands, const struct config *config,
                            struct error *error)
{
    const struct logs_options *options = context;
    const struct docker docker = config_docker(config);
    int result;

    if (!operands[0])
        return error_set(error, ERROR_USAGE, "no job is named; isolator ps lists them");
    if (signals_catch(error) != 0)
        return -1;
    result = show_logs(&docker, operands[0], options->follow, error);
    signals_release();
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    return result;
}

const struct command_line logs_command = {.options_size = sizeof(struct logs_options),
                                          .options = &logs_table,
                                          .operands_max = 1,
                                          .run = run_logs_command,
                                          .output = "output of the job"};
