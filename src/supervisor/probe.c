#define _GNU_SOURCE
#include "supervisor/probe.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/limit_probe.h"

static bool use_memory(long mb)
{
    const size_t size = (size_t)mb << 20;
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (bytes == MAP_FAILED)
        return false;
    for (size_t i = 0; i < size; i += 1024)
        ((volatile char *)bytes)[i] = 1;
    return true;
}

static _Noreturn void stay(void)
{
    for (;;)
        pause();
}

/* They stay until this process ends, and with it the container's program. */
static bool start_processes(long count)
{
    for (long i = 0; i < count; i++) {
        const pid_t child = fork();

        if (child < 0)
            return false;
        if (child == 0)
            stay();
    }
    return true;
}

/* Some kernels end the whole container at a limit: until then the line has to be on its way. */
static void say(const char *line)
{
    static const struct timespec pause = {0, 200 * 1000000L};

    if (write(STDOUT_FILENO, line, strlen(line)) > 0)
        nanosleep(&pause, NULL);
}

int probe(char **arguments)
{
    const bool is_memory = arguments[0] && strcmp(arguments[0], PROBE_MEMORY) == 0;
    bool (*use)(long) = is_memory ? use_memory : start_processes;
    long below, beyond;

    if (!arguments[0] || (!is_memory && strcmp(arguments[0], PROBE_PROCESSES) != 0) ||
        !arguments[1] || !arguments[2])
        return 2;
    below = strtol(arguments[1], NULL, 10);
    beyond = strtol(arguments[2], NULL, 10);
    if (!use(below))
        return 1;
    say(PROBE_BELOW);
    if (!use(beyond - below))
        return 1;
    say(PROBE_BEYOND);
    return 0;
}
