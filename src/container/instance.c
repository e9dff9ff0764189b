#include "container/instance.h"

#include "container/instance_feed.h"
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

static bool phase_is_reached(const void *context)
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

static const struct supervisor_handler handler = {take, take_too_large, take_omitted};

void instance_feed(struct instance *instance, enum process_stream stream, const char *data,
                   size_t length)
{
    if (stream == PROCESS_STDERR)
        strbuf_add(&instance->message, data, length);
    else
        supervisor_link_feed(&instance->link, data, length, &handler, instance);
}

static bool take_bytes(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct instance *instance = context;

    instance_feed(instance, stream, data, length);
    instance_send_network(instance);
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
    instance_watch_network(instance, loop);
}

/* ---- instances of a job */

static bool take_log(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct instance *instance = context;

    if (stream == PROCESS_STDERR)
        strbuf_add(&instance->message, data, length);
    else
        job_log_add(instance->log, data, length);
    return !job_log_has_frame(instance->log) && !instance->log->reader.broken;
}

/*
 * Reads the log until the phase is reached. The supervisor alone ends programs at their deadlines.
 * So these only bound the wait for what is attached, with some time in addition; what is in the log
 * of a container that has ended has to arrive as fast as files do.
 */
static enum process_event read_log(struct instance *instance, long long deadline,
                                   const struct notifier *cancel)
{
    const struct docker *docker = instance->container.docker;
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event = PROCESS_PAUSED;

    pump.sink = take_log;
    pump.context = instance;
    pump.cancel = notifier_fd(cancel);
    while (!phase_is_reached(instance)) {
        if (job_log_next(instance->log, &instance->link, &handler, instance))
            continue;
        if (event != PROCESS_PAUSED || instance->log->reader.broken)
            return event == PROCESS_CANCELLED ? event : PROCESS_EXITED;
        pump.deadline = instance->is_attached ? deadline + budget_ms(docker, BUDGET_SETUP)
                                              : budget_deadline(docker, BUDGET_FILES);
        event = process_pump(&instance->client, &pump);
        instance->log_is_late = event == PROCESS_DEADLINE;
    }
    return PROCESS_PAUSED;
}

/* Takes the request to succeed. */
static enum process_event write_script(struct instance *instance)
{
    while (!phase_is_reached(instance))
        supervisor_link_assume_success(&instance->link);
    return PROCESS_PAUSED;
}

enum process_event instance_pump(struct instance *instance, enum instance_phase phase,
                                 long long deadline, const struct notifier *cancel)
{
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event;

    instance->phase = phase;
    if (phase_is_reached(instance))
        return PROCESS_PAUSED;
    if (instance->script)
        return write_script(instance);
    if (instance->log)
        return read_log(instance, deadline, cancel);
    pump.sink = take_bytes;
    pump.context = instance;
    pump.deadline = deadline;
    pump.cancel = notifier_fd(cancel);
    pump.watch = watch_live_streams;
    pump.is_done = phase_is_reached; /* by what a channel has passed on, too */
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
    if (instance->script)
        job_script_add_request(instance->script, &instance->link);
    else if (instance->log)
        supervisor_link_assume_sent(&instance->link);
    if (instance->script || instance->log)
        return;
    instance->client.source = supervisor_link_send;
    instance->client.source_context = &instance->link;
}

void instance_send(struct instance *instance, const struct program_request *request)
{
    supervisor_link_request(&instance->link, request);
    if (instance->script)
        job_script_count_program(instance->script, request);
    send_request(instance);
}

void instance_keep(struct instance *instance, int archive, const struct frame_keep *order)
{
    supervisor_link_keep(&instance->link, archive, order);
    send_request(instance);
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

    if (instance->client.in >= 0 || instance->script || instance->log)
        supervisor_link_collect(&instance->link, file_max, max, &frames);
    if (instance->script) {
        job_script_count_files(instance->script, max);
        job_script_add(instance->script, &frames);
    } else if (instance->client.in >= 0) {
        process_write(&instance->client, frames.data, frames.length);
    }
}

int instance_set_limits(struct instance *instance, const struct container_limits *limits,
                        long long deadline, const struct notifier *cancel, struct error *error)
{
    const struct owned_container *container = &instance->container;
    struct container_limits wanted = container_limits_of_engine(container->docker, limits);
    const long long begin = clock_now_ms();

    wanted.memory_mb += instance->extra_mb;
    if (instance->script)
        job_script_detach(instance->script, &wanted,
                          2 * budget_ms(container->docker, BUDGET_SETUP));
    if (instance->script || (instance->log && !instance->is_attached) ||
        container_limits_equal(&instance->limits, &wanted))
        return 0;
    if (instance->link.is_gvisor)
        return error_set(error, ERROR_ENGINE,
                         "gVisor cannot change the limits of a container that runs");
    if (container_update_limits(container->docker, container->name, &wanted, deadline, cancel,
                                error) != 0)
        return -1;
    docker_traced(container->docker, "resize", begin);
    instance->limits = wanted;
    instance->link.was_resized = true;
    return 0;
}

bool instance_waits(const struct instance *instance)
{
    struct pollfd polled = {instance->client.pidfd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}
