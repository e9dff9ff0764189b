#include "container/job_instance.h"

#include <stdio.h>

#include "base/memory.h"
#include "docker/container.h"

static struct instance *new_instance(const struct docker *docker, long extra_mb)
{
    struct instance *instance = memory_allocate(sizeof *instance);

    *instance = (struct instance){.client = PROCESS_INIT,
                                  .message = STRBUF_MAX(INSTANCE_MESSAGE_MAX),
                                  .container = {.docker = docker, .labels = STRVEC_INIT},
                                  .extra_mb = extra_mb};
    supervisor_link_init(&instance->link);
    instance->link.is_script = true;
    return instance;
}

struct instance *job_instance_of_script(const struct docker *docker, long extra_mb,
                                        struct job_script *script)
{
    struct instance *instance = new_instance(docker, extra_mb);

    instance->script = script;
    instance->link.state = LINK_READY;
    return instance;
}

static struct instance *reader(const struct docker *docker, const char *container, long extra_mb,
                               struct job_log *log)
{
    struct instance *instance = new_instance(docker, extra_mb);

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
    struct instance *instance = reader(docker, container, extra_mb, log);

    instance->is_attached = true;
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
    struct instance *instance = reader(docker, container, 0, log);

    if (container_logs(docker, container, false, &instance->client, error) == 0)
        return instance;
    instance_free(instance);
    return NULL;
}
