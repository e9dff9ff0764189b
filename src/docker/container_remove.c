/*
 * Removing a container, also if the engine fails or the program in it resists.
 */
#include "docker/container.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "docker/engine_kind.h"

/* Tries once. Returns whether docker says that this succeeded. */
static bool try_removal(const struct docker *docker, const char *name, bool force,
                        long long deadline)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline};

    strvec_push(&call.arguments, "rm");
    if (force)
        engine_add_removal(docker->kind, &call.arguments);
    else
        strvec_push(&call.arguments, "--volumes");
    strvec_push(&call.arguments, name);
    return docker_run(docker, &call, &output, &ignored) == 0 && output.status == 0;
}

bool container_discard(const struct docker *docker, const char *name, long long deadline)
{
    return try_removal(docker, name, true, deadline);
}

/* Whether the engine answers that no container has this name. No answer proves nothing. */
static bool is_gone(const struct docker *docker, const char *name,
                    const struct process_drain *drain, long long deadline,
                    const struct notifier *cancel)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = deadline, .drain = drain, .cancel = cancel};

    strvec_push_each(&call.arguments, "ps", "--all", "--quiet", "--filter", NULL);
    strvec_pushf(&call.arguments, "name=^/?%s$", name);
    return docker_run(docker, &call, &output, &ignored) == 0 && output.status == 0 &&
           output.out.length == 0;
}

static void report_not_removed(const struct docker *docker, const char *name)
{
    if (docker->not_removed)
        docker->not_removed(docker->not_removed_context, name);
}

void container_discard_failed(const struct docker *docker, const char *name, long long deadline)
{
    if (!try_removal(docker, name, true, deadline) && !is_gone(docker, name, NULL, deadline, NULL))
        report_not_removed(docker, name);
}

/*
 * Kills every process of the container but its first, from inside. The engine kills the first one,
 * and the kernel then ends the others. But the first one must be scheduled once more to die, and a
 * program of the same user may have lowered its priority (sched_setscheduler(2)) and keep the CPU
 * busy: then `docker rm` fails after ten seconds. A new process has a normal priority.
 */
static void kill_all_inside(const struct docker *docker, const char *name,
                            const struct process_drain *drain, long long deadline,
                            const struct notifier *cancel)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* usually the container has ended */
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = deadline, .drain = drain, .cancel = cancel};

    strvec_push_each(&call.arguments, "exec", name, "/bin/sh", "-c", "kill -9 -1", NULL);
    docker_run(docker, &call, &output, &ignored);
}

/* A third of the remaining time, so that an attempt that hangs leaves time for others. */
static long long attempt_deadline(long long deadline)
{
    const long long now = clock_now_ms();

    return now + (deadline - now) / 3;
}

int container_remove(const struct docker *docker, const char *name,
                     const struct process_drain *drain, long long deadline,
                     const struct notifier *cancel, struct error *error)
{
    static const struct timespec pause = {0, 200 * 1000000L};
    CLEANUP(error_release) struct error first = ERROR_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.drain = drain, .cancel = cancel};

    strvec_push(&call.arguments, "rm");
    engine_add_removal(docker->kind, &call.arguments);
    strvec_push(&call.arguments, name);
    do {
        CLEANUP(error_release) struct error failure = ERROR_INIT;

        call.deadline = attempt_deadline(deadline);
        if (docker_succeed(docker, &call, "cannot remove the container", NULL, &failure) == 0)
            return 0;
        /* The engine may be removing it already (--rm). */
        if (!notifier_raised(cancel) &&
            is_gone(docker, name, drain, attempt_deadline(deadline), cancel))
            return 0;
        if (docker_never_reached(docker)) {
            report_not_removed(docker, name);
            return 0;
        }
        if (first.kind == ERROR_NONE) /* later ones may only say that time was over */
            error_set(&first, failure.kind, "%s", failure.message);
        if (!notifier_raised(cancel))
            kill_all_inside(docker, name, drain, attempt_deadline(deadline), cancel);
        nanosleep(&pause, NULL);
    } while (clock_now_ms() < deadline && !notifier_raised(cancel));
    if (!notifier_raised(cancel))
        report_not_removed(docker, name);
    return error_set(error, first.kind, "%s", first.message);
}
