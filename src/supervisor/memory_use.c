#include "supervisor/supervisor_state.h"

/*
 * The memory of one program among several in a container. The kernel keeps a maximum only for the
 * whole life of the container, and a resident set only of processes that are waited for: a program
 * can ignore SIGCHLD, and then no one learns what its children had. So the use of the container is
 * looked at repeatedly. What it was before the program does not count.
 */

/* How often. What is allocated for a shorter time is missed unless it is a new maximum. */
enum { SAMPLE_MS = 20 };

static bool samples(const struct supervisor *supervisor)
{
    return (supervisor->run.flags & FRAME_RUN_SAMPLE_MEMORY) != 0;
}

void memory_use_begin(struct supervisor *supervisor)
{
    if (samples(supervisor))
        supervisor->memory =
            (struct memory_use){.before_bytes = figures_current_bytes(&supervisor->figures),
                                .peak_before_bytes = figures_peak_bytes(&supervisor->figures)};
}

static void add(struct memory_use *memory, uint64_t bytes)
{
    const uint64_t more = figures_difference(bytes, memory->before_bytes);

    if (more != FRAME_UNKNOWN && more > memory->max_bytes)
        memory->max_bytes = more;
}

void memory_use_sample(struct supervisor *supervisor)
{
    struct memory_use *memory = &supervisor->memory;
    const uint64_t now_us = figures_clock_us();

    if (!samples(supervisor) || !supervisor_runs(supervisor) ||
        now_us - memory->last_us < (uint64_t)SAMPLE_MS * 1000)
        return;
    memory->last_us = now_us;
    add(memory, figures_current_bytes(&supervisor->figures));
}

void memory_use_watch(const struct supervisor *supervisor, struct loop *loop)
{
    if (samples(supervisor) && supervisor_runs(supervisor))
        loop_limit(loop, SAMPLE_MS);
}

uint64_t memory_use_bytes(struct supervisor *supervisor)
{
    struct memory_use *memory = &supervisor->memory;
    uint64_t peak_bytes;

    if (!samples(supervisor))
        return 0;
    peak_bytes = figures_peak_bytes(&supervisor->figures);
    if (peak_bytes != memory->peak_before_bytes)
        add(memory, peak_bytes);
    return memory->max_bytes;
}
