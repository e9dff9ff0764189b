#include "run/verdict.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/signal_name.h"
#include "base/text.h"

bool verdict_interpreter_stays(const struct frame_end *end)
{
    return end && end->stays == 1;
}

long long verdict_figure(uint64_t figure)
{
    return figure == FRAME_UNKNOWN ? -1 : (long long)figure;
}

static bool is_cell(const struct verdict *verdict)
{
    return verdict->request->cell != NULL;
}

/* ---- reasons */

static void set_oom(const struct verdict *verdict, struct result *result)
{
    result->reason = REASON_OOM;
    result->error = string_format("%s ran out of memory (limit %ld MB)", verdict->name,
                                  (long)verdict->request->spec.limits->number[LIMIT_MEMORY]);
}

void verdict_out_of_memory(const struct verdict *verdict, struct result *result)
{
    result->exit_code = 128 + 9; /* the kernel ends it with SIGKILL */
    set_oom(verdict, result);
    strvec_push(&result->warnings, "memory ran out and the kernel ended the whole container, "
                                   "so memory and CPU time are not known");
}

static void set_cpu_time(const struct verdict *verdict, struct result *result)
{
    result->reason = REASON_CPU_TIME;
    result->error = program_request_limits_cpu(verdict->request)
                        ? string_format("%s used up the CPU time of its session", verdict->name)
                        : string_format("%s used more than %.10g s of CPU time", verdict->name,
                                        verdict->request->spec.limits->number[LIMIT_CPU_TIME]);
}

/*
 * Whether the program has used more CPU time than it may. The supervisor ends it for that, but may
 * come too late: calls that stay in the kernel for long hold it up with the program.
 */
static bool exceeds_cpu(const struct verdict *verdict)
{
    const struct frame_end *end = verdict->end;
    const uint64_t max_us = program_request_cpu_max_us(verdict->request);

    return end && end->stays == 0 && max_us > 0 && end->cpu_us != FRAME_UNKNOWN &&
           end->cpu_us > max_us;
}

static void set_timeout(const struct verdict *verdict, struct result *result)
{
    if (exceeds_cpu(verdict)) {
        set_cpu_time(verdict, result);
        return;
    }
    result->reason = REASON_TIMEOUT;
    result->error = string_format("%s did not end within %.10g s", verdict->name,
                                  program_request_timeout(verdict->request));
}

static void set_output_limit(const struct verdict *verdict, struct result *result)
{
    const uint64_t left = verdict->request->output_left, max = verdict->request->spec.output_max;

    result->reason = REASON_OUTPUT_LIMIT;
    if (left > 0 && left < OUTPUT_HARD_MAX)
        result->error = string_format("%s used up the output of its session", verdict->name);
    else if (max > 0 && max < OUTPUT_HARD_MAX)
        result->error = string_format("%s wrote more than %llu bytes to one stream", verdict->name,
                                      (unsigned long long)max);
    else
        result->error = string_format("%s wrote more than %d MiB to one stream", verdict->name,
                                      OUTPUT_HARD_MAX >> 20);
}

/* If the reader of the output has gone (EPIPE), that is not a failure. */
static void set_cancelled(const struct verdict *verdict, struct result *result)
{
    const bool failed = verdict->live_error != 0 && verdict->live_error != EPIPE;

    result->reason = failed ? REASON_ENGINE : REASON_CANCELLED;
    result->error =
        failed ? string_format("cannot write the output: %s", strerror(verdict->live_error))
               : string_copy(is_cell(verdict) ? "cancelled while the cell ran"
                                              : "cancelled while the program ran");
}

/* ---- it was ended */

static void set_stopped(const struct verdict *verdict, enum verdict_stop stop,
                        struct result *result)
{
    result->signal = verdict_interpreter_stays(verdict->end) ? SIGINT : SIGKILL;
    result->exit_code = 128 + result->signal;
    if (stop == STOP_TIMEOUT)
        set_timeout(verdict, result);
    else if (stop == STOP_CANCELLED)
        set_cancelled(verdict, result);
    else
        set_output_limit(verdict, result);
}

/* ---- it has ended by itself, or at its limit of CPU time */

/* A cell has ended; how is in its report. */
static void set_cell_end(bool oom_killed, struct result *result)
{
    result->reason = REASON_EXIT;
    result->exit_code = 0;
    if (oom_killed)
        strvec_push(&result->warnings,
                    "memory ran out and the kernel killed a process of the cell");
}

static void set_signal(const struct verdict *verdict, struct result *result)
{
    const char *name = signal_name(result->signal);

    result->reason = REASON_SIGNAL;
    result->error = name
                        ? string_format("%s was ended by signal %s", verdict->name, name)
                        : string_format("%s was ended by signal %d", verdict->name, result->signal);
}

static void set_exit(const struct verdict *verdict, struct result *result)
{
    result->reason = REASON_EXIT;
    if (result->exit_code != 0)
        result->error = string_format("%s exited with status %d", verdict->name, result->exit_code);
}

static void set_end(const struct verdict *verdict, struct result *result)
{
    const struct frame_end *end = verdict->end;
    const bool oom_killed = end->oom_kills > 0 && end->oom_kills != FRAME_UNKNOWN;

    if (verdict_interpreter_stays(end) && end->cause == FRAME_CAUSE_ITSELF) {
        set_cell_end(oom_killed, result);
        return;
    }
    result->exit_code = (int)(end->signal != 0 ? 128 + end->signal : end->status);
    result->signal = (int)end->signal;
    if (end->cause == FRAME_CAUSE_CPU)
        set_cpu_time(verdict, result);
    else if (oom_killed && result->exit_code != 0)
        set_oom(verdict, result);
    else if (end->signal != 0)
        set_signal(verdict, result);
    else
        set_exit(verdict, result);
    if (oom_killed && result->exit_code == 0 && result->reason == REASON_EXIT)
        strvec_pushf(&result->warnings,
                     "memory ran out and the kernel killed a process, but the %s ended with "
                     "status 0",
                     is_cell(verdict) ? "interpreter" : verdict->name);
}

/* ---- figures and warnings */

/* The timeout begins with BEGUN, and the supervisor measures from right before the execution. */
static void set_figures(const struct verdict *verdict, enum verdict_stop stop,
                        struct result *result)
{
    const struct frame_end *end = verdict->end;
    long long ms = end ? (verdict_figure(end->wall_us) + 999) / 1000 : verdict->measured_ms;

    if (stop == STOP_TIMEOUT && ms < program_request_timeout_ms(verdict->request))
        ms = program_request_timeout_ms(verdict->request);
    result->duration_ms = ms > 0 ? ms : 1; /* 0 means that it never ran */
    if (!end)
        return;
    result->peak_bytes = verdict_figure(end->peak_bytes);
    result->cpu_us = verdict_figure(end->cpu_us);
}

/* Warns of limits that the program has reached without being ended for that. */
static void warn_of_limits(const struct verdict *verdict, struct result *result)
{
    const struct limits *limits = verdict->request->spec.limits;
    const struct frame_end *end = verdict->end;
    const bool was_slow = result->reason == REASON_TIMEOUT || result->reason == REASON_CPU_TIME;

    if (end->refused > 0 && end->refused != FRAME_UNKNOWN)
        strvec_pushf(&result->warnings,
                     "the limit of %.0f processes and threads (%s, %s) kept %llu from starting",
                     limits->number[LIMIT_PIDS], limit_rules[LIMIT_PIDS].key.name,
                     limit_rules[LIMIT_PIDS].option.name, (unsigned long long)end->refused);
    if (was_slow && end->memory_full > 0 && end->memory_full != FRAME_UNKNOWN)
        strvec_pushf(&result->warnings,
                     "the memory was full at its limit of %.0f MB (%s, %s): the kernel drops pages "
                     "of the program then and reads them again, which is slow",
                     limits->number[LIMIT_MEMORY], limit_rules[LIMIT_MEMORY].key.name,
                     limit_rules[LIMIT_MEMORY].option.name);
}

/* The program got a part of its input, and saw its end there. */
static void warn_of_input(const struct verdict *verdict, struct result *result)
{
    if (verdict->input_error != 0)
        strvec_pushf(&result->warnings,
                     "cannot read standard input, which ended there for the program: %s",
                     strerror(verdict->input_error));
}

/* The supervisor ends a program by its own clock and its own count if isolator comes too late. */
static enum verdict_stop stop_of(const struct verdict *verdict)
{
    const struct frame_end *end = verdict->end;

    if (verdict->stop == STOP_TIMEOUT || (end && end->cause == FRAME_CAUSE_LATE))
        return STOP_TIMEOUT;
    if (verdict->stop == STOP_NONE && end && end->cause == FRAME_CAUSE_OUTPUT)
        return STOP_OUTPUT;
    if (verdict->stop == STOP_NONE && end && end->cause == FRAME_CAUSE_STOP) /* a job */
        return STOP_CANCELLED;
    return verdict->stop;
}

bool verdict_reach(const struct verdict *verdict, struct result *result)
{
    const enum verdict_stop stop = stop_of(verdict);

    set_figures(verdict, stop, result);
    if (stop == STOP_NONE && !verdict->end)
        return false;
    if (stop != STOP_NONE)
        set_stopped(verdict, stop, result);
    else
        set_end(verdict, result);
    result->ready = verdict->end && verdict->end->was_ready != 0;
    if (verdict->end)
        warn_of_limits(verdict, result);
    warn_of_input(verdict, result);
    return true;
}
