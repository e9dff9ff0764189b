#include "container/instance.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "docker/budget.h"
#include "docker/engine_memory.h"

/* A container that has taken nothing of the files for so long takes no more. */
enum { TAKING_MS = 1000 };

void instance_free(struct instance *instance)
{
    process_release(&instance->client);
    supervisor_link_release(&instance->link);
    strbuf_release(&instance->message);
    owned_container_release(&instance->container);
    strvec_release(&instance->warnings);
    free(instance);
}

bool instance_begun(const struct instance *instance)
{
    return instance->link.state >= LINK_RUNNING || !instance->client.exited;
}

/* The descriptor that a channel waits for; -1: it does not. */
static int destination(const struct channel *channel)
{
    return channel->destination ? channel->destination(channel->context, channel->number) : -1;
}

/* Whether everything that has arrived was passed on. */
static bool is_flushed(const struct instance *instance)
{
    for (int i = 0; i < CHANNELS; i++)
        if (destination(&instance->channels[i]) >= 0)
            return false;
    return true;
}

static bool must_end(const struct instance *instance)
{
    for (int i = 0; i < CHANNELS; i++) {
        const struct channel *channel = &instance->channels[i];

        if (channel->must_end && channel->must_end(channel->context))
            return true;
    }
    return false;
}

static bool phase_is_reached(const struct instance *instance)
{
    const struct supervisor_link *link = &instance->link;

    if (link->broken)
        return true;
    switch (instance->phase) {
    case INSTANCE_MADE:
        return link->state >= LINK_READY;
    case INSTANCE_BEGUN:
        return link->state >= LINK_RUNNING;
    case INSTANCE_ENDED:
        return must_end(instance) || (link->state >= LINK_ENDED && is_flushed(instance));
    case INSTANCE_FILES:
        return link->state >= LINK_COLLECTED;
    case INSTANCE_STOPPED:
        break;
    }
    return link->state >= LINK_ENDED;
}

/* ---- what arrives */

/* Lets the supervisor send as many bytes as were taken, once they are worth a frame. */
static void grant(struct instance *instance, enum frame_channel channel, size_t taken)
{
    instance->taken[channel] += taken;
    if (instance->taken[channel] < FRAME_WINDOW / 4 || instance->client.in < 0)
        return;
    supervisor_link_grant(channel, instance->taken[channel], &instance->client.queue);
    instance->taken[channel] = 0;
}

/* Grants what the channel has dealt with. */
static void grant_dealt(struct instance *instance, enum frame_channel which)
{
    const struct channel *channel = &instance->channels[which];

    if (channel->dealt)
        grant(instance, which, channel->dealt(channel->context, channel->number));
}

void instance_set_channel(struct instance *instance, enum frame_channel which,
                          const struct channel *channel)
{
    static const struct channel none;

    grant_dealt(instance, which); /* another program may follow, which needs the credit */
    instance->channels[which] = channel ? *channel : none;
}

static void take(void *context, enum frame_channel which, const char *data, size_t length)
{
    struct instance *instance = context;
    const struct channel *channel = &instance->channels[which];

    if (channel->take)
        channel->take(channel->context, channel->number, data, length);
    if (channel->dealt)
        grant_dealt(instance, which);
    else
        grant(instance, which, length);
}

static void take_too_large(void *context, const char *path)
{
    const struct channel *files = &((struct instance *)context)->channels[CHANNEL_FILES];

    if (files->too_large)
        files->too_large(files->context, path);
}

static void feed_instance(struct instance *instance, enum process_stream stream, const char *data,
                          size_t length)
{
    static const struct supervisor_handler handler = {take, take_too_large};

    if (stream == PROCESS_STDERR)
        strbuf_add(&instance->message, data, length);
    else
        supervisor_link_feed(&instance->link, data, length, &handler, instance);
}

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct instance *instance = context;

    feed_instance(instance, stream, data, length);
    return !phase_is_reached(instance);
}

/* There is room where the bytes of the channel go. */
static void flush(void *context, int which)
{
    struct instance *instance = context;
    const struct channel *channel = &instance->channels[which];

    channel->flush(channel->context, channel->number);
    grant_dealt(instance, (enum frame_channel)which);
}

/* Live input is read only while isolator waits for the end of the program, not once it stops it. */
static int wanted_input(const struct instance *instance)
{
    if (instance->phase != INSTANCE_ENDED || instance->client.in < 0)
        return -1;
    return supervisor_link_wanted_input(&instance->link);
}

/* What has just arrived may be the reason not to. */
static void read_input(void *context, int number)
{
    struct instance *instance = context;

    (void)number;
    if (wanted_input(instance) >= 0)
        supervisor_link_read_input(&instance->link, &instance->client.queue);
}

static void watch_live_streams(void *context, struct loop *loop)
{
    struct instance *instance = context;

    for (int i = 0; i < CHANNELS; i++)
        loop_add(loop, destination(&instance->channels[i]), POLLOUT, flush, instance, i);
    loop_add(loop, wanted_input(instance), POLLIN, read_input, instance, 0);
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
    pump.watch = watch_live_streams;
    event = process_pump(&instance->client, &pump);
    instance->late = event == PROCESS_DEADLINE && phase != INSTANCE_ENDED;
    return event;
}

enum process_event instance_deliver(struct instance *instance, enum instance_phase phase,
                                    long long deadline, long long latest,
                                    const struct notifier *cancel)
{
    const long long start = clock_now_ms();
    const long long setup_ms = budget_ms(instance->container.docker, BUDGET_SETUP);
    const off_t *sent = &instance->link.archive_at;
    const long long last = latest > deadline ? latest : deadline;
    long long end = deadline - TAKING_MS;
    enum process_event event = instance_pump(instance, phase, end, cancel);
    bool takes_some = true;

    while (event == PROCESS_DEADLINE && takes_some && end < last) {
        const off_t before = *sent;

        end = end + TAKING_MS < last ? end + TAKING_MS : last;
        event = instance_pump(instance, phase, end, cancel);
        takes_some = *sent > before;
    }
    instance->too_many_files =
        event == PROCESS_DEADLINE && takes_some && end - start >= setup_ms / 2;
    return event;
}

static void send_request(struct instance *instance)
{
    instance->client.source = supervisor_link_send;
    instance->client.source_context = &instance->link;
}

void instance_send(struct instance *instance, const struct program_request *request)
{
    supervisor_link_request(&instance->link, request);
    send_request(instance);
}

void instance_keep(struct instance *instance, int archive, const struct frame_keep *order)
{
    supervisor_link_keep(&instance->link, archive, order);
    send_request(instance);
}

static long long earlier(long long one, long long other)
{
    return one < other ? one : other;
}

/* For a container that was told to end, or to end its program, and has not. */
static void lift_cpus(struct instance *instance, long long deadline)
{
    const struct process_drain drain = {&instance->client, take_bytes, instance};

    container_lift_cpus(instance->container.docker, instance->container.name, &drain, deadline);
}

void instance_stop(struct instance *instance)
{
    const long long deadline = budget_deadline(instance->container.docker, BUDGET_STOP);
    const long long soon = earlier(clock_now_ms() + CONTAINER_LIFT_AFTER_MS, deadline);

    if (instance->client.in >= 0)
        supervisor_link_stop(&instance->client.queue);
    if (instance_pump(instance, INSTANCE_STOPPED, soon, NULL) != PROCESS_DEADLINE)
        return;
    lift_cpus(instance, deadline);
    instance_pump(instance, INSTANCE_STOPPED, deadline, NULL);
}

void instance_interrupt(struct instance *instance)
{
    if (instance->client.in >= 0)
        supervisor_link_interrupt(&instance->client.queue);
}

bool instance_is_idle(const struct instance *instance)
{
    return supervisor_link_is_idle(&instance->link) && !instance->client.exited;
}

void instance_collect(struct instance *instance, long long file_max, long long max)
{
    if (instance->client.in >= 0)
        supervisor_link_collect(&instance->link, file_max, max, &instance->client.queue);
}

int instance_set_limits(struct instance *instance, const struct container_limits *limits,
                        long long deadline, const struct notifier *cancel, struct error *error)
{
    const struct owned_container *container = &instance->container;
    const struct container_limits wanted = container_limits_of_engine(container->docker, limits);
    const long long begin = clock_now_ms();

    if (container_limits_equal(&instance->limits, &wanted))
        return 0;
    if (container_update_limits(container->docker, container->name, &wanted, deadline, cancel,
                                error) != 0)
        return -1;
    docker_traced(container->docker, "resize", begin);
    instance->limits = wanted;
    return 0;
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

bool instance_wait_for_end(struct instance *instance, long long deadline)
{
    struct process_pump pump = PROCESS_PUMP_INIT;

    pump.sink = take_last_bytes;
    pump.context = instance;
    pump.deadline = deadline;
    return process_pump(&instance->client, &pump) == PROCESS_EXITED;
}

/* Whether more than the supervisor may be running. */
static bool has_processes(const struct instance *instance)
{
    return instance->link.state == LINK_RUNNING || instance->link.keeps_processes ||
           (instance->link.has_end && instance->link.end.stays == 1);
}

/* The same, until `end` (0: not set), but no longer than an ordinary end may take. */
static bool wait_for_client(struct instance *instance, long long end)
{
    const long long enough = budget_deadline(instance->container.docker, BUDGET_EXIT);
    const long long deadline = end == 0 ? enough : earlier(end, enough);

    if (has_processes(instance)) {
        const long long soon = earlier(clock_now_ms() + CONTAINER_LIFT_AFTER_MS, deadline);

        if (instance_wait_for_end(instance, soon))
            return true;
        lift_cpus(instance, deadline);
    }
    return instance_wait_for_end(instance, deadline);
}

/*
 * The supervisor exits when its stdin ends, and the docker command of a container with --rm returns
 * when the container is removed. Its status is 0 only if both succeeded. So normally no further
 * docker command is needed, which would cost more than everything else that remains to be done.
 */
int instance_remove(struct instance *instance, long long end, struct error *error)
{
    const struct process_drain drain = {&instance->client, take_last_bytes, instance};
    const bool ready = instance->link.state >= LINK_READY;
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
