#include "run/instance.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "docker/budget.h"
#include "docker/explain.h"

/* The context of take_instance_bytes(). */
struct instance_stream {
    struct instance *instance;
    int number; /* 0 stdout, 1 stderr */
};

struct instance *instance_new(const struct docker *docker, const struct plan *plan,
                              const char *nonce, long long in_use_ms)
{
    struct instance *instance = memory_allocate(sizeof *instance);

    *instance = (struct instance){
        .client = PROCESS_INIT, .fingerprint = instance_fingerprint(plan), .warnings = STRVEC_INIT};
    owned_container_init(&instance->container, docker, plan, in_use_ms);
    if (nonce)
        memcpy(instance->nonce, nonce, sizeof instance->nonce);
    else
        linux_random_digits(instance->nonce, sizeof instance->nonce);
    supervisor_stream_init(&instance->streams[0], instance->nonce);
    supervisor_stream_init(&instance->streams[1], instance->nonce);
    return instance;
}

void instance_free(struct instance *instance)
{
    process_release(&instance->client);
    supervisor_stream_release(&instance->streams[0]);
    supervisor_stream_release(&instance->streams[1]);
    owned_container_release(&instance->container);
    strvec_release(&instance->warnings);
    free(instance);
}

/* The spec borrows from all three. */
static struct container_spec instance_spec(struct owned_container *container,
                                           const struct plan *plan, const struct strvec *command)
{
    struct container_spec spec = owned_container_spec(container, plan);

    spec.auto_remove = true;
    spec.command = command;
    spec.tmpfs[1] =
        (struct container_tmpfs){plan->workdir, (long)plan->policy.limits.number[LIMIT_WORKDIR]};
    return spec;
}

struct spec_fingerprint instance_fingerprint(const struct plan *plan)
{
    struct owned_container nameless = {.labels = STRVEC_INIT};
    CLEANUP(strvec_release) struct strvec command = supervisor_command("", plan->workdir);
    const struct container_spec spec = instance_spec(&nameless, plan, &command);

    return container_fingerprint(&spec);
}

bool instance_begun(const struct instance *instance)
{
    return instance_either(instance, SUPERVISOR_RUNNING) || !instance->client.exited;
}

bool instance_either(const struct instance *instance, enum supervisor_state state)
{
    return instance->streams[0].state >= state || instance->streams[1].state >= state;
}

bool instance_both(const struct instance *instance, enum supervisor_state state)
{
    return instance->streams[0].state >= state && instance->streams[1].state >= state;
}

static bool phase_is_reached(const struct instance *instance)
{
    const struct supervisor_stream *stream = &instance->streams[1];

    switch (instance->phase) {
    case INSTANCE_MADE:
        return stream->ready || stream->failure[0] != '\0';
    case INSTANCE_BEGUN:
        /* The docker command may pass on the other stream only when this one has been read. */
        return instance_either(instance, SUPERVISOR_RUNNING) || stream->failure[0] != '\0';
    case INSTANCE_ENDED:
        return instance_both(instance, SUPERVISOR_ENDED) || output_sink_must_end(instance->output);
    case INSTANCE_FILES:
        return instance->collected;
    case INSTANCE_STOPPED:
        break;
    }
    return instance_both(instance, SUPERVISOR_ENDED);
}

/* A hostile image may claim that a program has begun before it got one. */
static void take_instance_bytes(void *context, enum supervisor_state state, const char *data,
                                size_t length)
{
    const struct instance_stream *stream = context;
    struct instance *instance = stream->instance;

    if (state == SUPERVISOR_RUNNING && instance->output)
        output_sink_add(instance->output, stream->number, data, length);
    else if (state == SUPERVISOR_FILES && instance->collector)
        instance->collected = !collector_feed(instance->collector, data, length);
}

static void feed_instance(struct instance *instance, enum process_stream stream, const char *data,
                          size_t length)
{
    struct instance_stream context = {instance, (int)stream};

    supervisor_stream_feed(&instance->streams[stream], data, length, take_instance_bytes, &context);
}

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    const struct instance *instance = context;
    const enum supervisor_state before = instance->streams[stream].state;

    feed_instance(context, stream, data, length);
    return !phase_is_reached(instance) && instance->streams[stream].state == before;
}

/*
 * Output of the program that is copied to a descriptor is read only while that has room. Nothing
 * else may wait for room, since a destination that takes nothing would keep the program from
 * beginning. So everything before the frame "begin" is read byte by byte: no byte of the program is
 * read by accident.
 */
static void hold_back(const struct instance *instance, struct process_pump *pump)
{
    for (int i = 0; i < 2; i++) {
        const enum supervisor_state state = instance->streams[i].state;
        const int live = instance->output ? instance->output->live[i] : -1;

        pump->throttle[i] = state == SUPERVISOR_RUNNING ? live : -1;
        pump->max_read[i] = live >= 0 && state < SUPERVISOR_RUNNING ? 1 : 0;
    }
}

enum process_event instance_pump(struct instance *instance, enum instance_phase phase,
                                 long long deadline, const struct notifier *cancel)
{
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event;

    instance->phase = phase;
    if (phase_is_reached(instance))
        return PROCESS_PAUSED;
    pump.sink = take_bytes;
    pump.context = instance;
    pump.deadline = deadline;
    pump.cancel = notifier_fd(cancel);
    if (instance->output)
        output_sink_wait(instance->output, deadline, cancel);
    do {
        hold_back(instance, &pump);
        event = process_pump(&instance->client, &pump);
    } while (event == PROCESS_PAUSED && !phase_is_reached(instance));
    instance->late = event == PROCESS_DEADLINE && phase != INSTANCE_ENDED;
    return event;
}

/* Sets the error: why the supervisor is not ready. Returns -1. */
static int explain_not_ready(struct instance *instance, enum process_event event,
                             const struct notifier *cancel, struct error *error)
{
    const struct supervisor_stream *stream = &instance->streams[1];
    CLEANUP_FREE char *message = docker_message(&stream->preamble);

    if (owned_container_set_interrupted(event, "the engine did not start the container in time",
                                        message, error))
        return -1;
    if (stream->failure[0] == '\0')
        instance->supervisor = INSTANCE_SUPERVISOR_SILENT;
    else if (strcmp(stream->failure, "tools") == 0)
        instance->supervisor = INSTANCE_SUPERVISOR_NO_TOOLS;
    return docker_explain(
        instance->container.docker, instance->container.image, "cannot start the container",
        *message ? message : "'docker start' ended without a message", cancel, error);
}

static int start_instance(struct instance *instance, long long deadline,
                          const struct notifier *cancel, struct error *error)
{
    const struct docker *docker = instance->container.docker;
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    const long long begin = clock_now_ms();
    enum process_event event;

    if (notifier_raised(cancel))
        return owned_container_set_cancelled(error);
    if (container_start(docker, instance->container.name, &streams, &instance->client, error) != 0)
        return -1;
    event = instance_pump(instance, INSTANCE_MADE, deadline, cancel);
    docker_traced(docker, "start", begin);
    if (event != PROCESS_PAUSED || !instance->streams[1].ready)
        return explain_not_ready(instance, event, cancel, error);
    instance->made = clock_now_ms();
    return 0;
}

int instance_make(struct instance *instance, const struct plan *plan, long long deadline,
                  long long end, const struct notifier *cancel, struct error *error)
{
    CLEANUP(strvec_release)
    struct strvec command = supervisor_command(instance->nonce, plan->workdir);
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    const struct container_spec spec = instance_spec(&instance->container, plan, &command);

    if (owned_container_create(&instance->container, &spec, deadline, end, cancel,
                               &instance->warnings, error) != 0)
        return -1;
    if (start_instance(instance, deadline, cancel, error) == 0)
        return 0;
    if (instance_remove(instance, end, &failure) != 0)
        strvec_push(&instance->warnings, failure.message);
    return -1;
}

bool instance_waits(const struct instance *instance)
{
    struct pollfd polled = {instance->client.pidfd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}

void instance_dismiss(struct instance *instance)
{
    process_close_stdin(&instance->client);
}

/* Only frames still count. */
static bool take_last_bytes(void *context, enum process_stream stream, const char *data,
                            size_t length)
{
    feed_instance(context, stream, data, length);
    return true;
}

/* Waits until `docker start` ends, which it does when the container is removed. */
static bool wait_for_client(struct instance *instance, long long end)
{
    const long long enough = budget_deadline(instance->container.docker, BUDGET_EXIT);
    struct process_pump pump = PROCESS_PUMP_INIT;

    pump.sink = take_last_bytes;
    pump.context = instance;
    pump.deadline = end == 0 || end > enough ? enough : end;
    return process_pump(&instance->client, &pump) == PROCESS_EXITED;
}

/*
 * The supervisor exits when its stdin ends, and `docker start` of a container with --rm returns
 * when the container is removed. Its status is 0 only if both succeeded. So normally no further
 * docker command is needed, which would cost more than everything else that remains to be done.
 */
int instance_remove(struct instance *instance, long long end, struct error *error)
{
    const struct process_drain drain = {&instance->client, take_last_bytes, instance};
    const bool ready = instance->streams[1].ready;
    const long long begin = clock_now_ms();

    if (ready && !instance->late) {
        instance_dismiss(instance);
        if (wait_for_client(instance, end) && instance->client.status == 0) {
            docker_traced(instance->container.docker, "end", begin);
            return 0;
        }
    }
    if (owned_container_remove(&instance->container, &drain, end, error) != 0)
        return -1;
    if (ready) /* its last frames may not have arrived yet */
        wait_for_client(instance, 0);
    return 0;
}
