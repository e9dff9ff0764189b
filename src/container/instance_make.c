/*
 * How an instance is made: by `docker run` and the image's shell or, if it has none, by `docker
 * create`, `cp` and `start` with a volume (container/delivery.h); and with a user that the engine
 * has.
 */
#include "container/instance_make.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "docker/budget.h"
#include "docker/engine_kind.h"
#include "docker/engine_memory.h"
#include "docker/explain.h"

/* The spec borrows from its arguments; `command` is empty, and released by the caller. */
static struct container_spec instance_spec(const struct owned_container *container,
                                           enum delivery delivery, const struct plan *plan,
                                           struct strvec *command)
{
    struct container_spec spec = owned_container_spec(container, plan);

    spec.auto_remove = delivery_auto_remove(delivery, container->docker);
    spec.tmpfs[1] =
        (struct container_tmpfs){plan->workdir, (long)plan->policy.limits.number[LIMIT_WORKDIR]};
    delivery_set_spec(delivery, plan->workdir, command, &spec);
    return spec;
}

/* The delivery depends on the image alone, so it is not a part of the fingerprint. */
struct spec_fingerprint instance_fingerprint(const struct plan *plan)
{
    const struct owned_container nameless = {.labels = STRVEC_INIT};
    CLEANUP(strvec_release) struct strvec command = STRVEC_INIT;
    const struct container_spec spec = instance_spec(&nameless, DELIVERY_SHELL, plan, &command);

    return container_fingerprint(&spec);
}

struct instance *instance_new(const struct docker *docker, const struct plan *plan,
                              const struct container_limits *limits, long long in_use_ms)
{
    struct instance *instance = memory_allocate(sizeof *instance);

    *instance = (struct instance){.client = PROCESS_INIT,
                                  .transport = &transport_pipe,
                                  .message = STRBUF_MAX(INSTANCE_MESSAGE_MAX),
                                  .fingerprint = instance_fingerprint(plan),
                                  .limits = container_limits_of_engine(docker, limits),
                                  .in_use_ms = in_use_ms};
    owned_container_init(&instance->container, docker, plan, in_use_ms);
    supervisor_link_init(&instance->link);
    if (engine_memory_is_without_shell(docker->memory, plan->image))
        instance->delivery = DELIVERY_VOLUME;
    return instance;
}

void instance_prepare_join(struct instance *instance)
{
    instance->delivery = DELIVERY_VOLUME;
    instance->has_fifos = true;
}

void instance_join(struct instance *interactor, const struct instance *instance)
{
    interactor->delivery = DELIVERY_SHARED;
    interactor->volumes_from = instance->container.name;
}

/* Sets the error: why the supervisor is not ready. Returns -1. */
static int explain_not_ready(struct instance *instance, enum process_event event,
                             const struct notifier *cancel, struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&instance->message);

    if (owned_container_set_interrupted(event, "the engine did not start the container in time",
                                        message, error))
        return -1;
    instance->no_supervisor = true;
    return docker_explain(instance->container.docker, instance->container.image,
                          "cannot start the container",
                          instance->link.broken ? "what it wrote is not from the supervisor"
                          : *message            ? message
                                                : "the docker command ended without a message",
                          cancel, error);
}

/*
 * Waits for the supervisor. The deadline counts the program's time, too, so that a slow engine has
 * that as well; one that cannot be reached at all is found out earlier.
 */
static enum process_event pump_until_made(struct instance *instance, long long deadline,
                                          const struct notifier *cancel, bool *unreachable)
{
    const struct docker *docker = instance->container.docker;
    const long long check_at = budget_deadline(docker, BUDGET_SILENCE);
    enum process_event event =
        instance_pump(instance, INSTANCE_MADE, check_at < deadline ? check_at : deadline, cancel);
    bool answers = true;

    if (event == PROCESS_DEADLINE && check_at < deadline)
        event = instance_pump(instance, INSTANCE_MADE,
                              docker_check_engine(docker, deadline, cancel, &answers), cancel);
    *unreachable = event == PROCESS_DEADLINE && !answers;
    return event;
}

/* Waits until the supervisor is ready. *event is what ended the wait. */
static int wait_until_ready(struct instance *instance, long long deadline,
                            const struct notifier *cancel, enum process_event *event,
                            struct error *error)
{
    const long long begin = clock_now_ms();
    bool unreachable;

    *event = pump_until_made(instance, deadline, cancel, &unreachable);
    docker_traced(instance->container.docker, "start", begin);
    docker_remember_end(instance->container.docker,
                        *event == PROCESS_EXITED ? instance->client.status : 0);
    if (unreachable) {
        instance->unreachable = true;
        return docker_explain_silence(instance->container.docker, "cannot start the container",
                                      cancel, error);
    }
    if (*event != PROCESS_PAUSED || instance->link.state != LINK_READY || instance->link.broken)
        return explain_not_ready(instance, *event, cancel, error);
    engine_memory_note_answer(instance->container.docker->memory);
    instance->made = clock_now_ms();
    return 0;
}

static int start_instance(struct instance *instance, long long deadline,
                          const struct notifier *cancel, struct error *error)
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    enum process_event event;

    if (notifier_raised(cancel))
        return owned_container_set_cancelled(error);
    if (container_start(instance->container.docker, instance->container.name, &streams,
                        &instance->client, error) != 0)
        return -1;
    return wait_until_ready(instance, deadline, cancel, &event, error);
}

/* How long its removal may take: if the shell is at fault, another container is to follow. */
static long long removal_end(const struct instance *instance, long long end)
{
    return instance->delivery == DELIVERY_SHELL && instance->no_supervisor
               ? budget_deadline(instance->container.docker, BUDGET_WARM_REMOVE)
               : end;
}

void instance_remove_failed(struct instance *instance, long long end)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    if (instance_remove(instance, removal_end(instance, end), &failure) != 0)
        strvec_push(&instance->warnings, failure.message);
}

/* ---- in one command, by the image's shell */

/*
 * Whether `docker run`, which was cancelled, ends by itself: without its stdin the container ends
 * as soon as it has started.
 */
static bool ends_by_itself(struct instance *instance, long long deadline)
{
    const long long grace_end =
        budget_deadline(instance->container.docker, BUDGET_CANCELLED_CREATE);

    instance_dismiss(instance);
    return instance_wait_for_end(instance, grace_end < deadline ? grace_end : deadline);
}

/*
 * Undoes what `docker run` has done, which failed with this kind of error. If it has to be killed,
 * the engine may finish the creation later.
 */
static void undo_run(struct instance *instance, enum process_event event, enum error_kind kind,
                     long long deadline, long long end)
{
    const struct owned_container *container = &instance->container;

    if (event == PROCESS_CANCELLED && ends_by_itself(instance, deadline))
        event = PROCESS_EXITED;
    if (instance->unreachable) {
        process_release(&instance->client);
        owned_container_leave(container, &instance->warnings);
    } else if (event == PROCESS_CANCELLED || event == PROCESS_DEADLINE) {
        process_release(&instance->client);
        owned_container_undo(container, end, &instance->warnings);
    } else if (event == PROCESS_EXITED && engine_refused_run(instance->client.status)) {
        if (kind != ERROR_IMAGE)
            container_discard_failed(container->docker, container->name,
                                     budget_deadline(container->docker, BUDGET_DISCARD));
    } else {
        instance_remove_failed(instance, end);
    }
}

/* Makes a container of the image of the spec. If that fails, it is removed. */
static int run_image(struct instance *instance, const struct container_spec *spec,
                     long long deadline, long long end, const struct notifier *cancel,
                     struct error *error)
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    const size_t warned = instance->warnings.count;
    struct owned_container *container = &instance->container;
    enum process_event event;

    owned_container_set_image(container, spec->image);
    if (container_run(container->docker, spec, &streams, &instance->client, error) != 0)
        return -1;
    instance->delivered = 0;
    if (instance->delivery == DELIVERY_SHELL) {
        instance->client.source = delivery_send;
        instance->client.source_context = &instance->delivered;
    }
    if (wait_until_ready(instance, deadline, cancel, &event, error) != 0) {
        undo_run(instance, event, error->kind, deadline, end);
        return -1;
    }
    container_add_warnings(&instance->warnings, &instance->message);
    strbuf_release(&instance->message);
    if (owned_container_accept(container, spec, deadline, cancel, warned, &instance->warnings,
                               error) == 0)
        return 0;
    instance_remove_failed(instance, end);
    return -1;
}

/* Forgets the docker command that has ended, so that there can be another one. */
static void forget_client(struct instance *instance)
{
    process_release(&instance->client);
    instance->client = (struct process)PROCESS_INIT;
    supervisor_link_release(&instance->link);
    supervisor_link_init(&instance->link);
    strbuf_release(&instance->message);
    instance->no_supervisor = instance->unreachable = false;
}

/* Makes a container of the image of the spec or, if that is missing, of its base image. */
static int run_image_or_base(struct instance *instance, struct container_spec *spec,
                             long long deadline, long long end, const struct notifier *cancel,
                             struct error *error)
{
    CLEANUP(error_release) struct error missing = ERROR_INIT;
    const char *base = instance->container.base;

    if (notifier_raised(cancel))
        return owned_container_set_cancelled(error);
    if (owned_container_draw_user(&instance->container, spec, error) != 0)
        return -1;
    if (run_image(instance, spec, deadline, end, cancel, &missing) == 0)
        return 0;
    if (missing.kind != ERROR_IMAGE || !base)
        return error_set(error, missing.kind, "%s", missing.message);
    forget_client(instance);
    spec->image = base;
    return run_image(instance, spec, deadline, end, cancel, error);
}

/* ---- in either way */

/* Creates the container and starts it. If that fails, it is removed. */
static int make(struct instance *instance, const struct plan *plan, const char *architecture,
                long long deadline, long long end, const struct notifier *cancel,
                struct error *error)
{
    struct owned_container *container = &instance->container;
    CLEANUP(strvec_release) struct strvec command = STRVEC_INIT;
    struct container_spec spec = instance_spec(container, instance->delivery, plan, &command);
    const struct volume_files files = {.script = -1, .fifos = instance->has_fifos};

    spec.limits = instance->limits;
    spec.volumes_from = instance->volumes_from;
    if (instance->delivery != DELIVERY_VOLUME)
        return run_image_or_base(instance, &spec, deadline, end, cancel, error);
    if (owned_container_create(container, &spec, deadline, end, cancel, &instance->warnings,
                               error) != 0)
        return -1;
    if (delivery_fill_volume(container->docker, container->name, architecture, &files, deadline,
                             cancel, error) == 0 &&
        start_instance(instance, deadline, cancel, error) == 0)
        return 0;
    instance_remove_failed(instance, end);
    return -1;
}

static int inspect_image(const struct instance *instance, char architecture[20],
                         const struct notifier *cancel, struct error *error)
{
    const struct owned_container *container = &instance->container;

    return delivery_inspect_image(container->docker, container->image, architecture, cancel, error);
}

void instance_begin_again(struct instance *instance, const struct plan *plan,
                          enum delivery delivery)
{
    const struct docker *docker = instance->container.docker;

    forget_client(instance);
    owned_container_release(&instance->container);
    owned_container_init(&instance->container, docker, plan, instance->in_use_ms);
    instance->delivery = delivery;
}

/* Whether the engine, or the shell itself, names the shell in what it has to say. */
static bool shell_is_named(struct instance *instance)
{
    return strstr(strbuf_string(&instance->message), DELIVERY_SHELL_PATH) != NULL;
}

bool instance_shell_may_be_missing(struct instance *instance)
{
    const bool silent =
        instance->message.length == 0 && !engine_refused_run(instance->client.status);

    return silent || instance->link.broken || shell_is_named(instance);
}

static int make_by_volume(struct instance *instance, const struct plan *plan, long long deadline,
                          long long end, const struct notifier *cancel, struct error *error)
{
    char architecture[20] = "";

    if (instance->delivery == DELIVERY_VOLUME && delivery_has_choice() &&
        inspect_image(instance, architecture, cancel, error) != 0)
        return -1;
    return make(instance, plan, architecture, deadline, end, cancel, error);
}

int instance_make_once(struct instance *instance, const struct plan *plan, long long deadline,
                       long long end, const struct notifier *cancel, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    struct engine_memory *memory = instance->container.docker->memory;
    char architecture[20] = "";
    bool certain;

    if (instance->delivery != DELIVERY_SHELL)
        return make_by_volume(instance, plan, deadline, end, cancel, error);
    if (make(instance, plan, architecture, deadline, end, cancel, &failure) == 0)
        return 0;
    if (!instance->no_supervisor || failure.kind == ERROR_IMAGE)
        return error_set(error, failure.kind, "%s", failure.message);
    if (inspect_image(instance, architecture, cancel, error) != 0)
        return -1;
    if (!instance_shell_may_be_missing(instance))
        return error_set(error, failure.kind, "%s", failure.message);
    certain = shell_is_named(instance);
    instance_begin_again(instance, plan, DELIVERY_VOLUME);
    if (make(instance, plan, architecture, deadline, end, cancel, error) != 0)
        return -1;
    if (certain)
        engine_memory_set_without_shell(memory, plan->image);
    return 0;
}
