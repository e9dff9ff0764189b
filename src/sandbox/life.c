#include "sandbox/life.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"

/*
 * How the time that the engine may take is shared out: until the program runs it gets SETUP and as long
 * as the timeout, but no more than a minute of that. A run ends at latest TOTAL after its timeout, but
 * for the least that a removal gets, see box_remove().
 */
enum { SETUP_PERCENT = 60, TOTAL_PERCENT = 95 };
enum { SETUP_TIMEOUT_MOST_MS = 60000 };

long long life_setup_deadline(const struct life *life)
{
    const long long timeout = limits_timeout_ms(&life->plan->limits);

    return life->start + (timeout < SETUP_TIMEOUT_MOST_MS ? timeout : SETUP_TIMEOUT_MOST_MS) +
           docker_share(life->docker, SETUP_PERCENT);
}

long long life_end(const struct life *life)
{
    return life->start + limits_timeout_ms(&life->plan->limits) +
           docker_share(life->docker, TOTAL_PERCENT);
}

void life_name(struct life *life, const struct box *box)
{
    free(life->result->container);
    life->result->container = box->created ? string_copy(box->name) : NULL;
    if (box->created) {
        free(life->result->image);
        life->result->image = string_copy(box->image);
    }
}

void life_ran(struct life *life, long long ms)
{
    life->result->duration_ms = ms > 0 ? ms : 1;
}

void life_exited(struct life *life, int status, bool oom_killed)
{
    struct result *result = life->result;
    const char *signal = result_signal(status);

    result->exit_code = status;
    if (oom_killed && status == 0)
        strvec_push(&result->warnings, "memory ran out and the kernel killed a process, but the "
                                       "program ended with status 0");
    if (oom_killed && status != 0) {
        result->reason = REASON_OOM;
        result->error = string_format("program ran out of memory (limit %ld MB)",
                                      (long)life->plan->limits.number[LIMIT_MEMORY]);
    } else if (signal) {
        result->reason = REASON_SIGNAL;
        result->error = string_format("program was ended by signal %s", signal);
    } else {
        result->reason = REASON_EXIT;
        if (status != 0)
            result->error = string_format("program exited with status %d", status);
    }
}

bool life_wants_files(const struct life *life)
{
    return life->plan->request->artifacts.count > 0 && life->result->reason != REASON_CANCELLED;
}

void life_ended(struct life *life, enum reason reason)
{
    struct result *result = life->result;
    const int live_error = life->output->live_error;

    result->reason = reason;
    result->exit_code = 128 + 9; /* we end it with KILL */
    if (reason == REASON_TIMEOUT) {
        result->error = string_format("program did not end within %.10g s",
                                      life->plan->limits.number[LIMIT_TIMEOUT]);
    } else if (reason == REASON_OUTPUT_LIMIT) {
        result->error =
            string_format("program wrote more than %d MiB to one stream", OUTPUT_HARD_MAX >> 20);
    } else if (live_error != 0 && live_error != EPIPE) {
        result->reason = REASON_ENGINE;
        result->error = string_format("cannot write the output: %s", strerror(live_error));
    } else { /* that nobody reads any more is like a signal, and no failure */
        result->error = string_copy("cancelled while the program ran");
    }
}

void life_remove(struct life *life, const struct box *box, const struct process_drain *drain)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (box_remove(box, drain, life_end(life), &error) != 0)
        strvec_push(&life->result->warnings, error.message);
}
