/*
 * How an instance is made: by `docker run` and the image's shell or, if it has none, by `docker
 * create`, `cp` and `start` with a volume (container/delivery.h); and with a user that the engine
 * has.
 */
#include "container/instance.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/engine_kind.h"
#include "docker/engine_memory.h"
#include "docker/explain.h"
#include "docker/image_store.h"

/* The spec borrows from its arguments; `command` is empty, and released by the caller. */
static struct container_spec instance_spec(const struct owned_container *container,
                                           enum delivery delivery, const struct plan *plan,
                                           struct strvec *command)
{
    struct container_spec spec = owned_container_spec(container, plan);

    spec.auto_remove = true;
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

/* Waits until the supervisor is ready. *event is what ended the wait. */
static int wait_until_ready(struct instance *instance, long long deadline,
                            const struct notifier *cancel, enum process_event *event,
                            struct error *error)
{
    const long long begin = clock_now_ms();

    *event = instance_pump(instance, INSTANCE_MADE, deadline, cancel);
    docker_traced(instance->container.docker, "start", begin);
    docker_remember_end(instance->container.docker,
                        *event == PROCESS_EXITED ? instance->client.status : 0);
    if (*event != PROCESS_PAUSED || instance->link.state != LINK_READY || instance->link.broken)
        return explain_not_ready(instance, *event, cancel, error);
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

/* Removes what could not be made or accepted; a warning says if that fails. */
static void remove_failed(struct instance *instance, long long end)
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
    if (event == PROCESS_CANCELLED || event == PROCESS_DEADLINE) {
        process_release(&instance->client);
        owned_container_undo(container, end, &instance->warnings);
    } else if (event == PROCESS_EXITED && engine_refused_run(instance->client.status)) {
        if (kind != ERROR_IMAGE)
            container_discard_failed(container->docker, container->name,
                                     budget_deadline(container->docker, BUDGET_DISCARD));
    } else {
        remove_failed(instance, end);
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

    container->image = spec->image;
    if (container_run(container->docker, spec, &streams, &instance->client, error) != 0)
        return -1;
    instance->delivered = 0;
    instance->client.source = delivery_send;
    instance->client.source_context = &instance->delivered;
    if (wait_until_ready(instance, deadline, cancel, &event, error) != 0) {
        undo_run(instance, event, error->kind, deadline, end);
        return -1;
    }
    container_add_warnings(&instance->warnings, &instance->message);
    strbuf_release(&instance->message);
    if (owned_container_accept(container, spec, deadline, cancel, warned, &instance->warnings,
                               error) == 0)
        return 0;
    remove_failed(instance, end);
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
    instance->no_supervisor = false;
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

    spec.limits = instance->limits;
    if (instance->delivery == DELIVERY_SHELL)
        return run_image_or_base(instance, &spec, deadline, end, cancel, error);
    if (owned_container_create(container, &spec, deadline, end, cancel, &instance->warnings,
                               error) != 0)
        return -1;
    if (delivery_fill_volume(container->docker, container->name, architecture, deadline, cancel,
                             error) == 0 &&
        start_instance(instance, deadline, cancel, error) == 0)
        return 0;
    remove_failed(instance, end);
    return -1;
}

/*
 * Asks the engine for the image's architecture ("" if it does not say), and checks that the
 * supervisor can run there.
 */
static int look_at_image(const struct instance *instance, char architecture[20],
                         const struct notifier *cancel, struct error *error)
{
    const struct owned_container *container = &instance->container;
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    image_store_details(container->docker, container->image, cancel, &details, &ignored);
    memcpy(architecture, details.architecture, sizeof details.architecture);
    return delivery_check_architecture(container->image, architecture, error);
}

/* Makes the instance a new one, under another name and user. */
static void begin_again(struct instance *instance, const struct plan *plan, enum delivery delivery)
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

/*
 * Whether the container may have failed because no shell works: it ended without a word, or
 * wrote what the supervisor does not. An engine that has another reason says so without naming the
 * shell; then it could not start another container either.
 */
static bool shell_may_be_missing(struct instance *instance)
{
    const bool silent =
        instance->message.length == 0 && !engine_refused_run(instance->client.status);

    return silent || instance->link.broken || shell_is_named(instance);
}

static int make_by_volume(struct instance *instance, const struct plan *plan, long long deadline,
                          long long end, const struct notifier *cancel, struct error *error)
{
    char architecture[20] = "";

    if (delivery_has_choice() && look_at_image(instance, architecture, cancel, error) != 0)
        return -1;
    return make(instance, plan, architecture, deadline, end, cancel, error);
}

/* Makes the instance in the way that its image needs. */
static int make_for_image(struct instance *instance, const struct plan *plan, long long deadline,
                          long long end, const struct notifier *cancel, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    struct engine_memory *memory = instance->container.docker->memory;
    char architecture[20] = "";
    bool certain;

    if (instance->delivery == DELIVERY_VOLUME)
        return make_by_volume(instance, plan, deadline, end, cancel, error);
    if (make(instance, plan, architecture, deadline, end, cancel, &failure) == 0)
        return 0;
    if (!instance->no_supervisor || failure.kind == ERROR_IMAGE)
        return error_set(error, failure.kind, "%s", failure.message);
    if (look_at_image(instance, architecture, cancel, error) != 0)
        return -1;
    if (!shell_may_be_missing(instance))
        return error_set(error, failure.kind, "%s", failure.message);
    certain = shell_is_named(instance);
    begin_again(instance, plan, DELIVERY_VOLUME);
    if (make(instance, plan, architecture, deadline, end, cancel, error) != 0)
        return -1;
    if (certain)
        engine_memory_set_without_shell(memory, plan->image);
    return 0;
}

/* ---- what the engine does not have */

int instance_check_cpus(const struct docker *docker, const struct plan *plan, struct error *error)
{
    const double requested = plan->requested_cpus;
    const long cpus = engine_memory_cpus(docker->memory);

    if (cpus == 0 || !(requested > (double)cpus)) /* false if it was not requested */
        return 0;
    error_set(error, ERROR_USAGE, ERROR_SUBJECT " %.10g is more than the engine has: %ld",
              requested, cpus);
    return error_about(error, limit_rules[LIMIT_CPUS].key.name);
}

/* Lowers the limit of CPUs, if that is why the container could not start. */
static bool lower_cpus(struct instance *instance)
{
    const long cpus = engine_memory_cpus(instance->container.docker->memory);

    if (cpus == 0 || instance->limits.cpus <= (double)cpus)
        return false;
    instance->limits.cpus = (double)cpus;
    return true;
}

/*
 * Memory in MB with which containers start on any engine, and steps below that. runc and what it
 * executes before the supervisor need more or less of it, by their versions.
 */
static const long enough_memory[] = {8, 12, 16, 24, 32};
enum { ENOUGH_MEMORY = sizeof enough_memory / sizeof *enough_memory };

/* Whether the same container starts with so much memory; it is removed at once. */
static bool starts_with(struct instance *instance, const struct plan *plan, long memory_mb,
                        long long deadline, long long end, const struct notifier *cancel)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    begin_again(instance, plan, instance->delivery);
    instance->limits.memory_mb = memory_mb;
    if (make_for_image(instance, plan, deadline, end, cancel, &ignored) != 0)
        return false;
    remove_failed(instance, end);
    return true;
}

/*
 * Sets the error if the container could not start because memory ran out, or if the trial is
 * cancelled. No message of the engine says so for certain, and how much is needed depends on the
 * engine: so it is tried out.
 */
static bool lacks_memory(struct instance *instance, const struct plan *plan, long long deadline,
                         long long end, const struct notifier *cancel, struct error *error)
{
    const long given = instance->limits.memory_mb, enough = enough_memory[ENOUGH_MEMORY - 1];
    int step = 0;

    bool starts;

    if (given >= enough)
        return false;
    starts = starts_with(instance, plan, enough, deadline, end, cancel);
    while (starts && step < ENOUGH_MEMORY - 1 &&
           (enough_memory[step] <= given ||
            !starts_with(instance, plan, enough_memory[step], deadline, end, cancel)))
        step++;
    if (notifier_raised(cancel)) {
        owned_container_set_cancelled(error);
        return true;
    }
    if (!starts)
        return false;
    error_set(error, ERROR_USAGE,
              ERROR_SUBJECT " of %ld MB is too little for a container of this engine; it starts "
                            "with %ld MB",
              given, enough_memory[step]);
    error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    return true;
}

/* Adds the network that may have been meant: engines find out late that there is none. */
static void hint_at_network(const struct plan *plan, struct error *error)
{
    static const char *const networks[] = {"none", "bridge"};
    const char *name = plan->policy.network;
    const char *nearest = text_nearest(name, networks, sizeof networks / sizeof *networks);
    CLEANUP_FREE char *hint = NULL;

    if (!nearest || strcmp(nearest, name) == 0)
        return;
    hint = string_format("did you mean the network '%s'?", nearest);
    error_hint(error, hint);
}

/* Hands on the error. If an image of a language is missing, it names the command that pulls it. */
static int hand_on(const struct plan *plan, const struct error *failure, struct error *error)
{
    if (failure->kind == ERROR_IMAGE && !plan->image_requested && plan->language)
        return error_set(error, ERROR_IMAGE,
                         "image '%s' is not on the engine; run: isolator pull %s",
                         plan->base ? plan->base : plan->image, plan->language);
    error_set(error, failure->kind, "%s", failure->message);
    if (failure->kind == ERROR_ENGINE)
        hint_at_network(plan, error);
    return -1;
}

int instance_make(struct instance *instance, const struct plan *plan, long long deadline,
                  long long end, const struct notifier *cancel, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    if (make_for_image(instance, plan, deadline, end, cancel, &failure) == 0)
        return 0;
    if (failure.kind == ERROR_ENGINE && instance->no_supervisor &&
        !shell_may_be_missing(instance)) {
        engine_ask(instance->container.docker, cancel);
        if (instance_check_cpus(instance->container.docker, plan, error) != 0)
            return -1;
        if (lower_cpus(instance) ||
            engine_lacks_user(instance->container.docker, instance->container.user)) {
            begin_again(instance, plan, instance->delivery);
            return make_for_image(instance, plan, deadline, end, cancel, error);
        }
        if (lacks_memory(instance, plan, deadline, end, cancel, error))
            return -1;
    }
    return hand_on(plan, &failure, error);
}
