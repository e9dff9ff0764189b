/*
 * How an instance reaches the supervisor of its container. A transport is one table; nothing else
 * depends on which it is. There are: the pipes of an attached docker command (container/
 * instance.c), whose frames are sealed if need be (container/supervisor_send.c); those of a docker
 * command that visits a container which goes on (container/workspace_instance.c); and of a job
 * (container/job_instance.c) a script that is written in advance, the start of the container, and
 * its log.
 */
#ifndef CONTAINER_TRANSPORT_H
#define CONTAINER_TRANSPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "container/program_request.h"
#include "docker/container_limits.h"

struct instance;
struct supervisor_handler;

struct transport {
    /* Waits until instance->phase is reached, which it is not yet; else as instance_pump(). */
    enum process_event (*pump)(struct instance *instance, long long deadline,
                               const struct notifier *cancel);
    /* Sends what the link has prepared: a program, or KEEP if `request` is NULL. */
    void (*send)(struct instance *instance, const struct program_request *request);
    /* Sends the frames of COLLECT, for files of at most `max` bytes together. NULL: they were. */
    void (*collect)(struct instance *instance, long long max, struct strbuf *frames);
    /* Gives the container these limits, as instance_set_limits() does. NULL: it has ended. */
    int (*set_limits)(struct instance *instance, const struct container_limits *limits,
                      long long deadline, const struct notifier *cancel, struct error *error);
    bool is_connected; /* orders arrive at once, and the container ends with the instance */
    bool stays;        /* but that goes on, and others come to it: of a workspace */
    bool is_ahead;     /* nothing has run: each request is taken to succeed */
};

extern const struct transport transport_pipe, transport_visit;

/* ---- for transports alone */

/* Whether the instance, a struct instance, has reached its phase. */
bool instance_phase_is_reached(const void *instance);

/* Take what the docker command of the instance has written; what its frames carry. */
void instance_feed(struct instance *instance, enum process_stream stream, const char *data,
                   size_t length);
extern const struct supervisor_handler instance_handler;

/* instance_set_limits() by a docker command. */
int instance_update_limits(struct instance *instance, const struct container_limits *limits,
                           long long deadline, const struct notifier *cancel, struct error *error);

#endif
