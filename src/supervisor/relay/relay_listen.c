#define _GNU_SOURCE
#include "supervisor/relay/relay_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mux.h"

enum { BACKLOG = 128, TRIES = 50, PAUSE_MS = 20 };

int relay_listen_at_port(void)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(MUX_PORT),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int bound, left = TRIES;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* connections of an earlier relay */
    while ((bound = bind(fd, (const struct sockaddr *)&address, sizeof address)) != 0 &&
           errno == EADDRINUSE && --left > 0)
        poll(NULL, 0, PAUSE_MS);
    return bound == 0 && listen(fd, BACKLOG) == 0 ? fd : -1;
}

int relay_listen_at_path(void)
{
    static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = MUX_TOOLS_SOCKET};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int bound;

    if (fd < 0 || (unlink(MUX_TOOLS_SOCKET) != 0 && errno != ENOENT))
        return -1;
    umask(0077);
    bound = bind(fd, (const struct sockaddr *)&address, sizeof address);
    return bound == 0 && listen(fd, BACKLOG) == 0 ? fd : -1;
}
