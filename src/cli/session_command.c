#include "cli/session_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/result_text.h"
#include "cli/run_request.h"
#include "cli/safe_json.h"
#include "cli/session_cells.h"
#include "cli/session_output.h"
#include "cli/session_prompt.h"
#include "cli/session_shell.h"
#include "config/config_load.h"

enum { CELL_MAX_BYTES = 16 << 20, CHUNK = 65536 };

static const char commands_help[] =
    ":files         list the files of the working directory\n"
    ":put FILE      copy a file of this host into the working directory\n"
    ":get FILE      copy a file, or those of a pattern like '*.png', out of it\n"
    ":reset         begin a new session, in a new container\n"
    ":quit          end the session, as Ctrl-D does\n"
    "An empty line ends a cell of several lines. Ctrl-C interrupts a cell.\n";

struct session {
    struct run_options options;
    struct config config;
    struct session_shell shell;
    struct session_prompt *prompt; /* NULL: the cells come from a file or a pipe */
    int artifacts;                 /* open directory for files, owned; -1: none */
    long long cells;               /* run so far */
    bool failed;                   /* one of them */
};

/* ---- a cell */

static bool print_piece(void *context, const char *data, size_t length)
{
    (void)context;
    print_bytes(data, length);
    return print_failure() == 0;
}

static void print_json(const struct session *session, struct result *result)
{
    json_t *object = json_object();

    json_object_set_new(object, "cell", json_integer(session->cells));
    result_text_write(object, result, SAFE_JSON_FLAGS, print_piece, NULL);
}

/* Writes the files that a cell has made for the options; without a directory, says which. */
static void keep_files(const struct session *session, struct result *result)
{
    if (session->artifacts >= 0) {
        artifact_files_write(session->artifacts, NULL, true, result);
        return;
    }
    for (size_t i = 0; session->prompt && i < result->artifacts.count; i++)
        diagnostics_line("%s has %zu bytes; --artifacts DIR writes pictures to a directory",
                         result->artifacts.items[i].name, result->artifacts.items[i].length);
}

static void report_end(const struct session *session, const struct result *result)
{
    const struct session_result *ended = result->session;

    if (ended && ended->ended)
        diagnostics_line("the session has ended: %s%s", ended->ended,
                         session->prompt ? "; the next cell begins a new one" : "");
    else if (ended && ended->cell && !ended->state_kept && session->prompt)
        diagnostics_line("the interpreter has ended: variables are lost, files are kept");
}

static void run_shown(struct session *session, const struct session_cell *cell,
                      struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct session_output output;

    if (session_output_begin(&output, &error) != 0) {
        result_fail(result, &error);
        return;
    }
    session_shell_run(&session->shell, cell, &output.observer, result);
    session_output_end(&output);
}

static void run_cell(struct session *session, const char *code, size_t length)
{
    const struct run_observer none = RUN_OBSERVER_INIT;
    const struct session_cell cell = {.code = code, .length = length};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FREE char *label = NULL;

    session->cells++;
    label = session->prompt ? string_format("Out[%lld]: ", session->cells) : string_copy("");
    if (session->options.json)
        session_shell_run(&session->shell, &cell, &none, &result);
    else
        run_shown(session, &cell, &result);
    session->failed |= !result_success(&result);
    keep_files(session, &result);
    if (session->options.json)
        print_json(session, &result);
    else
        session_output_result(&result, label);
    report_end(session, &result);
    if (session->prompt && !session->shell.id[0])
        session->cells = 0; /* those of the next session are counted anew */
}

/* ---- the commands of the prompt */

/* Runs an empty cell for the sake of its files. False: it has failed, and a line says why. */
static bool exchange(struct session *session, const struct session_cell *cell,
                     struct result *result)
{
    const struct run_observer none = RUN_OBSERVER_INIT;

    if (!session_shell_keeps_state(&session->shell)) {
        diagnostics_line("%s has no interpreter that stays; exchange files with --artifacts, or "
                         "use python or javascript",
                         session->shell.language);
        return false;
    }
    session->cells++; /* the interpreter counts it, and names cells by their number */
    session_shell_run(&session->shell, cell, &none, result);
    report_end(session, result);
    if (!result_success(result))
        session_output_result(result, "");
    return result_success(result);
}

static void list_files(struct session *session)
{
    const struct session_cell cell = {.code = "", .wanted = "**"};
    CLEANUP(result_release) struct result result = RESULT_INIT;

    if (!exchange(session, &cell, &result))
        return;
    for (size_t i = 0; i < result.artifacts.count; i++)
        print_format("%10zu  %s\n", result.artifacts.items[i].length,
                     result.artifacts.items[i].name);
    for (size_t i = 0; i < result.artifacts.missing.count; i++)
        print_format("            %s\n", result.artifacts.missing.items[i]);
}

static void put_file(struct session *session, const char *file)
{
    const char *slash = strrchr(file, '/');
    const struct session_cell cell = {.code = "", .file = file, .path = slash ? slash + 1 : file};
    CLEANUP(result_release) struct result result = RESULT_INIT;

    exchange(session, &cell, &result);
}

static void get_files(struct session *session, const char *pattern)
{
    const struct session_cell cell = {.code = "", .wanted = pattern};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FD int here = session->artifacts >= 0 ? -1 : artifact_files_open(".", &error);
    const int directory = here >= 0 ? here : session->artifacts;

    if (directory < 0) {
        exit_status_report(&error);
        return;
    }
    if (!exchange(session, &cell, &result))
        return;
    if (result.artifacts.count == 0)
        diagnostics_line("no such file in the working directory");
    artifact_files_write(directory, NULL, false, &result);
    session_output_result(&result, "");
}

static void reset(struct session *session)
{
    session_shell_reset(&session->shell);
    session->cells = 0;
}

/* Runs a line that begins with a colon. Returns false if it ends the session. */
static bool run_colon_command(struct session *session, char *line)
{
    char *argument = line + strcspn(line, " \t\n");
    size_t length;

    if (*argument)
        *argument++ = '\0';
    argument += strspn(argument, " \t");
    length = strlen(argument);
    while (length > 0 && strchr(" \t\n", argument[length - 1]))
        argument[--length] = '\0';
    if (strcmp(line, ":quit") == 0)
        return false;
    if (strcmp(line, ":files") == 0)
        list_files(session);
    else if (strcmp(line, ":put") == 0 && *argument)
        put_file(session, argument);
    else if (strcmp(line, ":get") == 0 && *argument)
        get_files(session, argument);
    else if (strcmp(line, ":reset") == 0)
        reset(session);
    else
        print_text(commands_help);
    return true;
}

/* ---- where the cells come from */

/* Reads a cell, or a command, from the prompt into `text`. */
static enum prompt_event read_cell(struct session *session, struct strbuf *text)
{
    CLEANUP_FREE char *first = string_format("In [%lld]: ", session->cells + 1);
    CLEANUP_FREE char *next = string_format("%*s", (int)strlen(first), "...: ");
    enum prompt_event event;

    do
        event = session_prompt_read(session->prompt, text->length == 0 ? first : next, text);
    while (event == PROMPT_LINE && text->data[0] != ':' &&
           !text_is_blank(text->data, strcspn(text->data, "\n")) &&
           !session_cell_is_complete(text->data, text->length));
    return event;
}

static int run_prompt(struct session *session, struct error *error)
{
    bool more = true;

    session->prompt = session_prompt_open(error);
    if (!session->prompt)
        return -1;
    print_format("isolator " ISOLATOR_VERSION ", %s in a container of its own. :help lists the "
                 "commands.\n",
                 session->shell.language);
    while (more && print_failure() == 0) {
        CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
        const enum prompt_event event = read_cell(session, &text);

        if (event == PROMPT_END)
            break;
        if (event == PROMPT_INTERRUPTED || text_is_blank(text.data, text.length - 1))
            continue;
        session_prompt_remember(session->prompt, text.data);
        if (text.data[0] == ':')
            more = run_colon_command(session, text.data);
        else
            run_cell(session, text.data, text.length);
        if (signals_caught() != 0)
            more &= signals_forget_interrupt();
    }
    session_prompt_free(session->prompt);
    return signals_caught() == 0 ? EXIT_STATUS_SUCCESS : EXIT_STATUS_INTERRUPTED + signals_caught();
}

/* Runs what is in `cell`, unless it is blank, and empties it. */
static void end_cell(struct session *session, struct strbuf *cell)
{
    bool blank = true;

    for (size_t i = 0; i < cell->length; i++)
        blank &= cell->data[i] == '\n' || text_is_blank(cell->data + i, 1);
    if (!blank)
        run_cell(session, cell->data, cell->length);
    cell->length = 0;
}

/* Takes the lines that are complete. */
static int take_lines(struct session *session, struct lines *lines, struct strbuf *cell,
                      struct error *error)
{
    enum lines_event event;
    const char *line;
    size_t length;

    while (signals_caught() == 0 && (event = lines_next(lines, &line, &length)) != LINES_NONE) {
        if (event == LINES_TOO_LONG || cell->length + length > CELL_MAX_BYTES)
            return error_set(error, ERROR_INPUT, "a cell cannot have more than %d MiB",
                             CELL_MAX_BYTES >> 20);
        if (session_cell_is_separator(line, length)) {
            end_cell(session, cell);
            continue;
        }
        strbuf_add(cell, line, length);
        strbuf_addch(cell, '\n');
    }
    return 0;
}

/* Reads bytes and waits for them. Returns how many, 0 at the end or after a signal, -1. */
static ssize_t read_more(int fd, char *chunk, struct error *error)
{
    struct pollfd polled[] = {{fd, POLLIN, 0}, {notifier_fd(signals_cancel()), POLLIN, 0}};
    ssize_t length;

    do {
        while (io_poll(polled, 2, -1) < 0 && signals_caught() == 0)
            continue;
        if (signals_caught() != 0)
            return 0;
        length = read(fd, chunk, CHUNK);
    } while (length < 0 && (errno == EINTR || errno == EAGAIN));
    return length >= 0 ? length : error_set_errno(error, ERROR_INPUT, "cannot read the cells");
}

static int run_stream(struct session *session, int fd, struct error *error)
{
    CLEANUP(lines_release) struct lines lines = LINES_INIT(CELL_MAX_BYTES);
    CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    ssize_t length;

    while ((length = read_more(fd, chunk, error)) > 0) {
        lines_feed(&lines, chunk, (size_t)length);
        if (take_lines(session, &lines, &cell, error) != 0)
            return -1;
    }
    lines_end(&lines);
    if (length < 0 || take_lines(session, &lines, &cell, error) != 0)
        return -1;
    if (signals_caught() == 0)
        end_cell(session, &cell);
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (print_failure() != 0)
        return command_line_printed("output");
    return session->failed ? EXIT_STATUS_PROGRAM : EXIT_STATUS_SUCCESS;
}

/* ---- the command */

static bool at_terminal(const struct run_options *options)
{
    return !options->file && !options->json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int run_session(struct session *session, struct error *error)
{
    const char *file = session->options.file;
    const bool named = file && strcmp(file, "-") != 0;
    CLEANUP_FD int opened = -1;
    int status;

    if (named && (opened = open(file, O_RDONLY | O_CLOEXEC)) < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", file);
    if (session->options.artifacts &&
        (session->artifacts = artifact_files_open(session->options.artifacts, error)) < 0)
        return -1;
    if (signals_catch(error) != 0 ||
        session_shell_open(&session->shell, &session->options, &session->config, error) != 0)
        return -1;
    status = at_terminal(&session->options)
                 ? run_prompt(session, error)
                 : run_stream(session, named ? opened : STDIN_FILENO, error);
    session_shell_close(&session->shell);
    signals_release(); /* nothing remains to be removed */
    return status;
}

int session_command(int argc, char **argv)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct session session = {.artifacts = -1};
    int status;

    config_init(&session.config);
    status = run_options_parse(&session.options, RUN_OPTIONS_SESSION, argc, argv, &error);
    if (status == 0 && session.options.help)
        status = run_request_print_help(&session.options);
    else if (status == 0)
        status = config_load(&session.config, session.options.config_path, NULL, &error) == 0
                     ? run_session(&session, &error)
                     : -1;
    cleanup_fd(&session.artifacts);
    run_options_release(&session.options);
    config_release(&session.config);
    return status < 0 ? exit_status_report(&error) : status;
}
