#include "sandbox/sweep.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/linux.h"
#include "base/signals.h"
#include "docker/container.h"
#include "sandbox/owner.h"

enum { QUIET_ROUNDS = 10, SWEEP_MS = 60000 };

/*
 * Nothing of the caller's may stay open: not its standard streams, whose end its parent waits for, nor
 * the stdin of a container, which that lives by.
 */
static void close_everything(void)
{
    linux_close_from(0);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (open("/dev/null", O_RDWR) < 0)
            return;
}

/* Removes the containers with these labels. False where there was none. */
static bool sweep(const struct docker *docker, const struct strvec *labels, long long deadline)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec ids = STRVEC_INIT;

    if (container_list(docker, labels, deadline, &ids, &error) != 0)
        return false;
    for (size_t i = 0; i < ids.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* there are more rounds */
        container_remove(docker, ids.items[i], NULL, deadline, &ignored);
    }
    return ids.count > 0;
}

void sweep_behind(const struct docker *docker)
{
    static const struct timespec pause = {1, 0};
    const long long deadline = clock_now_ms() + SWEEP_MS;
    struct strvec labels = STRVEC_INIT;
    int quiet = 0;

    owner_own_labels(&labels); /* of this process, not of the other */
    if (fork() != 0) {
        strvec_release(&labels);
        return;
    }
    setsid();
    signals_release();
    close_everything();
    while (clock_now_ms() < deadline && quiet < QUIET_ROUNDS) {
        quiet = sweep(docker, &labels, deadline) ? 0 : quiet + 1;
        nanosleep(&pause, NULL);
    }
    _exit(0);
}
