#include "container/owned_container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/engine_memory.h"
#include "tools/tool_consent.h"

/*
 * The deadline in the labels is this long after the container's use and BUDGET_LIFETIME. Persons
 * who are asked about calls of tools are waited for.
 */
enum { LIFETIME_EXTRA_MS = 60000 + TOOL_CONSENT_TOTAL_MS };

/*
 * Threads of gVisor itself, of which it may need some for each processor, and a second one for each
 * of the program's (measured: up to 70 with two processors for a program with one).
 */
enum { GVISOR_PIDS = 256 };

/* How the names begin; the digits follow. */
static const char *const name_starts[] = {
    [PURPOSE_RUN] = "isolator-",
    [PURPOSE_SESSION] = "isolator-session-",
    [PURPOSE_JOB] = "isolator-job-",
    [PURPOSE_WORKSPACE] = "isolator-workspace-",
};
enum { PURPOSES = sizeof name_starts / sizeof *name_starts, NAME_DIGITS = 16 };

static void init(struct owned_container *container, const struct docker *docker,
                 enum container_purpose purpose, const struct plan *plan, long long in_use_ms)
{
    char digits[NAME_DIGITS + 1];

    *container = (struct owned_container){
        .docker = docker,
        .labels = STRVEC_INIT,
        .base = plan && plan->base ? string_copy(plan->base) : NULL,
        .language = plan ? string_copy(plan->language) : NULL,
    };
    linux_random_digits(digits, sizeof digits);
    snprintf(container->name, sizeof container->name, "%s%s", name_starts[purpose], digits);
    owner_labels(&container->labels,
                 in_use_ms + budget_ms(docker, BUDGET_LIFETIME) + LIFETIME_EXTRA_MS);
}

void owned_container_init(struct owned_container *container, const struct docker *docker,
                          const struct plan *plan, long long in_use_ms)
{
    init(container, docker, plan && plan_has_session(plan) ? PURPOSE_SESSION : PURPOSE_RUN, plan,
         in_use_ms);
}

void owned_container_init_lasting(struct owned_container *container, const struct docker *docker,
                                  enum container_purpose purpose, const struct plan *plan,
                                  long long in_use_ms)
{
    init(container, docker, purpose, plan, in_use_ms);
}

void owned_container_release(struct owned_container *container)
{
    strvec_release(&container->labels);
    free(steal_pointer(&container->image));
    free(steal_pointer(&container->base));
    free(steal_pointer(&container->language));
    engine_memory_release_user(container->docker->memory, container->user);
    container->user = 0;
}

void owned_container_set_image(struct owned_container *container, const char *image)
{
    char *copy = string_copy(image);

    free(container->image);
    container->image = copy;
}

static bool is_name(const char *name, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(name, start, length) == 0 &&
           strspn(name + length, "0123456789abcdef") == NAME_DIGITS &&
           name[length + NAME_DIGITS] == '\0';
}

enum container_purpose owned_container_purpose(const char *name)
{
    int purpose = PURPOSES - 1;

    while (purpose > PURPOSE_NONE && !is_name(name, name_starts[purpose]))
        purpose--;
    return (enum container_purpose)purpose;
}

char *owned_container_session_name(const struct owned_container *container)
{
    return string_format("%s%s", name_starts[PURPOSE_SESSION],
                         container->name + strlen(container->name) - NAME_DIGITS);
}

const char *owned_container_digits(const char *name)
{
    return name + strlen(name) - NAME_DIGITS;
}

bool owned_container_is_lasting(const char *name)
{
    const enum container_purpose purpose = owned_container_purpose(name);

    return purpose == PURPOSE_JOB || purpose == PURPOSE_WORKSPACE;
}

char *owned_container_name_for(enum container_purpose purpose, const char *digits)
{
    return string_format("%s%s", name_starts[purpose], digits);
}

char *owned_container_job_name(const char *digits)
{
    return owned_container_name_for(PURPOSE_JOB, digits);
}

int owned_container_show_session(struct owned_container *container, long long deadline,
                                 struct error *error)
{
    CLEANUP_FREE char *name = owned_container_session_name(container);

    if (container_rename(container->docker, container->name, name, deadline, NULL, error) != 0)
        return -1;
    snprintf(container->name, sizeof container->name, "%s", name);
    return 0;
}

struct container_limits owned_container_limits(const struct limits *limits)
{
    return (struct container_limits){.memory_mb = (long)limits->number[LIMIT_MEMORY],
                                     .cpus = limits->number[LIMIT_CPUS],
                                     .pids = (long)limits->number[LIMIT_PIDS]};
}

struct container_spec owned_container_spec(const struct owned_container *container,
                                           const struct plan *plan)
{
    const struct sandbox_policy *policy = &plan->policy;
    const struct limits *limits = &policy->limits;
    struct container_spec spec = {
        .name = container->name,
        .image = plan->image,
        .network = policy->network,
        .oci_runtime = policy->oci_runtime,
        .uid = policy->uid,
        .gid = policy->gid,
        .draw_user = !policy->has_user,
        .limits = owned_container_limits(limits),
        .read_only = policy->read_only == 1,
        .lifeline = true,
        .cap_drop = &policy->cap_drop,
        .labels = &container->labels,
    };

    if (container->docker &&
        engine_memory_is_gvisor(container->docker->memory, policy->oci_runtime))
        spec.runtime_pids = GVISOR_PIDS;
    if (strcmp(plan->workdir, "/tmp") != 0)
        spec.tmpfs[0] = (struct container_tmpfs){"/tmp", (long)limits->number[LIMIT_TMP]};
    return spec;
}

int owned_container_set_cancelled(struct error *error)
{
    return error_set(error, ERROR_CANCELLED, "cancelled before the program ran");
}

bool owned_container_set_interrupted(enum process_event event, const char *late,
                                     const char *message, struct error *error)
{
    if (event == PROCESS_CANCELLED)
        owned_container_set_cancelled(error);
    else if (event == PROCESS_DEADLINE)
        error_set(error, ERROR_ENGINE, "%s%s%s", late, *message ? ": " : "", message);
    else
        return false;
    return true;
}

/* The first one is named; how many there were is said at the end (service_close()). */
static void warn_interrupted(const struct owned_container *container, struct strvec *warnings)
{
    if (engine_memory_note_interrupted(container->docker->memory) > 1)
        return;
    strvec_pushf(
        warnings,
        "the creation of container '%s' was interrupted; if the engine still completes it, "
        "the next start of isolator removes it",
        container->name);
}

void owned_container_leave(const struct owned_container *container, struct strvec *warnings)
{
    const struct docker *docker = container->docker;

    warn_interrupted(container, warnings);
    if (docker->not_removed)
        docker->not_removed(docker->not_removed_context, container->name);
}

void owned_container_undo(const struct owned_container *container, long long end,
                          struct strvec *warnings)
{
    static const struct timespec pause = {1, 0};
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    warn_interrupted(container, warnings);
    if (owned_container_remove(container, NULL, end, &failure) == 0) {
        nanosleep(&pause, NULL);
        owned_container_remove(container, NULL, end, &failure);
    }
    if (failure.kind != ERROR_NONE)
        strvec_push(warnings, failure.message);
}

/* Creates the container from the image of the spec or, if that is missing, its base image. */
static int create_from_image_or_base(struct owned_container *container,
                                     const struct container_spec *spec, long long deadline,
                                     const struct notifier *cancel, struct strvec *warnings,
                                     enum creation_end *creation, struct error *error)
{
    CLEANUP(error_release) struct error missing = ERROR_INIT;
    struct container_spec base_spec = *spec;

    owned_container_set_image(container, spec->image);
    if (container_create(container->docker, spec, deadline, cancel, warnings, creation, &missing) ==
        0)
        return 0;
    if (missing.kind != ERROR_IMAGE || !container->base)
        return error_set(error, missing.kind, "%s", missing.message);
    owned_container_set_image(container, container->base);
    base_spec.image = container->base;
    return container_create(container->docker, &base_spec, deadline, cancel, warnings, creation,
                            error);
}

char *owned_container_unprepared(const char *language, const char *base)
{
    return string_format("%s is not prepared, so the program ran in the image '%s' as it is; "
                         "run: isolator prepare %s",
                         language, base, language);
}

/* Warns, once, that the container was made from the base image. */
static void warn_unprepared(const struct owned_container *container, struct strvec *warnings)
{
    CLEANUP_FREE char *warning = NULL;

    if (strcmp(container->image, container->base) != 0)
        return;
    warning = owned_container_unprepared(container->language, container->base);
    strvec_push_once(warnings, warning);
}

/* Fails unless the engine enforces the limits of the container. */
static int check_limits(const struct docker *docker, const struct container_spec *spec,
                        long long deadline, const struct notifier *cancel, struct error *error)
{
    const struct container_limits limits = container_spec_limits(spec);
    const int checked =
        container_check_limits(docker, spec->name, &limits, deadline, cancel, error);

    if (checked > 0)
        error_hint(error,
                   "to run without it, set " CONFIG_KEY_ALLOW_UNENFORCED " in the configuration");
    return checked;
}

int owned_container_draw_user(struct owned_container *container, struct container_spec *spec,
                              struct error *error)
{
    const struct docker *docker = container->docker;

    if (!spec->draw_user)
        return 0;
    if (engine_memory_draw_user(docker->memory, docker->users, &container->user, error) != 0)
        return -1;
    spec->uid = spec->gid = container->user;
    return 0;
}

int owned_container_accept(struct owned_container *container, const struct container_spec *spec,
                           long long deadline, const struct notifier *cancel, size_t warned,
                           struct strvec *warnings, struct error *error)
{
    const struct docker *docker = container->docker;

    /* An engine that does not enforce a limit prints a warning, whose words are not stable. */
    if (warnings->count > warned && !docker->allow_unenforced &&
        check_limits(docker, spec, deadline, cancel, error) != 0)
        return -1;
    container->created = true;
    if (container->base)
        warn_unprepared(container, warnings);
    return 0;
}

int owned_container_create(struct owned_container *container, const struct container_spec *spec,
                           long long deadline, long long end, const struct notifier *cancel,
                           struct strvec *warnings, struct error *error)
{
    const size_t warned = warnings->count;
    struct container_spec own_spec = *spec;
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    enum creation_end creation;

    if (notifier_raised(cancel))
        return owned_container_set_cancelled(error);
    if (owned_container_draw_user(container, &own_spec, error) != 0)
        return -1;
    if (create_from_image_or_base(container, &own_spec, deadline, cancel, warnings, &creation,
                                  error) != 0) {
        if (creation == CREATION_CUT_OFF)
            owned_container_undo(container, end, warnings);
        else if (creation == CREATION_UNANSWERED)
            owned_container_leave(container, warnings);
        return -1;
    }
    if (owned_container_accept(container, spec, deadline, cancel, warned, warnings, error) == 0)
        return 0;
    if (owned_container_remove(container, NULL, end, &failure) != 0)
        strvec_push(warnings, failure.message);
    return -1;
}

int owned_container_remove(const struct owned_container *container,
                           const struct process_drain *drain, long long end, struct error *error)
{
    const long long now = clock_now_ms();
    const long long max = now + budget_ms(container->docker, BUDGET_REMOVE);
    const long long min = now + budget_ms(container->docker, BUDGET_REMOVE_MIN);
    const long long deadline = end == 0 || end > max ? max : end < min ? min : end;

    if (container_remove(container->docker, container->name, drain, deadline, NULL, error) == 0)
        return 0;
    return error_prefix(error, "container '%s' may still exist", container->name);
}
