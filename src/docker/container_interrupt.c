/*
 * How a file gets into a container that runs.
 *
 * For cp, Docker before 29.5.1 mounts the volumes of the container once more, on the machine, by
 * paths in the container's root. A program that can rename a directory above such a volume can
 * direct the mount to another place of the machine (CVE-2026-42306, CVE-2026-41568). It cannot do
 * that with a volume directly below the root, as ours is, but perhaps with one that the image
 * declares. A paused container changes nothing.
 */
#include "docker/container.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "docker/budget.h"

enum { ATTEMPTS = 5 };

/* Runs a command of docker that takes only the name. */
static int tell(const struct docker *docker, const char *command, const char *name,
                const char *failure, struct error *error)
{
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_QUERY)};

    strvec_push_each(&call.arguments, command, name, NULL);
    return docker_succeed(docker, &call, failure, NULL, error);
}

/* What it may be paused for, and whether it is: by one of us that was killed. */
struct pause_state {
    int volumes;
    bool runs, paused;
};

static int inspect(const struct docker *docker, const char *name, struct pause_state *seen,
                   struct error *error)
{
    static const char cannot[] = "cannot inspect the container";
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.deadline = budget_deadline(docker, BUDGET_QUERY)};
    char runs[8], paused[8];

    strvec_push_each(&call.arguments, "inspect", "--type", "container", "--format",
                     "{{len .Mounts}} {{.State.Running}} {{.State.Paused}}", name, NULL);
    if (docker_succeed(docker, &call, cannot, &output, error) != 0)
        return -1;
    if (sscanf(strbuf_string(&output.out), "%9d %7s %7s", &seen->volumes, runs, paused) != 3)
        return error_set(error, ERROR_ENGINE, "%s: the engine does not say what it has", cannot);
    seen->runs = runs[0] == 't';
    seen->paused = paused[0] == 't';
    return 0;
}

/*
 * Sets *paused to whether it is paused now. Under cgroup v1, freezing the processes of a container
 * that has used up its share of the CPU can fail (runc, "unable to freeze"): that is tried again.
 */
static int pause_if_needed(const struct docker *docker, const char *name,
                           const struct notifier *cancel, bool *paused, struct error *error)
{
    static const struct timespec wait = {0, 100 * 1000000L};

    for (int attempt = 1;; attempt++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        struct pause_state seen;

        if (inspect(docker, name, &seen, error) != 0)
            return -1;
        *paused = seen.paused;
        if (seen.volumes <= 1 || !seen.runs || seen.paused)
            return 0;
        if (tell(docker, "pause", name, "cannot pause the container", &failure) == 0) {
            *paused = true;
            return 0;
        }
        if (attempt == ATTEMPTS || notifier_raised(cancel))
            return error_set(error, failure.kind, "%s", failure.message);
        nanosleep(&wait, NULL);
    }
}

int container_interrupt(const struct docker *docker, const char *name, const char *directory,
                        const char *what, int tar_file, long long deadline,
                        const struct notifier *cancel, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    bool paused = false;
    int result;

    if (pause_if_needed(docker, name, cancel, &paused, error) != 0)
        return -1;
    result = container_copy_in(docker, name, directory, what, tar_file, deadline, cancel, error);
    if (!paused || tell(docker, "unpause", name, "cannot resume the container", &failure) == 0 ||
        result != 0)
        return result;
    return error_set(error, failure.kind, "%s", failure.message);
}
