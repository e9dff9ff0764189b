#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/mux.h"
#include "supervisor/memory_file.h"
#include "supervisor/supervisor_state.h"

/*
 * How a request starts. Its relay, if RUN orders one, has to listen first, a cell and a program
 * whose stdin is a file wait for that, others for what has arrived of it (STATE_LOADING). A cell
 * starts an interpreter, which is a program with more descriptors, or continues the one that stays.
 */

void starting_fail(struct supervisor *supervisor, enum frame_step step, int error)
{
    ending_fail(supervisor, step, error, supervisor->program.arguments.items[0]);
}

static void fail_to_start(struct supervisor *supervisor, const struct program_failure *failure)
{
    const struct program *program = &supervisor->program;
    const bool is_directory = failure->step == FRAME_STEP_DIRECTORY;

    ending_forget_interpreter(supervisor);
    ending_fail(supervisor, failure->step, failure->error,
                is_directory ? program->directory : program->arguments.items[0]);
}

bool starting_end_files(struct supervisor *supervisor)
{
    struct unpack *unpack = &supervisor->unpack;

    if (!unpack_good(unpack)) {
        ending_fail(supervisor, FRAME_STEP_UNPACK, unpack->failure, unpack->failed);
        return false;
    }
    unpack_release(unpack);
    unpack_init(unpack);
    return true;
}

/* The request runs from now on: sends BEGUN, and sets the timers. */
static void begin(struct supervisor *supervisor)
{
    const struct frame_run *run = &supervisor->run;
    const bool samples = program_has(&supervisor->program, FRAME_RUN_SAMPLE_MEMORY);

    supervisor->run = supervisor->program.order;
    supervisor->ended_alone = false;
    supervisor->before =
        supervisor->left_processes ? supervisor->ended : figures_usage(&supervisor->figures);
    supervisor->cpu_limit.max_us = run->cpu_max_us;
    memory_use_begin(&supervisor->memory, samples ? &supervisor->figures : NULL);
    for (int i = 0; i < 2; i++)
        output_stream_begin(&supervisor->outputs[i], run->output_max);
    output_stream_begin(&supervisor->value, run->report_max);
    peer_begin_wait_state(&supervisor->peer, run->wait_state_ms);
    connection_set_timer(&supervisor->connection, run->timer_ms);
    connection_set_late(&supervisor->connection, run->late_ms);
    connection_send(&supervisor->connection, FRAME_BEGUN, NULL, 0, NULL);
    connection_write(&supervisor->connection);
}

/*
 * The program runs: its end is watched for, if nothing follows that needs it to be reaped, and if
 * it cannot change its user (supervisor/exit_watch.h).
 */
static void note_running(struct supervisor *supervisor)
{
    const bool is_root = supervisor->processes.is_init && geteuid() == 0;
    const uint64_t own_threads = supervisor->connection.thread > 0 ? 2 : 1;

    supervisor->state = STATE_RUNNING;
    if ((supervisor->run.flags & FRAME_RUN_LAST) != 0 && !is_root)
        exit_watch_begin(&supervisor->exit_watch, supervisor->processes.proc,
                         supervisor->program.pid, &supervisor->figures, own_threads + 1);
}

/* Starts a process that is to become the program. False: FAILED was sent. */
static bool start_program(struct supervisor *supervisor)
{
    struct program_failure failure;

    if (!program_start(&supervisor->program, &supervisor->figures, &failure)) {
        fail_to_start(supervisor, &failure);
        return false;
    }
    supervisor->state = STATE_STARTING;
    ending_check_cpu(supervisor);
    return true;
}

/* The same, or continues what was started before the request. */
static bool start_or_resume(struct supervisor *supervisor)
{
    struct ready *ready = &supervisor->ready;

    supervisor->program.start_us = figures_clock_us();
    if (ready->state < READY_WAITING ||
        !ready_resume(ready, &supervisor->processes, &supervisor->program)) {
        ready_discard(ready, &supervisor->processes);
        return start_program(supervisor);
    }
    supervisor->end.was_ready = 1;
    descriptor_close(&supervisor->program.joined[0]);
    note_running(supervisor);
    /* before it can look: another program finds there what has come while its interpreter started
     */
    input_stream_write(&supervisor->input);
    input_stream_finish(&supervisor->input);
    ready_continue(supervisor->program.pid);
    ending_check_cpu(supervisor);
    return true;
}

void starting_take_report(struct supervisor *supervisor)
{
    struct program_failure failure;

    if (supervisor->state != STATE_STARTING)
        return;
    switch (program_take_report(&supervisor->program, &failure)) {
    case PROGRAM_STARTING:
        break;
    case PROGRAM_STARTED:
        note_running(supervisor);
        if (!supervisor->left_processes)
            supervisor->before.cpu_us = supervisor->program.start_cpu_us;
        break;
    case PROGRAM_FAILED:
        fail_to_start(supervisor, &failure);
        break;
    }
}

/* ---- cells */

static void start_interpreter(struct supervisor *supervisor)
{
    supervisor->has_interpreter = start_or_resume(supervisor);
    if (!supervisor->has_interpreter)
        return;
    driver_link_attach(&supervisor->driver);
    driver_link_send(&supervisor->driver);
}

static void continue_interpreter(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;

    program->start_us = figures_clock_us();
    supervisor->state = STATE_RUNNING;
    if (program->reaped) {
        supervisor->end.wall_us = 0;
        ending_after_program(supervisor);
        return;
    }
    /* What comes from between two cells belongs to none. */
    driver_link_discard(&supervisor->driver);
    descriptor_discard(&program->out[0]);
    descriptor_discard(&program->out[1]);
    if (supervisor->is_stopped)
        kill(program->pid, SIGCONT);
    supervisor->is_stopped = false;
    driver_link_send(&supervisor->driver);
    ending_check_cpu(supervisor);
}

/* Keeps the bytes of stdin that have arrived for the driver. */
static void take_stdin(struct supervisor *supervisor)
{
    const char *bytes;
    size_t length;

    while ((length = input_stream_peek(&supervisor->input, &bytes)) > 0) {
        driver_link_add(&supervisor->driver, DRIVER_INPUT, bytes, length);
        input_stream_consume(&supervisor->input, length);
    }
}

/* Keeps what has arrived of a cell. False: it waits for more, or FAILED was sent. */
static bool load_cell(struct supervisor *supervisor)
{
    struct driver_link *driver = &supervisor->driver;

    take_stdin(supervisor);
    if (driver->error == 0 && !supervisor->input.ended)
        return false;
    if (driver->error != 0)
        starting_fail(supervisor, FRAME_STEP_START, driver->error);
    return driver->error == 0;
}

static void start_cell(struct supervisor *supervisor)
{
    struct driver_link *driver = &supervisor->driver;

    if (driver_link_begin(driver, supervisor->program.order.report_max) != 0) {
        starting_fail(supervisor, FRAME_STEP_START, driver->error);
        return;
    }
    begin(supervisor);
    if (supervisor->has_interpreter)
        continue_interpreter(supervisor);
    else
        start_interpreter(supervisor);
}

/* Moves what has arrived of stdin to its file. False: it waits for more, or FAILED was sent. */
static bool load_stdin(struct supervisor *supervisor)
{
    struct input_stream *input = &supervisor->input;
    struct program *program = &supervisor->program;
    const char *bytes;
    size_t length;

    if (program->in < 0)
        return true;
    errno = 0;
    while ((length = input_stream_peek(input, &bytes)) > 0) {
        if (write(program->in, bytes, length) != (ssize_t)length) {
            starting_fail(supervisor, FRAME_STEP_START, errno == 0 ? ENOSPC : errno);
            return false;
        }
        input_stream_consume(input, length);
    }
    if (!input->ended)
        return false;
    if (!memory_file_seal(program->in)) {
        starting_fail(supervisor, FRAME_STEP_START, errno);
        return false;
    }
    descriptor_close(&program->in);
    return true;
}

void starting_load(struct supervisor *supervisor)
{
    const bool is_cell = program_has(&supervisor->program, FRAME_RUN_CELL);

    if (supervisor->state != STATE_LOADING || (is_cell && !load_cell(supervisor)) ||
        (program_has(&supervisor->program, FRAME_RUN_STDIN_FILE) && !load_stdin(supervisor)) ||
        !relay_is_ready(&supervisor->relay))
        return;
    if (is_cell) {
        start_cell(supervisor);
        return;
    }
    if (!peer_join(&supervisor->peer, supervisor->program.order.flags,
                   supervisor->program.joined)) {
        starting_fail(supervisor, FRAME_STEP_JOIN, errno);
        return;
    }
    begin(supervisor); /* after that the other side is joined */
    start_or_resume(supervisor);
}

void starting_extend(struct supervisor *supervisor, uint64_t ms)
{
    struct frame_run *run = &supervisor->program.order;

    if (supervisor->state == STATE_LOADING) {
        run->timer_ms += run->timer_ms > 0 ? ms : 0;
        run->late_ms += run->late_ms > 0 ? ms : 0;
    }
    connection_extend(&supervisor->connection, ms);
}

/* ---- MAKE_READY */

/* What the program is started with, of RUN or MAKE_READY. */
static void set_up_program(struct supervisor *supervisor, const struct frame_run *order)
{
    struct program *program = &supervisor->program;

    program->order = *order;
    program->watch = supervisor->connection.thread;
    program->ipc = !keep_hides_objects(&supervisor->keep);
}

void starting_make_ready(struct supervisor *supervisor, const struct frame_run *frame,
                         const char *text)
{
    struct program *program = &supervisor->program;
    struct program_failure failure;

    if (ending_fail_keep(supervisor) || !starting_end_files(supervisor))
        return;
    if ((frame->flags & FRAME_RUN_FORK) != 0 && !ready_template_is_possible(&supervisor->figures)) {
        ending_fail(supervisor, FRAME_STEP_START, ENOTSUP, NULL);
        return;
    }
    set_up_program(supervisor, frame);
    program->order.flags &= ~(uint32_t)FRAME_RUN_NOT_READY;
    if (program_has(program, FRAME_RUN_STDIN_FILE) && !program_open_stdin(program))
        ending_fail(supervisor, FRAME_STEP_START, errno, NULL);
    else if (!ready_start(&supervisor->ready, program, &supervisor->figures, text, &failure))
        ending_fail(supervisor, FRAME_STEP_START, failure.error, NULL);
}

/* It waits, or has ended. */
static void answer_make_ready(struct supervisor *supervisor)
{
    struct ready *ready = &supervisor->ready;
    const struct frame_ready answer = {figures_current_bytes(&supervisor->figures)};

    if (ready->state == READY_WAITING &&
        (!program_has(&ready->program, FRAME_RUN_FORK) ||
         ready_become_template(ready, &supervisor->processes, &supervisor->figures))) {
        connection_send(&supervisor->connection, FRAME_READY, &answer, sizeof answer, NULL);
        return;
    }
    ready_discard(ready, &supervisor->processes);
    ending_fail(supervisor, FRAME_STEP_START, ECHILD, NULL);
}

bool starting_take_ready(struct supervisor *supervisor, pid_t pid, int status)
{
    struct ready *ready = &supervisor->ready;
    const enum ready_state before = ready->state;

    if (!ready_take_status(ready, pid, status))
        return false;
    if (before == READY_STARTING && ready->state != READY_STARTING)
        answer_make_ready(supervisor);
    return true;
}

/* ---- RUN */

/* Opens the file that is to be its stdin: that of what goes on, if that is not forked. */
static bool open_stdin(struct supervisor *supervisor)
{
    return ready_take_stdin(&supervisor->ready, &supervisor->program) ||
           program_open_stdin(&supervisor->program);
}

/* False: there is no memory for the tails. */
static bool limit_output(struct supervisor *supervisor, const struct frame_run *frame)
{
    return output_stream_limit(&supervisor->outputs[0], frame->head_max, frame->tail_max) &&
           output_stream_limit(&supervisor->outputs[1], frame->head_max, frame->tail_max);
}

void starting_run(struct supervisor *supervisor, const struct frame_run *frame)
{
    if (ending_fail_keep(supervisor) || !starting_end_files(supervisor))
        return;
    if (frame->cpu_max_us > 0 && figures_cpu_us(&supervisor->figures) == FRAME_UNKNOWN) {
        ending_fail(supervisor, FRAME_STEP_CPU, ENOTSUP, NULL);
        return;
    }
    if (supervisor->connection.link.is_script && !limit_output(supervisor, frame)) {
        starting_fail(supervisor, FRAME_STEP_START, ENOMEM);
        return;
    }
    set_up_program(supervisor, frame);
    if (frame->tools > 0 && !supervisor->has_interpreter)
        program_extend_path(&supervisor->program, MUX_TOOLS_DIRECTORY);
    if (!ready_suits(&supervisor->ready, &supervisor->program))
        ready_discard(&supervisor->ready, &supervisor->processes);
    if (program_has(&supervisor->program, FRAME_RUN_STDIN_FILE) && !open_stdin(supervisor)) {
        starting_fail(supervisor, FRAME_STEP_START, errno);
        return;
    }
    if (!relay_start(&supervisor->relay, frame->connections, frame->tools)) {
        starting_fail(supervisor, FRAME_STEP_START, errno);
        return;
    }
    connection_set_timer(&supervisor->connection, frame->timer_ms);
    supervisor->state = STATE_LOADING; /* until what has arrived of its stdin is taken, too */
}
