#include "supervisor/relay/relay.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/figures.h"
#include "supervisor/helper.h"
#include "supervisor/program.h"
#include "supervisor/relay/relay_server.h"

/* More than the relay tries to listen (supervisor/relay/relay_server.c). */
enum { PATIENCE_US = 3000000, CHECK_MS = 500 };

void relay_init(struct relay *relay, struct connection *connection, void *own, size_t own_size)
{
    relay->connection = connection;
    relay->own = own;
    relay->own_size = own_size;
    relay->in = relay->out = -1;
    relay->ready = true;
    relay->input.connection = connection;
    relay->input.fd = &relay->in; /* its memory is written to when it is needed */
    relay->input.closed = true;
}

/* ---- its start and its end */

/* In the new process. */
static _Noreturn void become_relay(int in, int out, uint32_t connections, uint32_t tools)
{
    program_prefer_for_oom();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    relay_server(in, out, connections, tools);
}

/* The new process has nothing of `relay`: what it needs is in variables. */
static pid_t start_process(struct relay *relay, int in, int out, uint32_t connections,
                           uint32_t tools)
{
    const pid_t pid = helper_fork(relay->own, relay->own_size);

    if (pid == 0)
        become_relay(in, out, connections, tools);
    return pid;
}

bool relay_start(struct relay *relay, uint32_t connections, uint32_t tools)
{
    int to[2] = {-1, -1}, from[2] = {-1, -1}, error;

    if (connections == 0 && tools == 0)
        return true;
    relay->pid =
        helper_open_pipes(to, from) ? start_process(relay, to[0], from[1], connections, tools) : -1;
    error = errno;
    descriptor_close(&to[0]);
    descriptor_close(&from[1]);
    if (relay->pid < 0) {
        descriptor_close(&to[1]);
        descriptor_close(&from[0]);
        relay->pid = 0;
        errno = error;
        return false;
    }
    relay->in = to[1];
    relay->out = from[0];
    relay->ready = false;
    relay->patience_us = figures_clock_us() + PATIENCE_US;
    input_stream_init(&relay->input, relay->connection, FRAME_NETWORK, &relay->in);
    return true;
}

bool relay_is_ready(const struct relay *relay)
{
    return relay->ready || figures_clock_us() >= relay->patience_us;
}

void relay_stop(struct relay *relay)
{
    if (relay->pid > 0)
        kill(relay->pid, SIGKILL);
    input_stream_close(&relay->input);
    descriptor_close(&relay->out);
    relay->ready = true;
}

void relay_reset(struct relay *relay)
{
    input_stream_reset(&relay->input);
    relay->input.closed = relay->in < 0;
}

/* ---- bytes */

bool relay_take(struct relay *relay, const char *bytes, size_t length)
{
    return !relay->connection->link.is_script && input_stream_add(&relay->input, bytes, length);
}

static void pass(void *context, int number)
{
    struct relay *relay = context;
    struct frame_link *link = &relay->connection->link;
    const size_t size = frame_link_may_send(link, CHANNEL_NETWORK);
    ssize_t length;

    (void)number;
    if (size == 0 || relay->out < 0)
        return;
    length = read(relay->out, frame_link_prepare(link), size);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    relay->ready = true;
    if (length > 0)
        frame_link_commit(link, CHANNEL_NETWORK, (size_t)length);
    else
        descriptor_close(&relay->out);
}

void relay_watch(struct relay *relay, struct loop *loop)
{
    if (relay->out >= 0 && frame_link_may_send(&relay->connection->link, CHANNEL_NETWORK) > 0)
        loop_add(loop, relay->out, POLLIN, pass, relay, 0);
    input_stream_watch(&relay->input, loop);
    if (!relay_is_ready(relay))
        loop_limit(loop, CHECK_MS);
}
