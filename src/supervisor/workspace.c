#include "supervisor/workspace.h"

#include <signal.h>
#include <time.h>

#include "supervisor/descriptors.h"
#include "supervisor/figures.h"
#include "supervisor/gate.h"
#include "supervisor/helper.h"

/* Each peer costs a gate. */
enum { GATE_PAUSE_US = 20000, GATE_PAUSE_MS = GATE_PAUSE_US / 1000 };

static uint64_t clock_ms(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void set_life(struct workspace *workspace)
{
    const uint64_t now_ms = clock_ms(CLOCK_BOOTTIME);
    const uint64_t left_ms = workspace->ends_ms > now_ms ? workspace->ends_ms - now_ms : 1;
    const uint64_t idle_ms = workspace->options->idle_s * 1000;

    if (!workspace->attached && idle_ms < left_ms)
        connection_set_life(workspace->connection, idle_ms, WORKSPACE_IDLE);
    else
        connection_set_life(workspace->connection, left_ms, WORKSPACE_ENDED);
}

bool workspace_open(struct workspace *workspace, const struct workspace_options *options,
                    struct connection *connection, void *own, size_t own_size)
{
    const uint64_t now_ms = clock_ms(CLOCK_REALTIME);
    const uint64_t end_ms = options->ends_s * 1000;

    *workspace = (struct workspace){
        .options = options, .connection = connection, .own = own, .own_size = own_size};
    workspace->ends_ms = clock_ms(CLOCK_BOOTTIME) + (end_ms > now_ms ? end_ms - now_ms : 0);
    workspace->listener = gate_listen(options->name);
    set_life(workspace);
    return workspace->listener >= 0;
}

bool workspace_is_due(const struct workspace *workspace)
{
    return workspace->gate == 0 && figures_clock_us() >= workspace->gate_us;
}

void workspace_let_in(struct workspace *workspace)
{
    const int listener = workspace->listener;
    const uid_t user = workspace->options->user;
    int to[2], from[2];
    pid_t pid;

    workspace->gate_us = figures_clock_us() + GATE_PAUSE_US;
    workspace->attach_us = 0;
    if (!helper_open_pipes(to, from))
        return;
    pid = helper_fork(workspace->own, workspace->own_size);
    if (pid == 0)
        gate_serve(listener, to[0], from[1], user);
    descriptor_close(&to[0]);
    descriptor_close(&from[1]);
    if (pid > 0) {
        workspace->gate = pid;
        connection_begin(workspace->connection, from[0], to[1]);
        return;
    }
    descriptor_close(&to[1]);
    descriptor_close(&from[0]);
}

void workspace_check(struct workspace *workspace)
{
    if (workspace->gate > 0)
        kill(workspace->gate, SIGCONT);
    if (workspace->attach_us > 0 && figures_clock_us() >= workspace->attach_us)
        connection_end(workspace->connection, 0);
}

void workspace_watch(const struct workspace *workspace, struct loop *loop)
{
    if (workspace->connection->link.dropped)
        loop_limit(loop, GATE_PAUSE_MS);
    else if (workspace->attach_us > 0)
        loop_limit(loop, (int)workspace->options->attach_ms);
}

bool workspace_take_end(struct workspace *workspace, pid_t pid)
{
    if (pid != workspace->gate)
        return false;
    workspace->gate = 0;
    if (!workspace->attached)
        workspace->attach_us = figures_clock_us() + workspace->options->attach_ms * 1000;
    return true;
}

void workspace_attach(struct workspace *workspace)
{
    if (workspace->gate > 0)
        kill(workspace->gate, SIGKILL);
    workspace->attach_us = 0;
    workspace->attached = true;
    set_life(workspace);
}

void workspace_leave(struct workspace *workspace)
{
    workspace->attach_us = 0;
    if (!workspace->attached)
        return;
    workspace->attached = false;
    set_life(workspace);
}
