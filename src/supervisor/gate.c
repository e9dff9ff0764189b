#define _GNU_SOURCE
#include "supervisor/gate.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/helper.h"

/* Clients that wait. Few, since programs can fill it, too. */
enum { BACKLOG = 8, PAUSE_MS = 20 };

socklen_t gate_address(struct sockaddr_un *address, const char *name)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) +
           (socklen_t)snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
                               "isolator-%.64s", name);
}

int gate_listen(const char *name)
{
    struct sockaddr_un address;
    const socklen_t length = gate_address(&address, name);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (bind(fd, (const struct sockaddr *)&address, length) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Waits for a peer; ends this process if process 1 has given up the pipes. */
static int accept_peer(int listener, int out)
{
    struct pollfd polled[] = {{listener, POLLIN, 0}, {out, 0, 0}};

    for (;;) {
        int peer;

        if (poll(polled, 2, -1) < 0) {
            poll(NULL, 0, PAUSE_MS); /* ENOMEM */
            continue;
        }
        if (polled[1].revents != 0)
            _exit(0);
        peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (peer >= 0)
            return peer;
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            _exit(1);
    }
}

static bool is_of_user(int peer, uid_t user)
{
    struct ucred who;
    socklen_t size = sizeof who;

    return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && size == sizeof who &&
           who.uid == user;
}

static void pass(int peer, int in, int out)
{
    const int fds[2] = {in, out};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {0};
    struct iovec byte = {.iov_base = (char[1]){0}, .iov_len = 1};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(header), fds, sizeof fds);
    sendmsg(peer, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

_Noreturn void gate_serve(int listener, int in, int out, uid_t user)
{
    int peer;

    helper_close_others((const int[]){listener, in, out}, 3);
    peer = accept_peer(listener, out);
    if (is_of_user(peer, user))
        pass(peer, in, out);
    /* first, so that process 1 sees at once if no one was let in */
    close(in);
    close(out);
    _exit(0);
}
