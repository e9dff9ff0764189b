#include "container/instance.h"

#include "container/instance_network.h"

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
    free(instance->share.forks);
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

bool instance_phase_is_reached(const void *context)
{
    const struct instance *instance = context;
    const struct supervisor_link *link = &instance->link;

    if (link->broken)
        return true;
    switch (instance->phase) {
    case INSTANCE_MADE:
        return link->state >= LINK_READY;
    case INSTANCE_READY:
        return !link->makes_ready || link->failure.step != 0;
    case INSTANCE_BEGUN:
        return link->state >= LINK_RUNNING;
    case INSTANCE_ENDED:
        return must_end(instance) || (link->state >= LINK_ENDED && is_flushed(instance));
    case INSTANCE_FILES:
        return link->state >= LINK_COLLECTED;
    case INSTANCE_DETACHED:
        return link->detached || link->failure.step != 0;
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
    supervisor_link_grant(&instance->link, channel, instance->taken[channel],
                          &instance->client.queue);
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

static void take_omitted(void *context, enum frame_channel which, unsigned long long bytes)
{
    const struct channel *channel = &((struct instance *)context)->channels[which];

    if (channel->omitted)
        channel->omitted(channel->context, channel->number, bytes);
}

static void take_too_large(void *context, const char *path)
{
    const struct channel *files = &((struct instance *)context)->channels[CHANNEL_FILES];

    if (files->too_large)
        files->too_large(files->context, path);
}

const struct supervisor_handler instance_handler = {take, take_too_large, take_omitted};

void instance_feed(struct instance *instance, enum process_stream stream, const char *data,
                   size_t length)
{
    if (stream == PROCESS_STDERR)
        strbuf_add(&instance->message, data, length);
    else
        supervisor_link_feed(&instance->link, data, length, &instance_handler, instance);
}

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct instance *instance = context;

    instance_feed(instance, stream, data, length);
    instance_send_network(instance);
    return !instance_phase_is_reached(instance);
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
    instance_watch_network(instance, loop);
}

/* ---- the pipes of a docker command */

static enum process_event pump_pipe(struct instance *instance, long long deadline,
                                    const struct notifier *cancel)
{
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event;

    pump.sink = take_bytes;
    pump.context = instance;
    pump.deadline = deadline;
    pump.cancel = notifier_fd(cancel);
    pump.watch = watch_live_streams;
    pump.is_done = instance_phase_is_reached; /* by what a channel has passed on, too */
    event = process_pump(&instance->client, &pump);
    instance->late = event == PROCESS_DEADLINE && instance->phase != INSTANCE_ENDED;
    return event;
}

static void send_to_pipe(struct instance *instance, const struct program_request *request)
{
    (void)request;
    instance->client.source = supervisor_link_send;
    instance->client.source_context = &instance->link;
}

static void collect_by_pipe(struct instance *instance, long long max, struct strbuf *frames)
{
    (void)max;
    if (instance->client.in >= 0)
        process_write(&instance->client, frames->data, frames->length);
}

int instance_update_limits(struct instance *instance, const struct container_limits *limits,
                           long long deadline, const struct notifier *cancel, struct error *error)
{
    const struct owned_container *container = &instance->container;
    const long long begin = clock_now_ms();

    if (container_limits_equal(&instance->limits, limits))
        return 0;
    if (instance->link.is_gvisor)
        return error_set(error, ERROR_ENGINE,
                         "gVisor cannot change the limits of a container that runs");
    if (container_update_limits(container->docker, container->name, limits, deadline, cancel,
                                error) != 0)
        return -1;
    docker_traced(container->docker, "resize", begin);
    instance->limits = *limits;
    instance->link.was_resized = true;
    return 0;
}

const struct transport transport_pipe = {.pump = pump_pipe,
                                         .send = send_to_pipe,
                                         .collect = collect_by_pipe,
                                         .set_limits = instance_update_limits,
                                         .is_connected = true};

const struct transport transport_visit = {.pump = pump_pipe,
                                          .send = send_to_pipe,
                                          .collect = collect_by_pipe,
                                          .is_connected = true,
                                          .stays = true};

/* ---- by any transport */

enum process_event instance_pump(struct instance *instance, enum instance_phase phase,
                                 long long deadline, const struct notifier *cancel)
{
    instance->phase = phase;
    return instance_phase_is_reached(instance)
               ? PROCESS_PAUSED
               : instance->transport->pump(instance, deadline, cancel);
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

void instance_send(struct instance *instance, const struct program_request *request)
{
    supervisor_link_request(&instance->link, request);
    instance->transport->send(instance, request);
}

void instance_keep(struct instance *instance, int archive, const struct frame_keep *order,
                   const struct frame_restore *restore)
{
    supervisor_link_keep(&instance->link, archive, order, restore);
    instance->transport->send(instance, NULL);
}

void instance_store(struct instance *instance, int archive)
{
    supervisor_link_store(&instance->link, archive);
    instance->transport->send(instance, NULL);
}

void instance_let_go(struct instance *instance)
{
    if (instance->client.in >= 0)
        supervisor_link_let_go(&instance->link, &instance->client.queue);
}

void instance_interrupt(struct instance *instance)
{
    if (instance->client.in >= 0)
        supervisor_link_interrupt(&instance->link, &instance->client.queue);
}

void instance_extend(struct instance *instance, long long ms)
{
    if (instance->client.in >= 0)
        supervisor_link_extend(&instance->link, ms, &instance->client.queue);
}

bool instance_is_idle(const struct instance *instance)
{
    return supervisor_link_is_idle(&instance->link) && !instance->client.exited;
}

void instance_collect(struct instance *instance, long long file_max, long long max)
{
    CLEANUP(strbuf_release) struct strbuf frames = STRBUF_INIT;

    supervisor_link_collect(&instance->link, file_max, max, &frames);
    if (instance->transport->collect)
        instance->transport->collect(instance, max, &frames);
}

int instance_set_limits(struct instance *instance, const struct container_limits *limits,
                        long long deadline, const struct notifier *cancel, struct error *error)
{
    struct container_limits wanted = container_limits_of_engine(instance->container.docker, limits);

    wanted.memory_mb += instance->extra_mb;
    return instance->transport->set_limits
               ? instance->transport->set_limits(instance, &wanted, deadline, cancel, error)
               : 0;
}

bool instance_waits(const struct instance *instance)
{
    struct pollfd polled = {instance->client.pidfd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}
