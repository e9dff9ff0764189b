#include "cli/session/session_runner.h"

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/live_output.h"
#include "cli/print.h"
#include "cli/result_text.h"
#include "cli/safe_json.h"
#include "cli/session/session_output.h"

static bool print_piece(void *context, const char *data, size_t length)
{
    (void)context;
    print_bytes(data, length);
    return print_failure() == 0;
}

static void print_json(const struct session_runner *runner, struct result *result)
{
    json_t *object = json_object();

    json_object_set_new(object, "cell", json_integer(runner->cells));
    result_text_write(object, result, SAFE_JSON_FLAGS, print_piece, NULL);
}

/* Writes the files that a cell has made for the options; without a directory, says which. */
static void keep_files(const struct session_runner *runner, struct result *result)
{
    if (runner->artifacts >= 0) {
        artifact_files_write(runner->artifacts, NULL, true, NULL, result);
        return;
    }
    for (size_t i = 0; runner->prompt && i < result->artifacts.count; i++)
        diagnostics_line("%s has %zu bytes; --artifacts DIR writes pictures to a directory",
                         result->artifacts.items[i].name, result->artifacts.items[i].length);
}

void session_runner_end_cell(struct session_runner *runner, const struct result *result)
{
    const struct session_result *ended = result->session;

    if (ended && ended->ended)
        diagnostics_line("the session has ended: %s%s", ended->ended,
                         runner->prompt ? "; the next cell begins a new one" : "");
    else if (ended && ended->cell && !ended->state_kept && result->container && runner->prompt)
        diagnostics_line("the interpreter has ended: variables are lost, files are kept");
    if (runner->prompt && !runner->shell.id[0])
        runner->cells = 0;
}

static void run_shown(struct session_runner *runner, const struct session_cell *cell,
                      struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct live_output output;

    if (live_output_begin(&output, &error) != 0) {
        result_fail(result, &error);
        return;
    }
    session_shell_run(&runner->shell, cell, &output.observer, result);
    live_output_end(&output);
}

static void take_names(struct session_runner *runner, struct result *result)
{
    if (!runner->prompt || !result->session)
        return;
    strvec_release(&runner->names);
    strvec_release(&runner->files);
    runner->names = result->session->names;
    runner->files = result->session->files;
    result->session->names = result->session->files = (struct strvec)STRVEC_INIT;
}

void session_runner_run(struct session_runner *runner, const char *code, size_t length,
                        long long line)
{
    const struct run_observer none = RUN_OBSERVER_INIT;
    const struct session_cell cell = {
        .code = code, .length = length, .line = line, .names = runner->prompt != NULL};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FREE char *label = NULL;

    runner->cells++;
    label = runner->prompt ? string_format("Out[%lld]: ", runner->cells) : string_copy("");
    if (runner->options.json)
        session_shell_run(&runner->shell, &cell, &none, &result);
    else
        run_shown(runner, &cell, &result);
    runner->failed |= !result_success(&result);
    take_names(runner, &result);
    keep_files(runner, &result);
    if (runner->options.json)
        print_json(runner, &result);
    else
        session_output_result(&result, label);
    session_runner_end_cell(runner, &result);
}
