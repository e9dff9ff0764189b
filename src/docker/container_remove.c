/* The end of a container, against an engine or a program that does not want it. */
#include "base/clock.h"
#include "docker/container.h"

#include <time.h>

#include "base/cleanup.h"

void container_discard(const struct docker *docker, const char *name, long long deadline)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .deadline = deadline};

    strvec_push_each(&arguments, "rm", "--force", "--volumes", name, NULL);
    docker_run(docker, &call, &output, &ignored);
}

/* Whether the engine says that no container of this name exists, which is more than not finding it.
 */
static bool is_gone(const struct docker *docker, const char *name,
                    const struct process_drain *drain, long long deadline,
                    const struct notifier *cancel)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const struct docker_call call = {.arguments = &arguments,
                                     .stdin_file = -1,
                                     .deadline = deadline,
                                     .drain = drain,
                                     .cancel = cancel};

    strvec_push_each(&arguments, "ps", "--all", "--quiet", "--filter", NULL);
    strvec_pushf(&arguments, "name=^/?%s$", name);
    return docker_run(docker, &call, &output, &ignored) == 0 && output.status == 0 &&
           output.out.length == 0;
}

/*
 * Ends every process of the container but its first from inside. The engine kills the first, which has to run
 * once more to die, and the kernel then ends the others; but a program of the same user may have taken the
 * processor from it (sched_setscheduler(2)) and keep it busy: then `docker rm` gives up after ten seconds. A
 * new process has its share like any other.
 */
static void kill_inside(const struct docker *docker, const char *name,
                        const struct process_drain *drain, long long deadline,
                        const struct notifier *cancel)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* most often it is not running */
    const struct docker_call call = {.arguments = &arguments,
                                     .stdin_file = -1,
                                     .deadline = deadline,
                                     .drain = drain,
                                     .cancel = cancel};

    strvec_push_each(&arguments, "exec", name, "/bin/sh", "-c", "kill -9 -1", NULL);
    docker_run(docker, &call, &output, &ignored);
}

/* A third of the time that is left: one attempt that hangs must leave time for others. */
static long long some_time(long long deadline)
{
    const long long now = clock_now_ms();

    return now + (deadline - now) / 3;
}

int container_remove(const struct docker *docker, const char *name,
                     const struct process_drain *drain, long long deadline,
                     const struct notifier *cancel, struct error *error)
{
    static const struct timespec pause = {0, 200 * 1000000L};
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(error_release) struct error first = ERROR_INIT;
    struct docker_call call = {
        .arguments = &arguments, .stdin_file = -1, .drain = drain, .cancel = cancel};

    strvec_push_each(&arguments, "rm", "--force", "--volumes", name, NULL);
    do {
        CLEANUP(error_release) struct error failure = ERROR_INIT;

        call.deadline = some_time(deadline);
        if (docker_succeed(docker, &call, "cannot remove the container", NULL, &failure) == 0)
            return 0;
        /* The engine may be removing it already, on its own account (--rm). */
        if (!notifier_raised(cancel) && is_gone(docker, name, drain, some_time(deadline), cancel))
            return 0;
        if (first.kind == ERROR_NONE) /* later ones may be no more than the deadline */
            error_set(&first, failure.kind, "%s", failure.message);
        if (!notifier_raised(cancel))
            kill_inside(docker, name, drain, some_time(deadline), cancel);
        nanosleep(&pause, NULL);
    } while (clock_now_ms() < deadline && !notifier_raised(cancel));
    if (docker->given_up && !notifier_raised(cancel))
        docker->given_up(docker->given_up_context, name);
    return error_set(error, first.kind, "%s", first.message);
}
