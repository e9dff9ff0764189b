#include "container/instance_network.h"

/* Whether isolator waits for the program, and has not stopped it. */
static bool is_served(const struct instance *instance)
{
    return (instance->phase == INSTANCE_BEGUN || instance->phase == INSTANCE_ENDED) &&
           instance->client.in >= 0 && instance->channels[CHANNEL_NETWORK].give;
}

void instance_send_network(struct instance *instance)
{
    const struct channel *channel = &instance->channels[CHANNEL_NETWORK];
    char bytes[FRAME_CHUNK];
    size_t room;

    while (is_served(instance) && (room = supervisor_link_network_room(&instance->link)) > 0) {
        const size_t length = channel->give(channel->context, bytes, room);

        if (length == 0)
            return;
        supervisor_link_send_network(&instance->link, bytes, length, &instance->client.queue);
    }
}

static void serve(void *context, int number)
{
    struct instance *instance = context;
    const struct channel *channel = &instance->channels[CHANNEL_NETWORK];

    (void)number;
    if (!is_served(instance))
        return;
    channel->serve(channel->context);
    instance_send_network(instance);
}

void instance_watch_network(struct instance *instance, struct loop *loop)
{
    const struct channel *channel = &instance->channels[CHANNEL_NETWORK];

    if (is_served(instance))
        loop_add(loop, channel->source(channel->context), POLLIN, serve, instance, 0);
}
