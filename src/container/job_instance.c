#include "container/job_instance.h"

#include <stdio.h>

#include "base/memory.h"
#include "docker/budget.h"
#include "docker/container.h"

/* ---- the script */

/* Takes the request to succeed. */
static enum process_event assume_success(struct instance *instance, long long deadline,
                                         const struct notifier *cancel)
{
    (void)deadline;
    (void)cancel;
    while (!instance_phase_is_reached(instance))
        supervisor_link_assume_success(&instance->link);
    return PROCESS_PAUSED;
}

static void write_request(struct instance *instance, const struct program_request *request)
{
    if (request)
        job_script_count_program(instance->script, request);
    job_script_add_request(instance->script, &instance->link);
}

static void write_collect(struct instance *instance, long long max, struct strbuf *frames)
{
    job_script_count_files(instance->script, max);
    job_script_add(instance->script, frames);
}

static int write_detach(struct instance *instance, const struct container_limits *limits,
                        long long deadline, const struct notifier *cancel, struct error *error)
{
    (void)deadline;
    (void)cancel;
    (void)error;
    job_script_detach(instance->script, limits,
                      2 * budget_ms(instance->container.docker, BUDGET_SETUP));
    return 0;
}

static const struct transport script = {.pump = assume_success,
                                        .send = write_request,
                                        .collect = write_collect,
                                        .set_limits = write_detach,
                                        .is_ahead = true};

/* ---- the log */

static bool take_log(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct instance *instance = context;

    if (stream == PROCESS_STDERR)
        instance_feed(instance, stream, data, length);
    else
        job_log_add(instance->log, data, length);
    return !job_log_has_frame(instance->log) && !instance->log->reader.broken;
}

/* Reads the log until the phase is reached. `deadline` 0: as fast as files have to arrive. */
static enum process_event read_log(struct instance *instance, long long deadline,
                                   const struct notifier *cancel)
{
    struct process_pump pump = PROCESS_PUMP_INIT;
    enum process_event event = PROCESS_PAUSED;

    pump.sink = take_log;
    pump.context = instance;
    pump.cancel = notifier_fd(cancel);
    while (!instance_phase_is_reached(instance)) {
        if (job_log_next(instance->log, &instance->link, &instance_handler, instance))
            continue;
        instance->link.broken = instance->log->reader.broken;
        if (event != PROCESS_PAUSED || instance->link.broken)
            return event == PROCESS_CANCELLED ? event : PROCESS_EXITED;
        pump.deadline =
            deadline > 0 ? deadline : budget_deadline(instance->container.docker, BUDGET_FILES);
        event = process_pump(&instance->client, &pump);
        instance->log_is_late = event == PROCESS_DEADLINE;
    }
    return PROCESS_PAUSED;
}

/*
 * The supervisor alone ends programs at their deadlines. So these only bound the wait for what is
 * attached, with some time in addition; a container that has ended has no deadlines.
 */
static enum process_event read_start(struct instance *instance, long long deadline,
                                     const struct notifier *cancel)
{
    return read_log(instance, deadline + budget_ms(instance->container.docker, BUDGET_SETUP),
                    cancel);
}

static enum process_event read_whole(struct instance *instance, long long deadline,
                                     const struct notifier *cancel)
{
    (void)deadline;
    return read_log(instance, 0, cancel);
}

static void assume_sent(struct instance *instance, const struct program_request *request)
{
    (void)request;
    supervisor_link_assume_sent(&instance->link);
}

/* The container runs, and its limits are changed. */
static const struct transport start = {
    .pump = read_start, .send = assume_sent, .set_limits = instance_update_limits};

static const struct transport whole_log = {.pump = read_whole, .send = assume_sent};

/* ---- instances */

static struct instance *new_instance(const struct docker *docker, const struct transport *transport,
                                     long extra_mb)
{
    struct instance *instance = memory_allocate(sizeof *instance);

    *instance = (struct instance){.client = PROCESS_INIT,
                                  .transport = transport,
                                  .message = STRBUF_MAX(INSTANCE_MESSAGE_MAX),
                                  .container = {.docker = docker, .labels = STRVEC_INIT},
                                  .extra_mb = extra_mb};
    supervisor_link_init(&instance->link);
    instance->link.is_script = true;
    return instance;
}

struct instance *job_instance_of_script(const struct docker *docker, long extra_mb,
                                        struct job_script *file)
{
    struct instance *instance = new_instance(docker, &script, extra_mb);

    instance->script = file;
    instance->link.state = LINK_READY;
    return instance;
}

static struct instance *reader(const struct docker *docker, const struct transport *transport,
                               const char *container, long extra_mb, struct job_log *log)
{
    struct instance *instance = new_instance(docker, transport, extra_mb);

    instance->log = log;
    snprintf(instance->container.name, sizeof instance->container.name, "%s", container);
    instance->container.created = true;
    return instance;
}

struct instance *job_instance_start(const struct docker *docker, const char *container,
                                    const struct container_limits *limits, long extra_mb,
                                    struct job_log *log, struct error *error)
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_NULL};
    struct instance *instance = reader(docker, &start, container, extra_mb, log);

    instance->limits = *limits;
    instance->limits.memory_mb += extra_mb;
    if (container_start(docker, container, &streams, &instance->client, error) == 0)
        return instance;
    instance_free(instance);
    return NULL;
}

struct instance *job_instance_of_log(const struct docker *docker, const char *container,
                                     struct job_log *log, struct error *error)
{
    struct instance *instance = reader(docker, &whole_log, container, 0, log);

    if (container_logs(docker, container, false, &instance->client, error) == 0)
        return instance;
    instance_free(instance);
    return NULL;
}
