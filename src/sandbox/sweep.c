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
 * How long it looks: until there has been nothing for as long as the engine may take, but for QUIET_MS at
 * least; MOST_TIMES as long at most.
 */
enum { QUIET_MS = 10000, MOST_TIMES = 6 };

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

/* Removes the containers with these labels. How many there were; -1: the engine did not say. */
static int sweep(const struct docker *docker, const struct strvec *labels)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec ids = STRVEC_INIT;
    const long long deadline = clock_now_ms() + docker_share(docker, 100);

    if (container_list(docker, labels, deadline, &ids, &error) != 0)
        return -1;
    for (size_t i = 0; i < ids.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* it is looked for again */
        container_remove(docker, ids.items[i], NULL, deadline, &ignored);
    }
    return (int)ids.count;
}

/* A second, and the longer the longer nothing has come. */
static void wait_for_more(long long quiet_ms)
{
    const long long wait = quiet_ms / 4 > 1000 ? quiet_ms / 4 : 1000;
    const struct timespec pause = {wait / 1000, wait % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

static void sweep_until_quiet(const struct docker *docker, const struct strvec *labels)
{
    const long long share = docker_share(docker, 100);
    const long long enough = share > QUIET_MS ? share : QUIET_MS;
    const long long deadline = clock_now_ms() + MOST_TIMES * enough;
    long long quiet_since = -1; /* when the engine first said that there is nothing */

    while (clock_now_ms() < deadline) {
        wait_for_more(quiet_since < 0 ? 0 : clock_now_ms() - quiet_since);
        if (sweep(docker, labels) != 0)
            quiet_since = -1;
        else if (quiet_since < 0)
            quiet_since = clock_now_ms();
        else if (clock_now_ms() - quiet_since >= enough)
            break;
    }
}

/*
 * The other threads do not exist in the child. That it may allocate memory all the same is what glibc
 * and musl promise; it does not print.
 */
void sweep_behind(const struct docker *docker)
{
    struct docker silent = *docker;
    struct strvec labels = STRVEC_INIT;

    silent.trace = NULL;
    owner_own_labels(&labels); /* of this process, not of the other */
    if (fork() == 0) {
        setsid();
        signals_release();
        close_everything();
        sweep_until_quiet(&silent, &labels);
        _exit(0);
    }
    strvec_release(&labels);
}
