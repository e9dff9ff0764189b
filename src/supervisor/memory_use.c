#include "supervisor/memory_use.h"

#include "supervisor/protocol.h"

/* How often. What is allocated for a shorter time is missed unless it is a new maximum. */
enum { SAMPLE_MS = 20 };

void memory_use_begin(struct memory_use *memory, const struct figures *figures)
{
    *memory = (struct memory_use){.figures = figures};
    if (!figures)
        return;
    memory->before_bytes = figures_current_bytes(figures);
    memory->peak_before_bytes = figures_peak_bytes(figures);
}

static void add(struct memory_use *memory, uint64_t bytes)
{
    const uint64_t more = figures_difference(bytes, memory->before_bytes);

    if (more != FRAME_UNKNOWN && more > memory->max_bytes)
        memory->max_bytes = more;
}

void memory_use_update(struct memory_use *memory)
{
    if (!memory->figures)
        return;
    memory->last_us = figures_clock_us();
    add(memory, figures_current_bytes(memory->figures));
}

void memory_use_sample(struct memory_use *memory)
{
    if (figures_clock_us() - memory->last_us >= (uint64_t)SAMPLE_MS * 1000)
        memory_use_update(memory);
}

void memory_use_watch(const struct memory_use *memory, struct loop *loop)
{
    if (memory->figures)
        loop_limit(loop, SAMPLE_MS);
}

uint64_t memory_use_bytes(struct memory_use *memory)
{
    uint64_t peak_bytes;

    if (!memory->figures)
        return 0;
    peak_bytes = figures_peak_bytes(memory->figures);
    if (peak_bytes != memory->peak_before_bytes)
        add(memory, peak_bytes);
    return memory->max_bytes;
}
