#include "run/run_steps.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "docker/budget.h"

/* How much of the timeout the setup may take at most, in addition to BUDGET_SETUP. */
enum { SETUP_TIMEOUT_MAX_MS = 60000 };

long long run_setup_deadline(const struct run *run)
{
    const long long timeout = limits_timeout_ms(&run->plan->policy.limits);

    return run->start + (timeout < SETUP_TIMEOUT_MAX_MS ? timeout : SETUP_TIMEOUT_MAX_MS) +
           budget_ms(run->docker, BUDGET_SETUP);
}

long long run_end_deadline(const struct run *run)
{
    return run->start + limits_timeout_ms(&run->plan->policy.limits) +
           budget_ms(run->docker, BUDGET_TOTAL);
}

void run_set_container(struct run *run, const struct owned_container *container)
{
    free(run->result->container);
    run->result->container = container->created ? string_copy(container->name) : NULL;
    if (container->created) {
        free(run->result->image);
        run->result->image = string_copy(container->image);
    }
}

void run_set_duration(struct run *run, long long ms)
{
    run->result->duration_ms = ms > 0 ? ms : 1;
}

static void set_oom(struct run *run)
{
    run->result->reason = REASON_OOM;
    run->result->error = string_format("program ran out of memory (limit %ld MB)",
                                       (long)run->plan->policy.limits.number[LIMIT_MEMORY]);
}

void run_set_out_of_memory(struct run *run)
{
    run->result->exit_code = 128 + 9; /* the kernel ends it with SIGKILL */
    set_oom(run);
    strvec_push(&run->result->warnings, "memory ran out and the kernel ended the whole container, "
                                        "so memory and CPU time are not known");
}

void run_set_end(struct run *run, const struct frame_end *end)
{
    struct result *result = run->result;
    const bool oom_killed = end->oom_kills > 0 && end->oom_kills != FRAME_UNKNOWN;
    const int status = (int)(end->signal != 0 ? 128 + end->signal : end->status);

    result->exit_code = status;
    result->signal = (int)end->signal;
    if (oom_killed && status == 0)
        strvec_push(&result->warnings, "memory ran out and the kernel killed a process, but the "
                                       "program ended with status 0");
    if (oom_killed && status != 0) {
        set_oom(run);
    } else if (end->signal != 0) {
        const char *name = result_signal(result->signal);

        result->reason = REASON_SIGNAL;
        result->error = name ? string_format("program was ended by signal %s", name)
                             : string_format("program was ended by signal %u", end->signal);
    } else {
        result->reason = REASON_EXIT;
        if (status != 0)
            result->error = string_format("program exited with status %d", status);
    }
}

bool run_wants_files(const struct run *run)
{
    return run->plan->artifacts.count > 0 && run->result->reason != REASON_CANCELLED;
}

void run_set_stopped(struct run *run, enum reason reason)
{
    struct result *result = run->result;
    const int live_error = run->output.live_error;

    result->reason = reason;
    result->signal = SIGKILL;
    result->exit_code = 128 + SIGKILL;
    if (reason == REASON_TIMEOUT) {
        result->error = string_format("program did not end within %.10g s",
                                      run->plan->policy.limits.number[LIMIT_TIMEOUT]);
    } else if (reason == REASON_OUTPUT_LIMIT) {
        result->error =
            string_format("program wrote more than %d MiB to one stream", OUTPUT_HARD_MAX >> 20);
    } else if (live_error != 0 && live_error != EPIPE) {
        result->reason = REASON_ENGINE;
        result->error = string_format("cannot write the output: %s", strerror(live_error));
    } else { /* also if the reader of the output has gone, which is no failure */
        result->error = string_copy("cancelled while the program ran");
    }
}

void run_remove_container(struct run *run, const struct owned_container *container,
                          const struct process_drain *drain)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (owned_container_remove(container, drain, run_end_deadline(run), &error) != 0)
        strvec_push(&run->result->warnings, error.message);
}
