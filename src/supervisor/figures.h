/*
 * What the kernel knows of the use of the container: CPU time, memory, how often its limits were
 * reached, and processes that it killed because memory ran out; and what the limits are. The files
 * are opened once, so that reading them later needs no memory.
 */
#ifndef SUPERVISOR_FIGURES_H
#define SUPERVISOR_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct figures {
    int cpu, peak, current, oom, full, pids, processes; /* owned; -1: the kernel gives none */
    unsigned cpu_unit; /* how many units of the file are a microsecond */
    int memory_limit, pids_limit, cpu_limit, cpu_period; /* owned; -1: none, as v2 of the last */
};

/* Opens the files of cgroup v1 or v2 below `root`, which is "/sys/fs/cgroup" except in tests. */
void figures_open(struct figures *figures, const char *root);
void figures_close(struct figures *figures);

/* Return FRAME_UNKNOWN if the kernel does not say. */
uint64_t figures_cpu_us(const struct figures *figures);
uint64_t figures_peak_bytes(const struct figures *figures);
uint64_t figures_current_bytes(const struct figures *figures);
uint64_t figures_oom_kills(const struct figures *figures);
/* How often the memory was full, and a process or thread was refused because of their limit. */
uint64_t figures_memory_full(const struct figures *figures);
uint64_t figures_refused_processes(const struct figures *figures);
/* How many processes and threads there are now, with those that were not reaped yet. */
uint64_t figures_processes(const struct figures *figures);

/*
 * The limits that hold now: bytes, CPU time in a second (microseconds), processes and threads.
 * UINT64_MAX: there is no limit. False: the kernel does not say.
 */
bool figures_memory_limit(const struct figures *figures, uint64_t *bytes);
bool figures_cpu_limit(const struct figures *figures, uint64_t *us);
bool figures_pids_limit(const struct figures *figures, uint64_t *count);

/* What is used up at a moment, as END reports the difference. FRAME_UNKNOWN as above. */
struct usage {
    uint64_t cpu_us, own_cpu_us, oom_kills, memory_full, refused;
};

struct usage figures_usage(const struct figures *figures);

/* The CPU time of the container since then, without that of this process. */
uint64_t figures_used_us(const struct figures *figures, const struct usage *before);

/* How much a figure has grown; FRAME_UNKNOWN if one of the two is. */
uint64_t figures_difference(uint64_t now, uint64_t before);

/* CLOCK_MONOTONIC in microseconds. */
uint64_t figures_clock_us(void);

/* The CPU time that this process itself has used, in microseconds. */
uint64_t figures_own_cpu_us(void);

#endif
