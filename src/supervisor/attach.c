#define _GNU_SOURCE
#include "supervisor/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/gate.h"

enum { RETRY_MS = 20 };

/* ---- the two pipes */

/* Waits for something on the descriptor (-1: for a moment). False: stdin has ended. */
static bool wait_for(int fd, int wait_ms)
{
    struct pollfd polled[] = {{STDIN_FILENO, 0, 0}, {fd, POLLIN, 0}};

    poll(polled, 2, wait_ms);
    return polled[0].revents == 0;
}

static bool is_of_process(int fd, pid_t server)
{
    struct ucred who;
    socklen_t size = sizeof who;

    return server == 0 ||
           (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid == server);
}

/* A socket that is connected; -1: there is none. */
static int connect_to(const char *name, pid_t server)
{
    struct sockaddr_un address;
    const socklen_t length = gate_address(&address, name);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    while (connect(fd, (const struct sockaddr *)&address, length) != 0)
        if (errno != EAGAIN || !wait_for(-1, RETRY_MS)) /* too many wait */
            return -1;
    return is_of_process(fd, server) ? fd : -1;
}

static bool is_pipe(int fd, int mode)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) == mode;
}

/* Takes the pipes: fds[0] to be read, fds[1] to be written. False: that is not what came. */
static bool take_pipes(int connection, int fds[2])
{
    enum { SIZE = 2 * sizeof(int) };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(SIZE)];
    char byte;
    struct iovec bytes = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    const struct cmsghdr *header;

    if (!wait_for(connection, -1) || recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != 1 ||
        (message.msg_flags & MSG_CTRUNC) != 0)
        return false;
    header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(SIZE))
        return false;
    memcpy(fds, CMSG_DATA(header), SIZE);
    return is_pipe(fds[0], O_RDONLY) && is_pipe(fds[1], O_WRONLY);
}

/* ---- copying */

/* One direction. */
struct flow {
    int from, to; /* -1: it has ended, and nothing takes it any more */
    char bytes[65536];
    size_t first, filled;
};

static bool is_empty(const struct flow *flow)
{
    return flow->first == flow->filled;
}

static void read_flow(struct flow *flow)
{
    ssize_t length;

    if (!is_empty(flow) || flow->from < 0)
        return;
    length = read(flow->from, flow->bytes, sizeof flow->bytes);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        descriptor_close(&flow->from);
    flow->first = 0;
    flow->filled = length > 0 ? (size_t)length : 0;
}

static void write_flow(struct flow *flow)
{
    ssize_t length;

    if (is_empty(flow))
        return;
    length = write(flow->to, flow->bytes + flow->first, flow->filled - flow->first);
    if (length < 0 && errno != EAGAIN && errno != EINTR)
        descriptor_close(&flow->to);
    if (length > 0)
        flow->first += (size_t)length;
    if (flow->to < 0)
        flow->first = flow->filled;
}

/* The end of `from` is told without being asked for: after it nothing is worth waiting for. */
static void copy(struct flow *in, struct flow *out)
{
    struct pollfd polled[] = {{in->from, (short)(is_empty(in) && in->to >= 0 ? POLLIN : 0), 0},
                              {is_empty(in) ? -1 : in->to, POLLOUT, 0},
                              {is_empty(out) ? out->from : -1, POLLIN, 0},
                              {out->to, (short)(is_empty(out) ? 0 : POLLOUT), 0}};
    bool ended;

    if (poll(polled, 4, -1) < 0)
        return;
    ended = (polled[0].revents & (POLLHUP | POLLERR)) != 0 && (polled[0].revents & POLLIN) == 0;
    if (polled[0].revents & POLLIN)
        read_flow(in);
    if (ended)
        descriptor_close(&in->from);
    write_flow(in);
    if (polled[2].revents != 0)
        read_flow(out);
    write_flow(out);
    if (polled[3].revents & POLLERR)
        descriptor_close(&out->to);
}

static void set_up(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int attach(const char *name, pid_t server)
{
    static struct flow in, out; /* zeros, which are not in the file */
    int connection, fds[2];

    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    connection = connect_to(name, server);
    if (connection < 0 || !take_pipes(connection, fds)) {
        dprintf(STDERR_FILENO, "process 1 does not answer\n");
        return 1;
    }
    close(connection);
    in.from = STDIN_FILENO;
    out.to = STDOUT_FILENO;
    out.from = fds[0];
    in.to = fds[1];
    set_up(in.from);
    set_up(in.to);
    set_up(out.from);
    set_up(out.to);
    while (in.from >= 0 && out.to >= 0 && (out.from >= 0 || !is_empty(&out)))
        copy(&in, &out);
    return out.to >= 0 ? 0 : 1;
}
