#include "cli/session/session_stream.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/session/session_cells.h"

enum { CELL_MAX_BYTES = 16 << 20, CHUNK = 65536 };

/* Runs what is in `cell`, unless it is blank, and empties it. `line` as in struct session_cell. */
static void end_cell(struct session_runner *runner, struct strbuf *cell, long long line)
{
    bool blank = true;

    for (size_t i = 0; i < cell->length; i++)
        blank &= cell->data[i] == '\n' || text_is_blank(cell->data + i, 1);
    if (!blank)
        session_runner_run(runner, cell->data, cell->length, line);
    cell->length = 0;
}

/* The lines of a file or a pipe, and the cell that they are gathered in. */
struct stream {
    struct lines lines;
    struct strbuf cell;
    bool numbered;   /* it is a file, whose lines tracebacks name */
    long long line;  /* read so far */
    long long first; /* of the cell */
};

static void end_cell_of(struct session_runner *runner, struct stream *stream)
{
    end_cell(runner, &stream->cell, stream->numbered ? stream->first : 0);
    stream->first = stream->line + 1;
}

/* Takes the lines that are complete. */
static int take_lines(struct session_runner *runner, struct stream *stream, struct error *error)
{
    enum lines_event event;
    const char *line;
    size_t length;

    while (signals_caught() == 0 &&
           (event = lines_next(&stream->lines, &line, &length)) != LINES_NONE) {
        stream->line++;
        if (event == LINES_TOO_LONG || stream->cell.length + length > CELL_MAX_BYTES)
            return error_set(error, ERROR_INPUT, "a cell cannot have more than %d MiB",
                             CELL_MAX_BYTES >> 20);
        if (session_cell_is_separator(line, length)) {
            end_cell_of(runner, stream);
            continue;
        }
        strbuf_add(&stream->cell, line, length);
        strbuf_addch(&stream->cell, '\n');
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

static int exit_status_of(const struct session_runner *runner)
{
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (print_failure() != 0)
        return command_line_printed("output");
    return runner->failed ? EXIT_STATUS_PROGRAM : EXIT_STATUS_SUCCESS;
}

static int run_stream(struct session_runner *runner, int fd, struct stream *stream,
                      struct error *error)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    ssize_t length;

    while ((length = read_more(fd, chunk, error)) > 0) {
        lines_feed(&stream->lines, chunk, (size_t)length);
        if (take_lines(runner, stream, error) != 0)
            return -1;
    }
    lines_end(&stream->lines);
    if (length < 0 || take_lines(runner, stream, error) != 0)
        return -1;
    if (signals_caught() == 0)
        end_cell_of(runner, stream);
    return exit_status_of(runner);
}

int session_stream_run(struct session_runner *runner, int fd, bool numbered, struct error *error)
{
    struct stream stream = {
        .lines = LINES_INIT(CELL_MAX_BYTES), .cell = STRBUF_INIT, .numbered = numbered, .first = 1};
    const int status = run_stream(runner, fd, &stream, error);

    lines_release(&stream.lines);
    strbuf_release(&stream.cell);
    return status;
}

int session_stream_run_cells(struct session_runner *runner, const struct strvec *cells)
{
    for (size_t i = 0; i < cells->count && signals_caught() == 0; i++) {
        CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;

        strbuf_addstr(&cell, cells->items[i]);
        end_cell(runner, &cell, 0);
    }
    return exit_status_of(runner);
}
