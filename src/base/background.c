#include "base/background.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/linux.h"
#include "base/signals.h"

/*
 * Closes all descriptors but the pipe, which becomes descriptor 3: the other end must be open in
 * the program alone.
 */
static void close_all_but(int fd)
{
    dup2(fd, STDERR_FILENO + 1);
    fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
    for (fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    for (fd = 0; fd <= STDERR_FILENO; fd++)
        if (open("/dev/null", O_RDWR) < 0)
            return;
    linux_close_from(STDERR_FILENO + 2);
}

bool background_start(struct background *background, background_main *run, void *context)
{
    int fds[2];

    *background = (struct background){.fd = -1, .pid = -1};
    if (linux_pipe(fds) != 0)
        return false;
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    background->pid = fork();
    if (background->pid == 0) {
        setsid();
        signals_release();
        close_all_but(fds[0]);
        run(context, STDERR_FILENO + 1);
        _exit(0);
    }
    close(fds[0]);
    if (background->pid < 0) {
        close(fds[1]);
        return false;
    }
    background->fd = fds[1];
    return true;
}

void background_send(const struct background *background, const char *line)
{
    const size_t length = strlen(line);

    if (background->fd < 0 || write(background->fd, line, length) != (ssize_t)length)
        return;
}

void background_end(struct background *background, int wait_ms)
{
    struct pollfd polled = {-1, POLLIN, 0};

    if (background->fd < 0)
        return;
    close(background->fd);
    background->fd = -1;
    if (wait_ms == 0)
        return;
    polled.fd = linux_pidfd(background->pid);
    if (polled.fd >= 0 && poll(&polled, 1, wait_ms) > 0)
        waitpid(background->pid, NULL, 0);
    if (polled.fd >= 0)
        close(polled.fd);
}
