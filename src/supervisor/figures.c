#include "supervisor/figures.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/protocol.h"

/* Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst of Linux. */
static const char *const cpu_files[] = {"cpu.stat", "cpuacct/cpuacct.usage", NULL};
static const char *const peak_files[] = {"memory.peak", "memory/memory.max_usage_in_bytes", NULL};
static const char *const current_files[] = {"memory.current", "memory/memory.usage_in_bytes", NULL};
static const char *const oom_files[] = {"memory.events", "memory/memory.oom_control", NULL};
static const char *const full_files[] = {"memory.events", "memory/memory.failcnt", NULL};
static const char *const pids_files[] = {"pids.events", "pids/pids.events", NULL};

/* Opens the first of the files that exists. *which is its index. */
static int open_first(const char *root, const char *const *names, int *which)
{
    for (*which = 0; names[*which]; ++*which) {
        char path[256];
        int fd;

        if ((size_t)snprintf(path, sizeof path, "%s/%s", root, names[*which]) >= sizeof path)
            continue;
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

void figures_open(struct figures *figures, const char *root)
{
    int which;

    figures->peak = open_first(root, peak_files, &which);
    figures->current = open_first(root, current_files, &which);
    figures->oom = open_first(root, oom_files, &which);
    figures->full = open_first(root, full_files, &which);
    figures->pids = open_first(root, pids_files, &which);
    figures->cpu = open_first(root, cpu_files, &which);
    figures->cpu_unit = which == 0 ? 1 : 1000; /* v1 counts nanoseconds */
}

void figures_close(struct figures *figures)
{
    close(figures->cpu);
    close(figures->peak);
    close(figures->current);
    close(figures->oom);
    close(figures->full);
    close(figures->pids);
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static uint64_t parse(const char *text)
{
    uint64_t value = 0;

    if (!is_digit(*text))
        return FRAME_UNKNOWN;
    for (; is_digit(*text); text++) {
        if (value > UINT64_MAX / 10 - 1)
            return FRAME_UNKNOWN;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    return value;
}

/* The number of the line "KEY NUMBER" of the file, or if that has no keys its only number. */
static uint64_t read_number(int fd, const char *key)
{
    char text[4096];
    const size_t key_length = strlen(key);
    const ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);

    if (length <= 0)
        return FRAME_UNKNOWN;
    text[length] = '\0';
    if (is_digit(text[0]))
        return parse(text);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, key_length) == 0 && line[key_length] == ' ')
            return parse(line + key_length + 1);
    }
    return FRAME_UNKNOWN;
}

uint64_t figures_cpu_us(const struct figures *figures)
{
    const uint64_t value = read_number(figures->cpu, "usage_usec");

    return value == FRAME_UNKNOWN ? value : value / figures->cpu_unit;
}

uint64_t figures_peak_bytes(const struct figures *figures)
{
    return read_number(figures->peak, "");
}

uint64_t figures_current_bytes(const struct figures *figures)
{
    return read_number(figures->current, "");
}

uint64_t figures_oom_kills(const struct figures *figures)
{
    return read_number(figures->oom, "oom_kill");
}

uint64_t figures_memory_full(const struct figures *figures)
{
    return read_number(figures->full, "max");
}

uint64_t figures_refused_processes(const struct figures *figures)
{
    return read_number(figures->pids, "max");
}

uint64_t figures_difference(uint64_t now, uint64_t before)
{
    if (now == FRAME_UNKNOWN || before == FRAME_UNKNOWN)
        return FRAME_UNKNOWN;
    return now > before ? now - before : 0;
}

uint64_t figures_clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t figures_own_cpu_us(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

struct usage figures_usage(const struct figures *figures)
{
    return (struct usage){.cpu_us = figures_cpu_us(figures),
                          .own_cpu_us = figures_own_cpu_us(),
                          .oom_kills = figures_oom_kills(figures),
                          .memory_full = figures_memory_full(figures),
                          .refused = figures_refused_processes(figures)};
}

uint64_t figures_used_us(const struct figures *figures, const struct usage *before)
{
    const uint64_t own_us = figures_own_cpu_us() - before->own_cpu_us;
    const uint64_t all_us = figures_difference(figures_cpu_us(figures), before->cpu_us);

    return figures_difference(all_us, own_us);
}
