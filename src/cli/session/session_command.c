#include "cli/command.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/run_inputs.h"
#include "cli/run_option_table.h"
#include "cli/run_request.h"
#include "cli/session/notebook.h"
#include "cli/session/session_cells.h"
#include "cli/session/session_colon_commands.h"
#include "cli/session/session_runner.h"
#include "cli/session/session_stream.h"
#include "config/config_load.h"

/* Reads a cell, or a command, from the prompt into `text`. */
static enum prompt_event read_cell(struct session_runner *runner, struct strbuf *text)
{
    CLEANUP_FREE char *first = string_format("In [%lld]: ", runner->cells + 1);
    CLEANUP_FREE char *next = string_format("%*s", (int)strlen(first), "...: ");
    enum prompt_event event;

    do
        event = session_prompt_read(runner->prompt, text->length == 0 ? first : next, text);
    while (event == PROMPT_LINE &&
           (session_prompt_is_pasting(runner->prompt) ||
            (text->data[0] != ':' && !text_is_blank(text->data, strcspn(text->data, "\n")) &&
             !session_cell_is_complete(text->data, text->length))));
    return event;
}

/* Whether the cell is what people write to leave an interpreter. */
static bool says_exit(const struct strbuf *text)
{
    static const char *const words[] = {"exit", "exit()", "quit", "quit()"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);

        if (strncmp(text->data, words[i], length) == 0 &&
            strspn(text->data + length, " \t\n") == text->length - length)
            return true;
    }
    return false;
}

static int run_prompt(struct session_runner *runner, struct error *error)
{
    bool more = true;

    runner->prompt = session_prompt_open(error);
    if (!runner->prompt)
        return -1;
    session_prompt_offer(runner->prompt, &runner->names, &runner->files);
    print_format("isolator " ISOLATOR_VERSION ", %s in a container of its own. :help lists the "
                 "commands.\n",
                 runner->shell.language);
    while (more && print_failure() == 0) {
        CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
        const enum prompt_event event = read_cell(runner, &text);

        if (event == PROMPT_END || (event == PROMPT_LINE && says_exit(&text)))
            break;
        if (event == PROMPT_INTERRUPTED || text_is_blank(text.data, text.length - 1))
            continue;
        session_prompt_remember(runner->prompt, text.data);
        if (text.data[0] == ':')
            more = session_colon_command(runner, text.data);
        else
            session_runner_run(runner, text.data, text.length, 0);
        if (signals_caught() != 0)
            more &= signals_forget_interrupt();
    }
    session_prompt_free(runner->prompt);
    return signals_caught() == 0 ? EXIT_STATUS_SUCCESS : EXIT_STATUS_INTERRUPTED + signals_caught();
}

static bool at_terminal(const struct run_options *options)
{
    return !options->file && !options->json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* A file with an extension that no language has is data, and would run as Python. */
static int check_file(const struct session_runner *runner, const char *file, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(file);
    const char *name = text_file_name(file);
    const char *dot = strrchr(name, '.');

    if (runner->options.request.language || !dot || dot == name ||
        config_language_of_file(&runner->config, file))
        return 0;
    return error_set(error, ERROR_INPUT,
                     "'%s' has no cells: it is neither a notebook nor a program in a language that "
                     "is known; name its --language, or send it with --file",
                     escaped);
}

static int run_session(struct session_runner *runner, struct error *error)
{
    const char *file = runner->options.file;
    const bool named = file && strcmp(file, "-") != 0;
    const bool is_notebook = named && notebook_is_name(file);
    CLEANUP(notebook_release) struct notebook notebook = NOTEBOOK_INIT;
    CLEANUP_FD int opened = -1;
    int status;

    if (named && (opened = open(file, O_RDONLY | O_CLOEXEC)) < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", file);
    if (is_notebook && notebook_read(&notebook, opened, file, error) != 0)
        return -1;
    if (!runner->options.request.language)
        runner->options.request.language = steal_pointer(&notebook.language);
    if (named && !is_notebook && check_file(runner, file, error) != 0)
        return -1;
    if (run_inputs_check_paths(&runner->options, error) != 0)
        return -1;
    if (runner->options.artifacts &&
        (runner->artifacts = artifact_files_open(runner->options.artifacts, error)) < 0)
        return -1;
    if (signals_catch(error) != 0 ||
        session_shell_open(&runner->shell, &runner->options, &runner->config, error) != 0)
        return -1;
    if (is_notebook)
        status = session_stream_run_cells(runner, &notebook.cells);
    else if (at_terminal(&runner->options))
        status = run_prompt(runner, error);
    else
        status = session_stream_run(runner, named ? opened : STDIN_FILENO, named, error);
    session_shell_close(&runner->shell);
    signals_release(); /* nothing remains to be removed */
    return status;
}

int session_command(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct session_runner runner = {.artifacts = -1};
    int status;

    config_init(&runner.config);
    status = run_options_parse(&runner.options, RUN_OPTIONS_SESSION, argc, argv, &error);
    if (status == 0 && runner.options.help)
        status = command_line_print_help(&run_option_tables[RUN_OPTIONS_SESSION]);
    else if (status == 0)
        status = config_load(&runner.config, runner.options.config_path, NULL, &error);
    if (status == 0 && !runner.options.help)
        status = run_options_configure(&runner.options, &runner.config, &error);
    if (status == 0 && !runner.options.help)
        status = run_session(&runner, &error);
    cleanup_fd(&runner.artifacts);
    strvec_release(&runner.names);
    strvec_release(&runner.files);
    run_options_release(&runner.options);
    config_release(&runner.config);
    return status < 0 ? exit_status_report(&error) : status;
}
