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

/*
 * How long it looks, in percent of the engine's time: until there was nothing for QUIET, at most MOST.
 */
enum { QUIET = 100, MOST = 600 };

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

/* A second, and the longer the longer nothing has come. */
static void wait_for_more(long long quiet_ms)
{
    const long long wait = quiet_ms / 4 > 1000 ? quiet_ms / 4 : 1000;
    const struct timespec pause = {wait / 1000, wait % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

void sweep_behind(const struct docker *docker)
{
    const long long begin = clock_now_ms();
    const long long deadline = begin + docker_share(docker, MOST);
    struct strvec labels = STRVEC_INIT;
    long long found = begin;

    owner_own_labels(&labels); /* of this process, not of the other */
    if (fork() != 0) {
        strvec_release(&labels);
        return;
    }
    setsid();
    signals_release();
    close_everything();
    while (clock_now_ms() < deadline && clock_now_ms() - found < docker_share(docker, QUIET)) {
        if (sweep(docker, &labels, deadline))
            found = clock_now_ms();
        wait_for_more(clock_now_ms() - found);
    }
    _exit(0);
}
