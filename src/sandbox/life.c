#include "sandbox/life.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/duration.h"

/*
 * How the time that the engine may take is shared out: until the program runs it gets SETUP and as long
 * as the timeout, but no more than a minute of that; REMOVE to remove the container. A run ends at latest
 * TOTAL after its timeout, unless the engine was slow but not dead: then it gets REMOVE_LEAST.
 */
enum { SETUP_PERCENT = 60, REMOVE_PERCENT = 80, REMOVE_LEAST_PERCENT = 20, TOTAL_PERCENT = 95 };
enum { SETUP_TIMEOUT_MOST_MS = 60000 };

long long life_setup_deadline(const struct life *life)
{
    const long long timeout = limits_timeout_ms(&life->plan->limits);

    return life->start + (timeout < SETUP_TIMEOUT_MOST_MS ? timeout : SETUP_TIMEOUT_MOST_MS) +
           docker_share(life->docker, SETUP_PERCENT);
}

struct container_spec life_spec(const struct life *life)
{
    const struct plan *plan = life->plan;
    const struct limits *limits = &plan->limits;
    struct container_spec spec = {
        .name = life->name,
        .image = plan->image,
        .network = limits->network,
        .uid = limits->uid,
        .gid = limits->gid,
        .memory_mb = (long)limits->number[LIMIT_MEMORY],
        .cpus = limits->number[LIMIT_CPUS],
        .pids = (long)limits->number[LIMIT_PIDS],
        .read_only = limits->read_only == 1,
        .open_stdin = true,
        .cap_drop = &limits->cap_drop,
        .labels = &life->labels,
        .environment_file = -1,
    };

    if (strcmp(plan->workdir, "/tmp") != 0)
        spec.tmpfs[0] = (struct container_tmpfs){"/tmp", (long)limits->number[LIMIT_TMP]};
    return spec;
}

int life_create(struct life *life, const struct container_spec *spec, struct error *error)
{
    bool cut_off;

    if (cancel_raised(life->cancel))
        return life_cancelled(error);
    if (container_create(life->docker, spec, life_setup_deadline(life), life->cancel,
                         &life->result->warnings, &cut_off, error) == 0) {
        if (!life->result->container)
            life->result->container = string_copy(life->name);
        return 0;
    }
    if (cut_off) { /* the engine may still be at it */
        static const struct timespec pause = {1, 0};

        strvec_pushf(&life->result->warnings,
                     "the creation of container '%s' was cut off; should the engine still finish "
                     "it, it has to be removed by hand",
                     life->name);
        if (life_remove(life, NULL)) {
            nanosleep(&pause, NULL);
            life_remove(life, NULL);
        }
    }
    return -1;
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

void life_ended(struct life *life, enum reason reason)
{
    struct result *result = life->result;

    result->reason = reason;
    result->exit_code = 128 + 9; /* we end it with KILL */
    if (reason == REASON_TIMEOUT)
        result->error = string_format("program did not end within %.10g s",
                                      life->plan->limits.number[LIMIT_TIMEOUT]);
    else if (reason == REASON_OUTPUT_LIMIT)
        result->error =
            string_format("program wrote more than %d MiB to one stream", OUTPUT_HARD_MAX >> 20);
    else
        result->error = string_copy("cancelled while the program ran");
}

bool life_remove(struct life *life, struct process *drain)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const long long now = clock_now_ms();
    const long long most = now + docker_share(life->docker, REMOVE_PERCENT);
    const long long least = now + docker_share(life->docker, REMOVE_LEAST_PERCENT);
    long long deadline = life->start + limits_timeout_ms(&life->plan->limits) +
                         docker_share(life->docker, TOTAL_PERCENT);

    if (deadline > most)
        deadline = most;
    if (deadline < least)
        deadline = least;
    if (container_remove(life->docker, life->name, drain, deadline, &error) == 0)
        return true;
    strvec_pushf(&life->result->warnings, "container '%s' may be left behind: %s", life->name,
                 error.message);
    return false;
}

int life_cancelled(struct error *error)
{
    return error_set(error, ERROR_CANCELLED, "cancelled before the program ran");
}
