/*
 * What the engine records about a container: its state.
 */
#include "docker/container.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "docker/engine_kind.h"
#include "docker/engine_time.h"

static const char CANNOT[] = "cannot inspect the container";

bool container_state_read(struct container_state *state, const char *text)
{
    char oom_killed[8], started[64], finished[64];
    long long start, end;

    *state = (struct container_state){.message = ""};
    if (sscanf(text, "%9d %7s \"%63[^\"]\" \"%63[^\"]\" %511[^\n]", &state->exit_code, oom_killed,
               started, finished, state->message) < 4 ||
        !engine_time_parse(started, &start) || !engine_time_parse(finished, &end))
        return false;
    state->oom_killed = strcmp(oom_killed, "true") == 0;
    state->started = start > 0; /* engines write "never" as a time in the year 1 */
    state->ended = end > 0;
    return true;
}

int container_inspect(const struct docker *docker, const char *name, long long deadline,
                      struct container_state *state, struct error *error)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline};

    strvec_push_each(&call.arguments, "inspect", "--type", "container", "--format", NULL);
    strvec_push_each(&call.arguments,
                     "{{.State.ExitCode}} {{.State.OOMKilled}} {{json .State.StartedAt}} "
                     "{{json .State.FinishedAt}} {{.State.Error}}",
                     name, NULL);
    if (docker_succeed(docker, &call, CANNOT, &output, error) != 0)
        return -1;
    if (!container_state_read(state, strbuf_string(&output.out))) {
        CLEANUP_FREE char *message = docker_failure(docker, &call, &output);
        return error_set(error, ERROR_ENGINE, "%s: %s", CANNOT, message);
    }
    return 0;
}

/* `events` has a line "ACTION EXIT-CODE" for each. */
static enum container_end read_events(const char *events, int status)
{
    const char *end = strstr(events, "die ");
    int exit_code;

    if (!end || sscanf(end, "die %9d", &exit_code) != 1)
        return CONTAINER_CONNECTION_LOST;
    if (exit_code == 128 + SIGKILL && !strstr(events, "kill "))
        return CONTAINER_KILLED_BY_KERNEL;
    return exit_code == status ? CONTAINER_END_UNKNOWN : CONTAINER_CONNECTION_LOST;
}

enum container_end container_end_of(const struct docker *docker, const char *name, int status,
                                    long long deadline)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline};
    struct timespec now;

    if (!engine_has_events(docker->kind))
        return CONTAINER_END_UNKNOWN;
    clock_gettime(CLOCK_REALTIME, &now);
    strvec_push_each(&call.arguments, "events", "--since", "24h", "--until", NULL);
    /* Not "0s", which leaves out the events of this second. */
    strvec_pushf(&call.arguments, "%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
    strvec_push(&call.arguments, "--filter");
    strvec_pushf(&call.arguments, "container=%s", name);
    strvec_push_each(&call.arguments, "--format", "{{.Action}} {{.Actor.Attributes.exitCode}}",
                     NULL);
    return docker_run(docker, &call, &output, &ignored) == 0 && output.status == 0
               ? read_events(strbuf_string(&output.out), status)
               : CONTAINER_CONNECTION_LOST;
}
