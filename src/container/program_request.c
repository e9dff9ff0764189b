#include "container/program_request.h"

#include <math.h>
#include <sys/stat.h>

/*
 * How long after the timeout the supervisor kills the program, and how long after it the container
 * ends itself, if isolator has not ended it. A cell is interrupted first.
 */
enum { LATE_MS = 1000 + PROGRAM_INTERRUPT_MS, GRACE_MS = 5000 };

/*
 * In a script the supervisor alone keeps the timeout, and no one waits for the end of the
 * container, which may take long after calls that stay in the kernel.
 */
enum { SCRIPT_GRACE_MS = 300000 };

/* Bytes of stdout that a script keeps for a comparison, in addition to twice what is expected. */
enum { COMPARED_EXTRA = 65536 };

/*
 * How long a container whose program has ended waits for isolator to collect its files and to
 * dismiss it: longer than any budget, for a connection that is half open.
 */
enum { LINGER_MS = 600000 };

/*
 * A stdin that is a file has at most so many bytes, and at most this part of the memory of the
 * container, whose limit it counts against.
 */
enum { STDIN_FILE_MAX = 8 << 20, STDIN_FILE_SHARE = 8 };

/* What is left of a limit of the session, if that is less than the limit of the program. */
static uint64_t lower_limit(uint64_t limit, uint64_t left)
{
    return left > 0 && (limit == 0 || left < limit) ? left : limit;
}

double program_request_timeout(const struct program_request *request)
{
    const double timeout = request->spec.limits->number[LIMIT_TIMEOUT];

    return request->seconds_left > 0 ? fmin(timeout, request->seconds_left) : timeout;
}

long long program_request_timeout_ms(const struct program_request *request)
{
    return (long long)ceil(program_request_timeout(request) * 1000);
}

uint64_t program_request_cpu_max_us(const struct program_request *request)
{
    return lower_limit(limits_cpu_us(request->spec.limits), request->cpu_left_us);
}

bool program_request_limits_cpu(const struct program_request *request)
{
    return program_request_cpu_max_us(request) != limits_cpu_us(request->spec.limits);
}

size_t program_request_head_max(const struct program_request *request)
{
    const size_t kept = request->spec.output_kept / 2;
    const size_t compared =
        request->spec.output_compared > 0 ? 2 * request->spec.output_compared + COMPARED_EXTRA : 0;

    return compared > kept ? compared : kept;
}

size_t program_request_tail_max(const struct program_request *request)
{
    return request->spec.output_kept - request->spec.output_kept / 2;
}

/* The memory limit ends a program that uses more, so the stack needs no lower one. */
static uint64_t stack_max(const struct program_request *request)
{
    const uint64_t memory = (uint64_t)limits_bytes(request->spec.limits, LIMIT_MEMORY);

    return lower_limit(memory, (uint64_t)request->spec.traits.stack_mb << 20);
}

static uint32_t side_flags(enum program_side side)
{
    static const uint32_t flags[] = {[SIDE_RELAYED] = FRAME_RUN_AT_ONCE,
                                     [SIDE_JOINED] = FRAME_RUN_AT_ONCE | FRAME_RUN_JOINED,
                                     [SIDE_INTERACTOR] = FRAME_RUN_AT_ONCE | FRAME_RUN_INTERACTOR};

    return flags[side];
}

/* Whether stdin is a file: all of it is there, and it has room. */
static bool has_stdin_file(const struct program_request *request)
{
    const long long memory = limits_bytes(request->spec.limits, LIMIT_MEMORY);
    const long long max =
        memory / STDIN_FILE_SHARE < STDIN_FILE_MAX ? memory / STDIN_FILE_SHARE : STDIN_FILE_MAX;
    struct stat status = {.st_size = 0};

    if (request->cell || request->spec.input_is_live || request->side != SIDE_NONE)
        return false;
    return request->spec.input < 0 ||
           (fstat(request->spec.input, &status) == 0 && status.st_size <= max);
}

struct frame_run program_request_frame(const struct program_request *request, bool is_script)
{
    const uint64_t timeout_ms = (uint64_t)program_request_timeout_ms(request);

    return (struct frame_run){
        .timer_ms = timeout_ms + (is_script ? SCRIPT_GRACE_MS : GRACE_MS),
        .late_ms = timeout_ms + (is_script ? 0 : LATE_MS),
        .linger_ms = (uint64_t)(request->linger_ms > LINGER_MS ? request->linger_ms : LINGER_MS),
        .output_max = lower_limit(lower_limit(OUTPUT_HARD_MAX, request->spec.output_max),
                                  request->output_left),
        .cpu_max_us = program_request_cpu_max_us(request),
        .stack_max = stack_max(request),
        .flags = (request->cell ? FRAME_RUN_CELL : 0u) |
                 (request->keep_processes ? FRAME_RUN_KEEP_PROCESSES : 0u) |
                 (request->spec.traits.netlink ? FRAME_RUN_NETLINK : 0u) |
                 (request->samples_memory ? FRAME_RUN_SAMPLE_MEMORY : 0u) |
                 (request->spec.value_max > 0 ? FRAME_RUN_VALUE : 0u) |
                 (has_stdin_file(request) ? FRAME_RUN_STDIN_FILE : 0u) |
                 (request->fork ? FRAME_RUN_FORK : 0u) | (request->is_last ? FRAME_RUN_LAST : 0u) |
                 (request->spec.must_succeed && is_script ? FRAME_RUN_MUST_SUCCEED : 0u) |
                 side_flags(request->side),
        .report_max = request->cell ? SUPERVISOR_REPORT_MAX : request->spec.value_max,
        .head_max = is_script ? program_request_head_max(request) : 0,
        .tail_max = is_script ? program_request_tail_max(request) : 0,
        .connections = (uint32_t)request->spec.connections,
        .tools = (uint32_t)request->spec.tools,
        .wait_state_ms = (uint64_t)request->wait_state_ms};
}
