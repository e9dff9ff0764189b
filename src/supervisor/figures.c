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
static const char *const processes_files[] = {"pids.current", "pids/pids.current", NULL};
static const char *const memory_limit_files[] = {"memory.max", "memory/memory.limit_in_bytes",
                                                 NULL};
static const char *const pids_limit_files[] = {"pids.max", "pids/pids.max", NULL};
static const char *const cpu_limit_files[] = {"cpu.max", "cpu/cpu.cfs_quota_us", NULL};
static const char *const cpu_period_files[] = {"cpu/cpu.cfs_period_us", NULL};

/*
 * Whether the file is in the root of a hierarchy of version 1, which alone has this other file:
 * then it tells of the whole machine. The containers of a rootless engine have no group of their
 * own.
 */
static bool is_of_machine(const char *path)
{
    static const char name[] = "release_agent";
    const char *slash = strrchr(path, '/');
    char other[256];

    return (size_t)snprintf(other, sizeof other, "%.*s/%s", (int)(slash - path), path, name) <
               sizeof other &&
           access(other, F_OK) == 0;
}

/* Opens the first of the files that exists. *which is its index. */
static int open_first(const char *root, const char *const *names, int *which)
{
    for (*which = 0; names[*which]; ++*which) {
        char path[256];
        int fd;

        if ((size_t)snprintf(path, sizeof path, "%s/%s", root, names[*which]) >= sizeof path)
            continue;
        fd = is_of_machine(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
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
    figures->processes = open_first(root, processes_files, &which);
    figures->memory_limit = open_first(root, memory_limit_files, &which);
    figures->pids_limit = open_first(root, pids_limit_files, &which);
    figures->cpu_period = open_first(root, cpu_period_files, &which);
    figures->cpu_limit = open_first(root, cpu_limit_files, &which);
    if (which == 0) { /* v2 has the period in the same file */
        close(figures->cpu_period);
        figures->cpu_period = -1;
    }
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
    close(figures->processes);
    close(figures->memory_limit);
    close(figures->pids_limit);
    close(figures->cpu_limit);
    close(figures->cpu_period);
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

enum { FILE_MAX = 4096 };

/* Reads a file into a string. False: there is nothing. */
static bool read_text(int fd, char text[FILE_MAX])
{
    const ssize_t length = fd < 0 ? -1 : pread(fd, text, FILE_MAX - 1, 0);

    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

/* The number of the line "KEY NUMBER" of the file, or if that has no keys its only number. */
static uint64_t read_number(int fd, const char *key)
{
    char text[FILE_MAX];
    const size_t key_length = strlen(key);

    if (!read_text(fd, text))
        return FRAME_UNKNOWN;
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

uint64_t figures_processes(const struct figures *figures)
{
    return read_number(figures->processes, "");
}

/* The limit that a file begins with. v2 writes "max" for none, and v1 -1 as the quota. */
static bool parse_limit(const char *text, uint64_t *limit)
{
    const bool none = strncmp(text, "max", 3) == 0 || strncmp(text, "-1", 2) == 0;

    *limit = parse(text); /* a larger number than there is memory also means none */
    return none || is_digit(*text);
}

static bool read_limit(int fd, uint64_t *limit)
{
    char text[FILE_MAX];

    return read_text(fd, text) && parse_limit(text, limit);
}

bool figures_memory_limit(const struct figures *figures, uint64_t *bytes)
{
    return read_limit(figures->memory_limit, bytes);
}

bool figures_pids_limit(const struct figures *figures, uint64_t *count)
{
    return read_limit(figures->pids_limit, count);
}

bool figures_cpu_limit(const struct figures *figures, uint64_t *us)
{
    char text[FILE_MAX];
    const char *space;
    uint64_t quota, period;

    if (!read_text(figures->cpu_limit, text) || !parse_limit(text, &quota))
        return false;
    space = strchr(text, ' ');
    if (figures->cpu_period >= 0)
        period = read_number(figures->cpu_period, "");
    else
        period = space ? parse(space + 1) : FRAME_UNKNOWN;
    if (period == 0 || period == FRAME_UNKNOWN)
        return false;
    *us = quota > UINT64_MAX / 1000000 ? UINT64_MAX : quota * 1000000 / period;
    return true;
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
