/*
 * How an instance ends: its program is ended by an order, and its container by the end of its stdin
 * or by force.
 */
#include "base/clock.h"
#include "container/delivery.h"
#include "container/instance.h"
#include "docker/budget.h"

/* Only frames still count. */
static bool take_last_bytes(void *context, enum process_stream stream, const char *data,
                            size_t length)
{
    instance_feed(context, stream, data, length);
    return true;
}

static long long earlier(long long one, long long other)
{
    return one < other ? one : other;
}

/* For a container that was told to end, or to end its program, and has not. */
static void lift_cpus(struct instance *instance, long long deadline)
{
    const struct process_drain drain = {&instance->client, take_last_bytes, instance};

    if (instance->transport->stays) /* and keeps its limits */
        return;
    container_lift_cpus(instance->container.docker, instance->container.name, &drain, deadline);
}

void instance_stop(struct instance *instance)
{
    const long long deadline = budget_deadline(instance->container.docker, BUDGET_STOP);
    const long long soon = earlier(clock_now_ms() + CONTAINER_LIFT_AFTER_MS, deadline);

    if (!instance->transport->is_connected) /* no one can be told */
        return;
    if (instance->client.in >= 0)
        supervisor_link_stop(&instance->link, &instance->client.queue);
    if (instance_pump(instance, INSTANCE_STOPPED, soon, NULL) != PROCESS_DEADLINE)
        return;
    lift_cpus(instance, deadline);
    instance_pump(instance, INSTANCE_STOPPED, deadline, NULL);
}

void instance_dismiss(struct instance *instance)
{
    process_close_stdin(&instance->client);
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

    if (!instance->transport->is_connected) /* its container has a life of its own */
        return 0;
    if (instance->transport->stays) {
        instance_dismiss(instance);
        wait_for_client(instance, end);
        return 0;
    }
    if (ready && !instance->late) {
        instance_dismiss(instance);
        if (wait_for_client(instance, end) && instance->client.status == 0 &&
            delivery_auto_remove(instance->delivery, instance->container.docker)) {
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
