#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/memory_file.h"
#include "supervisor/supervisor_state.h"

/*
 * The cells of an interpreter that stays. What arrives of a cell is kept in files in memory, and
 * written to a pipe when it runs. They are the container's memory: a write that needs more than
 * there is fails. The driver keeps stdin in a file of its own, descriptor 3.
 *
 * This process shares with the program pipes and nothing else, since everything else can be made to
 * wait for the program: a file while a process reads or writes much of it, and a UNIX socket, with
 * which descriptors can come, while these are closed (SO_LINGER).
 *
 * The driver is a part of the program, so what it reports is no more than that: a cell that writes
 * a report itself ends there, while its code goes on when the interpreter is continued. The number
 * in front of a report says of which cell it is, so the driver's own report of that code is not
 * taken for the one of a later cell. If the driver has closed its ends of the pipes, or does not
 * answer, the cell ends with the interpreter or with the order to stop.
 */

void cell_init(struct supervisor *supervisor)
{
    supervisor->cell = (struct cell){.files = {-1, -1}, .unread = -1};
}

void cell_forget(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;

    for (int i = 0; i < CELL_FILES; i++)
        streams_close(&cell->files[i]);
    streams_close(&cell->unread);
    cell_init(supervisor);
}

void cell_reset(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;

    cell->error = 0;
    for (int i = 0; i < CELL_FILES; i++) {
        cell->sizes[i] = 0;
        if (cell->files[i] >= 0 && ftruncate(cell->files[i], 0) != 0)
            cell->error = errno;
    }
}

/* Makes the files that are not there yet. */
static bool open_files(struct cell *cell)
{
    for (int i = 0; i < CELL_FILES && cell->error == 0; i++)
        if (cell->files[i] < 0) {
            cell->files[i] = memory_file_make("cell");
            if (cell->files[i] < 0)
                cell->error = errno;
        }
    return cell->error == 0;
}

static void append(struct cell *cell, int file, const char *bytes, size_t length)
{
    if (!open_files(cell))
        return;
    while (length > 0) {
        const ssize_t written = pwrite(cell->files[file], bytes, length, (off_t)cell->sizes[file]);

        if (written < 0 && errno != EINTR) {
            cell->error = errno;
            return;
        }
        if (written > 0) {
            cell->sizes[file] += (uint64_t)written;
            bytes += written;
            length -= (size_t)written;
        }
    }
}

void cell_take_code(struct supervisor *supervisor, const char *bytes, size_t length)
{
    append(&supervisor->cell, CELL_CODE, bytes, length);
}

/* Writes the bytes of stdin that have arrived to their file. */
static void take_stdin(struct supervisor *supervisor)
{
    while (supervisor->stdin_filled > 0) {
        const size_t first = supervisor->stdin_first;
        const size_t until_end = FRAME_STDIN_WINDOW - first;
        const size_t filled = supervisor->stdin_filled;
        const size_t part = filled < until_end ? filled : until_end;

        append(&supervisor->cell, CELL_INPUT, supervisor->stdin_bytes + first, part);
        supervisor->stdin_first = (first + part) % FRAME_STDIN_WINDOW;
        supervisor->stdin_filled -= part;
        supervisor->stdin_taken += part;
    }
    streams_grant_stdin(supervisor);
}

/* ---- the order */

static uint64_t order_size(const struct cell *cell)
{
    return CELL_HEAD + cell->sizes[CELL_CODE] + cell->sizes[CELL_INPUT];
}

static bool is_ordering(const struct supervisor *supervisor)
{
    return (supervisor->state == STATE_STARTING || supervisor->state == STATE_RUNNING) &&
           supervisor->cell.exists && supervisor->program.begin >= 0 &&
           supervisor->cell.sent < order_size(&supervisor->cell);
}

/* The next bytes to be sent; how many. */
static ssize_t next_bytes(const struct cell *cell, char *bytes, size_t size)
{
    uint64_t at = cell->sent;

    if (at < CELL_HEAD) {
        memcpy(bytes, cell->head + at, CELL_HEAD - at);
        return (ssize_t)(CELL_HEAD - at);
    }
    at -= CELL_HEAD;
    if (at < cell->sizes[CELL_CODE])
        return pread(cell->files[CELL_CODE], bytes, size, (off_t)at);
    return pread(cell->files[CELL_INPUT], bytes, size, (off_t)(at - cell->sizes[CELL_CODE]));
}

static void send_order(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;
    char bytes[8192];

    while (is_ordering(supervisor)) {
        const ssize_t length = next_bytes(cell, bytes, sizeof bytes);
        const ssize_t written =
            length > 0 ? write(supervisor->program.begin, bytes, (size_t)length) : 0;

        if (written < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (written <= 0)
            streams_close(&supervisor->program.begin); /* as the driver has done */
        else
            cell->sent += (uint64_t)written;
    }
}

static void begin_order(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;

    snprintf(cell->head, sizeof cell->head, "%12llu %12llu %12llu\n",
             (unsigned long long)++cell->number, (unsigned long long)cell->sizes[CELL_CODE],
             (unsigned long long)cell->sizes[CELL_INPUT]);
    cell->sent = cell->reported = 0;
    cell->matched = 0;
}

/* ---- the interpreter */

static void start_interpreter(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;
    struct cell *cell = &supervisor->cell;

    program->store = memory_file_make("stdin");
    program->input = program->store < 0 ? -1 : memory_file_reopen(program->store);
    if (program->input < 0)
        requests_fail(supervisor, FRAME_STEP_START, errno);
    else
        cell->exists = requests_start_program(supervisor);
    streams_close(&program->store);
    streams_close(&program->input);
    if (cell->exists) {
        cell->unread = memory_file_reopen(program->begin);
        fcntl(cell->unread, F_SETFL, O_NONBLOCK);
    }
    send_order(supervisor);
}

static void continue_interpreter(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;
    struct program *program = &supervisor->program;

    program->start_us = figures_clock_us();
    supervisor->state = STATE_RUNNING;
    if (supervisor->reaped) {
        supervisor->end.wall_us = 0;
        ending_after_program(supervisor);
        return;
    }
    /*
     * What comes from between two cells belongs to none. A cell that was ended by a report of the
     * program's own may not have been read.
     */
    streams_discard(&cell->unread);
    streams_discard(&program->out[0]);
    streams_discard(&program->out[1]);
    streams_discard(&program->answer);
    if (cell->stopped)
        kill(program->pid, SIGCONT);
    cell->stopped = false;
    send_order(supervisor);
    cpu_limit_check(supervisor);
}

void cell_load(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;

    supervisor->state = STATE_LOADING;
    open_files(cell);
    take_stdin(supervisor);
    if (cell->error != 0) {
        requests_fail(supervisor, FRAME_STEP_START, cell->error);
        return;
    }
    if (!supervisor->stdin_ended)
        return;
    requests_begin(supervisor);
    begin_order(supervisor);
    if (cell->exists)
        continue_interpreter(supervisor);
    else
        start_interpreter(supervisor);
}

void cell_interrupt(const struct supervisor *supervisor)
{
    const pid_t pid = supervisor->program.pid;

    if (!supervisor_is_cell(supervisor) || supervisor->reaped ||
        (supervisor->state != STATE_STARTING && supervisor->state != STATE_RUNNING))
        return;
    if (kill(-pid, SIGINT) != 0) /* it does not lead its group yet */
        kill(pid, SIGINT);
}

static bool may_report(const struct supervisor *supervisor)
{
    const bool discards = supervisor->cell.reported >= supervisor->run.report_max;

    return supervisor->state == STATE_RUNNING && supervisor->program.answer >= 0 &&
           (discards ? frame_link_has_space(&supervisor->link)
                     : frame_link_may_send(&supervisor->link, CHANNEL_REPORT) > 0);
}

/* How many bytes of the report may be sent now. */
static size_t report_left(const struct supervisor *supervisor)
{
    const uint64_t left = supervisor->run.report_max - supervisor->cell.reported;
    const size_t most = frame_link_may_send(&supervisor->link, CHANNEL_REPORT);

    return left < most ? (size_t)left : most;
}

/*
 * Takes from what was read what comes before the report of this cell: other reports up to their
 * NUL, and the number. Returns its length.
 */
static size_t take_number(struct cell *cell, const unsigned char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length && cell->matched < CELL_NUMBER) {
        if (bytes[at] == '\0')
            cell->matched = 0;
        else if (cell->matched >= 0 && bytes[at] == (unsigned char)cell->head[cell->matched])
            cell->matched++;
        else
            cell->matched = -1;
        at++;
    }
    return at;
}

static void pass_report(struct supervisor *supervisor)
{
    int *fd = &supervisor->program.answer;
    unsigned char *bytes = frame_link_prepare(&supervisor->link);
    const size_t left = report_left(supervisor);
    const size_t size = left > 0 && left < FRAME_CHUNK ? left : FRAME_CHUNK;
    const unsigned char *end;
    size_t length, before;
    ssize_t got;

    if (!bytes)
        return;
    got = read(*fd, bytes, size);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        streams_close(fd);
    if (got <= 0)
        return;
    before = take_number(&supervisor->cell, bytes, (size_t)got);
    length = (size_t)got - before;
    memmove(bytes, bytes + before, length);
    end = memchr(bytes, '\0', length);
    if (end)
        length = (size_t)(end - bytes);
    if (length > 0 && left > 0) {
        frame_link_commit(&supervisor->link, CHANNEL_REPORT, length);
        supervisor->cell.reported += length;
    }
    if (end && is_ordering(supervisor))
        ending_begin(supervisor, FRAME_CAUSE_ITSELF); /* the rest would begin the next cell */
    else if (end)
        settling_begin(supervisor);
}

/* ---- what the loop calls */

static void take_order_room(void *context, int number)
{
    (void)number;
    send_order(context);
}

static void take_answer(void *context, int number)
{
    (void)number;
    if (may_report(context))
        pass_report(context);
}

void cell_watch(struct supervisor *supervisor, struct loop *loop)
{
    if (is_ordering(supervisor))
        loop_add(loop, supervisor->program.begin, POLLOUT, take_order_room, supervisor, 0);
    if (may_report(supervisor))
        loop_add(loop, supervisor->program.answer, POLLIN, take_answer, supervisor, 0);
}
