#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "supervisor/supervisor_state.h"

/*
 * How a request ends. The program has ended by itself, or is to: then all processes are killed
 * (STATE_ENDING). Or it is a cell that has ended, whose interpreter stays, or a program whose
 * processes stay (STATE_PAUSING).
 *
 * At the end of a cell everything is stopped, so that nothing more is written and no process is
 * started; then all but the interpreter are killed. Processes can continue each other, so this is
 * repeated until the interpreter is seen to have stopped, and after that no other process is there.
 * Its children that have ended remain as zombies until it continues. If this does not succeed in
 * time everything is killed, and with it the interpreter.
 */

enum { SPARE_BYTES = 256 * 1024 };

/* How long is waited until processes are killed again. */
enum { KILL_AGAIN_MS = 50 };

enum { PAUSE_MAX_US = 5000000, PAUSE_WAIT_MS = 2 };

/* The shortest time between two looks, so that a program that waits at its limit costs little. */
enum { CPU_CHECK_MIN_US = 10000, CPU_CHECK_BETWEEN_MIN_US = 250000 };

/* Whether all processes stay when the program has ended by itself. */
static bool keeps_processes(const struct supervisor *supervisor)
{
    return (supervisor->run.flags & FRAME_RUN_KEEP_PROCESSES) != 0;
}

/*
 * Memory that the program cannot take. It is given back without unmapping it, for which the kernel
 * may need memory.
 */
static _Alignas(4096) char spare[SPARE_BYTES];

void ending_take_spare(void)
{
    memset(spare, 1, sizeof spare);
}

static void give_back_spare(void)
{
    madvise(spare, sizeof spare, MADV_DONTNEED);
}

void ending_forget_interpreter(struct supervisor *supervisor)
{
    supervisor->has_interpreter = supervisor->is_stopped = false;
    driver_link_forget(&supervisor->driver);
}

/* ---- interaction */

void ending_send_wait_state(struct supervisor *supervisor)
{
    const struct program *program = &supervisor->program;
    struct frame_wait_state wait_state;

    if (supervisor->state != STATE_RUNNING ||
        !peer_take_wait_state(&supervisor->peer, &supervisor->processes, program->in,
                              program->out[0], &wait_state))
        return;
    if (wait_state.wait == FRAME_WAIT_INPUT && supervisor->input.filled > 0)
        wait_state.wait = FRAME_WAIT_NOTHING;
    connection_send(&supervisor->connection, FRAME_WAIT_STATE, &wait_state, sizeof wait_state,
                    NULL);
}

/* ---- requests that fail */

void ending_report(struct supervisor *supervisor, enum frame_step step, int error, const char *path)
{
    const struct frame_failed failed = {step, (uint32_t)error};

    supervisor->failed = true;
    connection_send(&supervisor->connection, FRAME_FAILED, &failed, sizeof failed, path);
}

void ending_fail(struct supervisor *supervisor, enum frame_step step, int error, const char *path)
{
    connection_set_late(&supervisor->connection, 0);
    relay_stop(&supervisor->relay);
    peer_close(&supervisor->peer);
    supervisor->collects = false;
    ending_report(supervisor, step, error, path);
    supervisor->state = STATE_ENDED;
}

bool ending_fail_keep(struct supervisor *supervisor)
{
    struct keep *keep = &supervisor->keep;

    if (keep->step == 0)
        return false;
    ending_fail(supervisor, keep->step, keep->failure.error, keep->failure.path);
    keep->step = 0;
    return true;
}

/* ---- the end begins */

/*
 * Whether nothing needs to be killed, so that a template can stay, of which the program was a fork:
 * it has ended by itself, and all of its processes with it.
 */
static bool spares_template(const struct supervisor *supervisor)
{
    return supervisor->end.cause == FRAME_CAUSE_ITSELF && supervisor->program.reaped &&
           ready_is_alone(&supervisor->ready, &supervisor->figures);
}

/* Whether no process is left, except for a template. Those that are left are killed once more. */
static bool processes_have_ended(const struct supervisor *supervisor)
{
    if (supervisor->ended_alone || spares_template(supervisor))
        return true;
    ready_kill(&supervisor->ready); /* in tests it is not one of the others */
    return processes_are_gone(&supervisor->processes);
}

void ending_begin(struct supervisor *supervisor, enum frame_cause cause)
{
    if (!supervisor_runs(supervisor))
        return;
    exit_watch_stop(&supervisor->exit_watch);
    memory_use_update(&supervisor->memory); /* before all are killed */
    relay_stop(&supervisor->relay);
    supervisor->end.cause = cause;
    supervisor->state = STATE_ENDING;
    supervisor->reap_more = true;
    for (int i = 0; i < 2; i++)
        output_stream_pass_all(&supervisor->outputs[i]);
    if (!supervisor->ended_alone && !spares_template(supervisor))
        processes_kill(&supervisor->processes);
    /* not before: an interactor that is ended reads no end of file */
    peer_end(&supervisor->peer);
}

/* The cell has ended, or a program whose processes stay. */
static void begin_to_pause(struct supervisor *supervisor)
{
    const uint64_t now_us = figures_clock_us();

    relay_stop(&supervisor->relay);
    supervisor->state = STATE_PAUSING;
    supervisor->others_ended = keeps_processes(supervisor);
    supervisor->pause_end_us = now_us + PAUSE_MAX_US;
    if (!supervisor->program.reaped)
        supervisor->end.wall_us = now_us - supervisor->program.start_us;
    for (int i = 0; i < 2 && supervisor->others_ended; i++)
        output_stream_pass_pending(&supervisor->outputs[i]);
    if (!supervisor->others_ended)
        processes_signal(&supervisor->processes, SIGSTOP);
}

void ending_after_program(struct supervisor *supervisor)
{
    if (supervisor->state == STATE_RUNNING && keeps_processes(supervisor))
        begin_to_pause(supervisor);
    else if (supervisor->state != STATE_PAUSING)
        ending_begin(supervisor, FRAME_CAUSE_ITSELF);
}

void ending_take_status(struct supervisor *supervisor, int status)
{
    supervisor->program.reaped = true;
    supervisor->program.status = status;
    if (supervisor->state != STATE_PAUSING)
        supervisor->end.wall_us = figures_clock_us() - supervisor->program.start_us;
    ending_after_program(supervisor);
}

void ending_check_exit(struct supervisor *supervisor)
{
    int status;

    if (!exit_watch_check(&supervisor->exit_watch, &status))
        return;
    supervisor->ended_alone = true;
    ending_take_status(supervisor, status);
}

/* The program is killed before the pipe is closed, which would end it otherwise: SIGPIPE. */
static void take_exceeded(struct supervisor *supervisor, struct output_stream *stream)
{
    if (!stream->exceeded || *stream->fd < 0)
        return;
    ending_begin(supervisor, FRAME_CAUSE_OUTPUT);
    supervisor->end.cause = FRAME_CAUSE_OUTPUT;
    descriptor_close(stream->fd);
}

void ending_take_events(struct supervisor *supervisor)
{
    take_exceeded(supervisor, &supervisor->outputs[0]);
    take_exceeded(supervisor, &supervisor->outputs[1]);
    if (program_has(&supervisor->program, FRAME_RUN_VALUE))
        take_exceeded(supervisor, &supervisor->value);
    if (!supervisor->driver.ended || supervisor->state != STATE_RUNNING)
        return;
    if (driver_link_is_sending(&supervisor->driver))
        ending_begin(supervisor, FRAME_CAUSE_ITSELF); /* the rest would begin the next cell */
    else
        begin_to_pause(supervisor);
}

/* ---- CPU time */

static uint64_t used_cpu_us(const struct supervisor *supervisor)
{
    return figures_used_us(&supervisor->figures, &supervisor->before);
}

/* Whether processes of the last request may be running, and no other one has begun yet. */
static bool is_between(const struct supervisor *supervisor)
{
    return supervisor->left_processes && !supervisor_runs(supervisor) &&
           supervisor->state != STATE_ENDING;
}

void ending_check_cpu(struct supervisor *supervisor)
{
    const struct cpu_limit *limit = &supervisor->cpu_limit;
    const bool between = is_between(supervisor);
    uint64_t used_us;

    cpu_limit_pause(limit);
    if ((!between && !supervisor_runs(supervisor)) || limit->max_us == 0)
        return;
    used_us = used_cpu_us(supervisor);
    if (!cpu_limit_is_exceeded(limit, used_us))
        cpu_limit_continue(limit, used_us, between ? CPU_CHECK_BETWEEN_MIN_US : CPU_CHECK_MIN_US);
    else if (between)
        connection_end(&supervisor->connection, 0);
    else
        ending_begin(supervisor, FRAME_CAUSE_CPU);
}

/* ---- END */

static void take_figures(struct supervisor *supervisor)
{
    const struct figures *figures = &supervisor->figures;
    const struct usage *before = &supervisor->before;
    struct frame_end *end = &supervisor->end;
    const int status = supervisor->program.status;
    struct usage now;
    uint64_t used_bytes;

    end->cpu_us = used_cpu_us(supervisor);
    now = figures_usage(figures);
    if (end->cause == FRAME_CAUSE_ITSELF && atomic_load(&supervisor->connection.is_late))
        end->cause = FRAME_CAUSE_LATE;
    if (supervisor->state == STATE_ENDING && end->cause == FRAME_CAUSE_ITSELF &&
        cpu_limit_is_exceeded(&supervisor->cpu_limit, end->cpu_us))
        end->cause = FRAME_CAUSE_CPU;
    if (supervisor->program.reaped && WIFSIGNALED(status))
        end->signal = (uint32_t)WTERMSIG(status);
    else if (supervisor->program.reaped)
        end->status = (uint32_t)WEXITSTATUS(status);
    end->peak_bytes = figures_peak_bytes(figures);
    used_bytes = memory_use_bytes(&supervisor->memory);
    if (used_bytes > end->used_bytes)
        end->used_bytes = used_bytes;
    if (end->used_bytes == 0) /* no process has ended or was stopped */
        end->used_bytes = FRAME_UNKNOWN;
    end->oom_kills = figures_difference(now.oom_kills, before->oom_kills);
    end->memory_full = figures_difference(now.memory_full, before->memory_full);
    end->refused = figures_difference(now.refused, before->refused);
    end->is_full = keep_is_full(&supervisor->keep);
    for (int i = 0; i < 2; i++)
        end->written[i] = supervisor->outputs[i].written;
    supervisor->ended = now;
}

static void send_end(struct supervisor *supervisor)
{
    struct connection *connection = &supervisor->connection;
    struct frame_end *end = &supervisor->end;

    take_figures(supervisor);
    supervisor->left_processes = supervisor->state == STATE_PAUSING;
    end->stays = supervisor->has_interpreter && !supervisor->program.reaped;
    if (end->stays == 0)
        ending_forget_interpreter(supervisor);
    connection_set_timer(connection, supervisor->run.linger_ms);
    connection_set_late(connection, 0);
    connection_send(connection, FRAME_END, end, sizeof *end, NULL);
    supervisor->failed = end->cause != FRAME_CAUSE_ITSELF || end->signal != 0 || end->status != 0;
    supervisor->state = supervisor->collects ? STATE_COLLECTING : STATE_ENDED;
}

/* Sends the tails of both streams. False: more is left. */
static bool finish_output(struct supervisor *supervisor)
{
    return output_stream_finish(&supervisor->outputs[0]) &&
           output_stream_finish(&supervisor->outputs[1]);
}

/* Closes the pipe of a stream of which nothing is left, or nothing more is sent. */
static void close_drained(struct supervisor *supervisor, struct output_stream *stream)
{
    const enum frame_cause cause = supervisor->end.cause;

    if (*stream->fd < 0)
        return;
    /* What isolator has no credit for is dropped. A descriptor that was sent over a UNIX socket may
     * keep a pipe open forever. */
    if ((cause != FRAME_CAUSE_ITSELF && (supervisor->connection.link.credit[stream->channel] == 0 ||
                                         cause == FRAME_CAUSE_OUTPUT)) ||
        descriptor_is_drained(*stream->fd))
        descriptor_close(stream->fd);
}

/* Sends END once no process is left and its output has been sent. */
static void finish_ending(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;

    if (!program->reaped || !processes_have_ended(supervisor))
        return;
    give_back_spare();
    input_stream_close(&supervisor->input);
    close_drained(supervisor, &supervisor->outputs[0]);
    close_drained(supervisor, &supervisor->outputs[1]);
    if (program_has(program, FRAME_RUN_VALUE))
        close_drained(supervisor, &supervisor->value);
    if (program->out[0] < 0 && program->out[1] < 0 &&
        (!program_has(program, FRAME_RUN_VALUE) || program->answer < 0) &&
        finish_output(supervisor))
        send_end(supervisor);
}

/* Whether only the interpreter is alive, and has stopped. */
static bool end_others(struct supervisor *supervisor)
{
    uint64_t rss_bytes = 0;
    const bool stopped = processes_have_stopped(&supervisor->processes, &rss_bytes);

    if (rss_bytes > supervisor->end.used_bytes)
        supervisor->end.used_bytes = rss_bytes;
    if (!processes_kill_others(&supervisor->processes) && stopped) {
        supervisor->others_ended = supervisor->is_stopped = true;
        return true;
    }
    if (figures_clock_us() >= supervisor->pause_end_us)
        ending_begin(supervisor, FRAME_CAUSE_ITSELF);
    else if (!stopped)
        kill(supervisor->program.pid, SIGSTOP);
    return false;
}

/* Sends END once the processes that may not stay have ended, and the output has been sent. */
static void finish_pausing(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;

    if (program->reaped && !keeps_processes(supervisor)) {
        ending_begin(supervisor, FRAME_CAUSE_ITSELF);
        return;
    }
    if ((!supervisor->others_ended && !end_others(supervisor)) ||
        output_stream_is_writing(&supervisor->outputs[0]) ||
        output_stream_is_writing(&supervisor->outputs[1]))
        return;
    ending_check_cpu(supervisor);
    if (supervisor->state != STATE_PAUSING || !finish_output(supervisor))
        return;
    input_stream_close(&supervisor->input);
    for (int i = 0; i < 2; i++)
        if (program->reaped && program->out[i] >= 0)
            sinks_take(&supervisor->sinks, &program->out[i]);
    send_end(supervisor);
}

void ending_watch(const struct supervisor *supervisor, struct loop *loop)
{
    if (supervisor->state == STATE_ENDING)
        loop_limit(loop, KILL_AGAIN_MS); /* processes that are left are killed again */
    if (supervisor->state == STATE_PAUSING && !supervisor->others_ended)
        loop_limit(loop, PAUSE_WAIT_MS);
}

void ending_finish(struct supervisor *supervisor)
{
    if (supervisor->state == STATE_PAUSING)
        finish_pausing(supervisor);
    if (supervisor->state == STATE_ENDING)
        finish_ending(supervisor);
}
