#include "container/workspace_instance.h"

#include <poll.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "docker/budget.h"
#include "docker/explain.h"

enum { RETRIES_MS = 3000, RETRY_PAUSE_MS = 100, END_IS_KNOWN_MS = 1000 };

void workspace_instance_words(struct strvec *command, const char *key, long long ends,
                              long long idle_seconds)
{
    strvec_push(command, WORKSPACE_OPTION);
    strvec_pushf(command, "%.*s", WORKSPACE_NAME_LENGTH, key);
    strvec_pushf(command, "%lld", ends);
    strvec_pushf(command, "%lld", idle_seconds);
}

static struct instance *new_instance(const struct workspace_place *place,
                                     const struct container_limits *limits)
{
    struct instance *instance = memory_allocate(sizeof *instance);
    struct owned_container *container = &instance->container;

    *instance = (struct instance){.client = PROCESS_INIT,
                                  .transport = &transport_visit,
                                  .message = STRBUF_MAX(INSTANCE_MESSAGE_MAX),
                                  .container = {.docker = place->docker, .labels = STRVEC_INIT},
                                  .limits = container_limits_of_engine(place->docker, limits)};
    supervisor_link_init(&instance->link);
    snprintf(container->name, sizeof container->name, "%s", place->container);
    container->created = true;
    owned_container_set_image(container, place->image);
    return instance;
}

/* Why a workspace has ended, by the status of its process 1; NULL: none of these. */
static const char *why_ended(int status)
{
    switch (status) {
    case WORKSPACE_ENDED:
        return "its lifetime is over";
    case WORKSPACE_IDLE:
        return "it was not used for a while";
    case WORKSPACE_STOPPED:
        return "it was stopped";
    default:
        return NULL;
    }
}

/* Sets the error if the container has ended, or is not there. False: it runs, or is not known. */
static bool explain_end(const struct workspace_place *place, const struct notifier *cancel,
                        struct error *error)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const long long deadline = budget_deadline(place->docker, BUDGET_QUERY);
    struct container_state state;
    const char *why;

    if (container_inspect(place->docker, place->container, deadline, &state, &ignored) != 0) {
        if (docker_engine_answers(place->docker, deadline, cancel) != DOCKER_YES)
            return false;
        error_set(
            error, ERROR_INPUT,
            "the workspace is not on this engine: it was removed, or is on another engine; to "
            "forget it, use isolator rm");
        return true;
    }
    if (!state.ended)
        return false;
    why = why_ended(state.exit_code);
    if (!why && state.oom_killed)
        why = "its memory ran out";
    error_set(error, ERROR_INPUT, "the workspace has ended%s%s", why ? ": " : "",
              why ? why : "; the engine may have been restarted");
    return true;
}

bool workspace_instance_explain_end(const struct workspace_place *place,
                                    const struct notifier *cancel, struct error *error)
{
    const long long deadline = clock_now_ms() + END_IS_KNOWN_MS;

    while (!explain_end(place, cancel, error)) {
        if (clock_now_ms() >= deadline || notifier_raised(cancel))
            return false;
        poll(NULL, 0, RETRY_PAUSE_MS);
    }
    return true;
}

/* The supervisor has said nothing. False: the workspace runs, and another try may help. */
static bool explain(const struct workspace_place *place, const struct instance *instance,
                    enum process_event event, bool is_last, const struct notifier *cancel,
                    struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&instance->message);

    if (event == PROCESS_CANCELLED)
        owned_container_set_cancelled(error);
    else if (instance->link.is_other_version)
        error_set(error, ERROR_INPUT,
                  "the workspace was made by another version of isolator, which alone can use it; "
                  "with this one, remove it with isolator rm --force and make another");
    else if (explain_end(place, cancel, error))
        return true;
    else if (event == PROCESS_DEADLINE)
        error_set(error, ERROR_INPUT, WORKSPACE_INSTANCE_IN_USE);
    else if (is_last)
        docker_explain(place->docker, place->image, "cannot enter the workspace",
                       instance->link.broken ? "what it wrote is not from the supervisor" : message,
                       cancel, error);
    else
        return false;
    return true;
}

/* -1 if no docker command could be started. */
static int enter(const struct workspace_place *place, struct instance *instance, long long deadline,
                 const struct notifier *cancel, enum process_event *event, struct error *error)
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    CLEANUP(strvec_release) struct strvec command = STRVEC_INIT;
    const long long begin = clock_now_ms();

    strvec_push_each(&command, DELIVERY_VOLUME_PATH, ATTACH_OPTION, NULL);
    strvec_pushf(&command, "%.*s", WORKSPACE_NAME_LENGTH, place->key);
    if (container_exec(place->docker, place->container, &command, &streams, &instance->client,
                       error) != 0)
        return -1;
    supervisor_link_attach(&instance->client.queue);
    *event = instance_pump(instance, INSTANCE_MADE, deadline, cancel);
    docker_traced(place->docker, "enter", begin);
    return 0;
}

struct instance *workspace_instance_visit(const struct workspace_place *place,
                                          const struct container_limits *limits, long long deadline,
                                          const struct notifier *cancel, struct error *error)
{
    const long long last_try = clock_now_ms() + RETRIES_MS;

    for (;;) {
        struct instance *instance = new_instance(place, limits);
        const bool is_last = clock_now_ms() >= last_try;
        enum process_event event;
        const bool started = enter(place, instance, deadline, cancel, &event, error) == 0;
        bool over = !started;

        if (started && event == PROCESS_PAUSED && instance->link.state == LINK_READY &&
            !instance->link.broken)
            return instance;
        if (started)
            over = explain(place, instance, event, is_last, cancel, error);
        instance_free(instance);
        if (over)
            return NULL;
        poll(NULL, 0, RETRY_PAUSE_MS);
    }
}
