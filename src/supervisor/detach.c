#include "supervisor/detach.h"

#include <stdbool.h>

/* The unit of a limit of the memory, and more than engines round it by. */
enum { MEMORY_UNIT = 1 << 20 };

/* More than any deadline, in milliseconds. */
enum { TIME_MAX_MS = 1000000000 };

/* The quota is a whole number in a period, so a little more than was asked for. */
enum { CPU_SLACK_PERCENT = 1 };

/* Whether a limit is at most `max` and `more`, without overflow; 0: any one is. */
static bool is_low(uint64_t limit, uint64_t max, uint64_t more)
{
    return max == 0 || limit <= max || limit - max <= more;
}

/*
 * Whether the memory is limited for the program: to `max` and whole units for the copy. The limit
 * of the build may be as low, but without the copy.
 */
static bool is_of_program(uint64_t limit, uint64_t max, uint64_t copy)
{
    return max == 0 || (is_low(limit, max, copy + MEMORY_UNIT) && limit + MEMORY_UNIT > max + copy);
}

static enum detach_state limits_state(const struct frame_detach *frame,
                                      const struct figures *figures, uint64_t kept_bytes)
{
    uint64_t memory = 0, cpu_us = 0, pids = 0;

    if ((frame->memory_max > 0 && !figures_memory_limit(figures, &memory)) ||
        (frame->cpu_max_us > 0 && !figures_cpu_limit(figures, &cpu_us)) ||
        (frame->pids_max > 0 && !figures_pids_limit(figures, &pids)))
        return DETACH_UNKNOWN;
    return is_of_program(memory, frame->memory_max, kept_bytes) &&
                   is_low(cpu_us, frame->cpu_max_us, frame->cpu_max_us / 100 * CPU_SLACK_PERCENT) &&
                   is_low(pids, frame->pids_max, 0)
               ? DETACH_DONE
               : DETACH_WAITS;
}

enum detach_state detach_check(struct detach *detach, const struct frame_detach *frame,
                               const struct figures *figures, uint64_t kept_bytes)
{
    const uint64_t now_us = figures_clock_us();
    const uint64_t max_ms = frame->max_ms < TIME_MAX_MS ? frame->max_ms : TIME_MAX_MS;
    enum detach_state state = limits_state(frame, figures, kept_bytes);

    if (detach->deadline_us == 0)
        detach->deadline_us = now_us + max_ms * 1000;
    if (state == DETACH_WAITS && now_us >= detach->deadline_us)
        state = DETACH_LATE;
    if (state != DETACH_WAITS)
        detach->deadline_us = 0;
    return state;
}
