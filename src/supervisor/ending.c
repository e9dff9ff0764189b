#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "supervisor/supervisor_state.h"

enum { SPARE_BYTES = 256 * 1024 };

/* Orphans that are reaped at a time. */
enum { REAP_MAX = 64 };

/* How long is waited until processes are killed again. */
enum { KILL_AGAIN_MS = 50 };

void ending_signal(const struct supervisor *supervisor, int number)
{
    if (supervisor->is_init) {
        kill(-1, number);
    } else if (supervisor->program.pid > 0) { /* in tests */
        kill(-supervisor->program.pid, number);
        if (!supervisor->reaped) /* it may not lead its group yet */
            kill(supervisor->program.pid, number);
    }
}

void ending_kill(const struct supervisor *supervisor)
{
    ending_signal(supervisor, SIGKILL);
}

void ending_begin(struct supervisor *supervisor, enum frame_cause cause)
{
    if (!supervisor_runs(supervisor))
        return;
    supervisor->memory.last_us = 0; /* once more, before all are killed */
    memory_use_sample(supervisor);
    supervisor->end.cause = cause;
    supervisor->state = STATE_ENDING;
    supervisor->reap_more = true;
    ending_kill(supervisor);
}

void ending_after_program(struct supervisor *supervisor)
{
    if (supervisor->state == STATE_RUNNING && supervisor_keeps_processes(supervisor))
        settling_begin(supervisor);
    else if (supervisor->state != STATE_SETTLING)
        ending_begin(supervisor, FRAME_CAUSE_ITSELF);
}

static void take_status(struct supervisor *supervisor, int status)
{
    if (supervisor->state == STATE_STARTING)
        requests_take_report(supervisor);
    supervisor->reaped = true;
    supervisor->status = status;
    if (supervisor->state != STATE_SETTLING)
        supervisor->end.wall_us = figures_clock_us() - supervisor->program.start_us;
    ending_after_program(supervisor);
}

/* Reaps children, but not forever: the program may end them as fast as they are reaped. */
void ending_reap(struct supervisor *supervisor)
{
    for (int i = 0; i < REAP_MAX; i++) {
        struct frame_end *end = &supervisor->end;
        struct rusage usage = {.ru_maxrss = 0};
        int status;
        const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
        const uint64_t rss_bytes = (uint64_t)usage.ru_maxrss * 1024; /* in KiB: getrusage(2) */

        if (pid <= 0) {
            supervisor->reap_more = false;
            return;
        }
        if (rss_bytes > end->used_bytes)
            end->used_bytes = rss_bytes;
        /* A program that makes this process its tracer (PTRACE_TRACEME) is also said to stop. */
        if (pid == supervisor->program.pid && !supervisor->reaped && !WIFSTOPPED(status))
            take_status(supervisor, status);
    }
}

/* Whether no child is left. Those that are not reaped yet are killed once more. */
static bool all_gone(struct supervisor *supervisor)
{
    siginfo_t ignored;

    if (waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 && errno == ECHILD)
        return true;
    ending_kill(supervisor);
    return false;
}

static void take_figures(struct supervisor *supervisor)
{
    struct frame_end *end = &supervisor->end;
    uint64_t used_bytes;

    end->cpu_us = cpu_limit_used_us(supervisor);
    if (end->cause == FRAME_CAUSE_ITSELF && atomic_load(&supervisor->is_late))
        end->cause = FRAME_CAUSE_LATE;
    if (supervisor->state == STATE_ENDING && end->cause == FRAME_CAUSE_ITSELF &&
        cpu_limit_is_exceeded(supervisor, end->cpu_us))
        end->cause = FRAME_CAUSE_CPU;
    if (supervisor->reaped && WIFSIGNALED(supervisor->status))
        end->signal = (uint32_t)WTERMSIG(supervisor->status);
    else if (supervisor->reaped)
        end->status = (uint32_t)WEXITSTATUS(supervisor->status);
    end->peak_bytes = figures_peak_bytes(&supervisor->figures);
    used_bytes = memory_use_bytes(supervisor);
    if (used_bytes > end->used_bytes)
        end->used_bytes = used_bytes;
    end->oom_kills =
        figures_difference(figures_oom_kills(&supervisor->figures), supervisor->before.oom_kills);
    end->memory_full = figures_difference(figures_memory_full(&supervisor->figures),
                                          supervisor->before.memory_full);
    end->refused = figures_difference(figures_refused_processes(&supervisor->figures),
                                      supervisor->before.refused);
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

bool ending_is_drained(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}

void ending_watch(const struct supervisor *supervisor, struct loop *loop)
{
    if (supervisor->state == STATE_ENDING)
        loop_limit(loop, KILL_AGAIN_MS);
}

void ending_report(struct supervisor *supervisor)
{
    take_figures(supervisor);
    supervisor->left_processes = supervisor->state == STATE_SETTLING;
    supervisor->ended = cpu_limit_usage(supervisor);
    supervisor->end.stays = supervisor->cell.exists && !supervisor->reaped;
    if (supervisor->end.stays == 0)
        cell_forget(supervisor);
    if (supervisor->end.used_bytes == 0) /* no process has ended or was stopped */
        supervisor->end.used_bytes = FRAME_UNKNOWN;
    supervisor_set_timer(supervisor, supervisor->run.linger_ms);
    supervisor_set_late(supervisor, 0);
    supervisor_send(supervisor, FRAME_END, &supervisor->end, sizeof supervisor->end, NULL);
    supervisor->state = STATE_ENDED;
}

/* Sends END once no process is left and its output has been sent. */
void ending_finish(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;

    if (!supervisor->reaped || !all_gone(supervisor))
        return;
    give_back_spare();
    streams_close(&program->in);
    if (supervisor->end.cause != FRAME_CAUSE_ITSELF)
        /* What isolator has no credit for is dropped. */
        for (int i = 0; i < 2; i++)
            if (supervisor->link.credit[i] == 0 || supervisor->end.cause == FRAME_CAUSE_OUTPUT)
                streams_close(&program->out[i]);
    /* A descriptor that was sent over a UNIX socket may keep a pipe open forever. */
    for (int i = 0; i < 2; i++)
        if (program->out[i] >= 0 && ending_is_drained(program->out[i]))
            streams_close(&program->out[i]);
    if (program->out[0] >= 0 || program->out[1] >= 0)
        return;
    ending_report(supervisor);
}
