#include "sandbox/box.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/linux.h"
#include "sandbox/owner.h"

/*
 * This part of the engine's time (six times it for saving an image) and a minute past its use a container
 * is nobody's.
 */
enum { LIFETIME_PERCENT = 800, LIFETIME_EXTRA_MS = 60000 };

/* What the removal may take of the engine's time, and what it gets however late it is. */
enum { REMOVE_PERCENT = 80, REMOVE_LEAST_PERCENT = 20 };

static const char NAME_START[] = "isolator-";
enum { NAME_DIGITS = 16 };

void box_init(struct box *box, const struct docker *docker, long long in_use_ms)
{
    char digits[NAME_DIGITS + 1];

    *box = (struct box){.docker = docker, .labels = STRVEC_INIT};
    linux_random_digits(digits, sizeof digits);
    snprintf(box->name, sizeof box->name, "%s%s", NAME_START, digits);
    owner_labels(&box->labels,
                 in_use_ms + docker_share(docker, LIFETIME_PERCENT) + LIFETIME_EXTRA_MS);
}

void box_release(struct box *box)
{
    strvec_release(&box->labels);
}

bool box_is_name(const char *name)
{
    const size_t start = strlen(NAME_START);

    return strncmp(name, NAME_START, start) == 0 &&
           strspn(name + start, "0123456789abcdef") == NAME_DIGITS &&
           name[start + NAME_DIGITS] == '\0';
}

struct container_spec box_spec(struct box *box, const struct plan *plan)
{
    const struct limits *limits = &plan->limits;
    struct container_spec spec = {
        .name = box->name,
        .image = plan->image,
        .network = limits->network,
        .uid = limits->uid,
        .gid = limits->gid,
        .memory_mb = (long)limits->number[LIMIT_MEMORY],
        .cpus = limits->number[LIMIT_CPUS],
        .pids = (long)limits->number[LIMIT_PIDS],
        .read_only = limits->read_only == 1,
        .open_stdin = true,
        .cap_drop = &limits->cap_drop,
        .labels = &box->labels,
        .environment_file = -1,
    };

    box->base = plan->base;
    box->language = plan->language;
    if (strcmp(plan->workdir, "/tmp") != 0)
        spec.tmpfs[0] = (struct container_tmpfs){"/tmp", (long)limits->number[LIMIT_TMP]};
    return spec;
}

int box_cancelled(struct error *error)
{
    return error_set(error, ERROR_CANCELLED, "cancelled before the program ran");
}

bool box_interrupted(enum process_event event, const char *late, const char *message,
                     struct error *error)
{
    if (event == PROCESS_CANCELLED)
        box_cancelled(error);
    else if (event == PROCESS_DEADLINE)
        error_set(error, ERROR_ENGINE, "%s%s%s", late, *message ? ": " : "", message);
    else
        return false;
    return true;
}

/* The engine may still be at the creation, which was cut off. */
static void undo_creation(const struct box *box, long long end, struct strvec *warnings)
{
    static const struct timespec pause = {1, 0};
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    strvec_pushf(warnings,
                 "the creation of container '%s' was cut off; should the engine still finish it, "
                 "the next start of isolator removes it",
                 box->name);
    if (box_remove(box, NULL, end, &failure) == 0) {
        nanosleep(&pause, NULL);
        box_remove(box, NULL, end, &failure);
    }
    if (failure.kind != ERROR_NONE)
        strvec_push(warnings, failure.message);
}

/* Of the image that the spec names, or else of its base. */
static int create(struct box *box, const struct container_spec *spec, long long deadline,
                  const struct cancel *cancel, struct strvec *warnings, bool *cut_off,
                  struct error *error)
{
    CLEANUP(error_release) struct error missing = ERROR_INIT;
    struct container_spec of_base = *spec;

    box->image = spec->image;
    if (container_create(box->docker, spec, deadline, cancel, warnings, cut_off, &missing) == 0)
        return 0;
    if (missing.kind != ERROR_IMAGE || !box->base)
        return error_set(error, missing.kind, "%s", missing.message);
    of_base.image = box->image = box->base;
    return container_create(box->docker, &of_base, deadline, cancel, warnings, cut_off, error);
}

/* What has to be said of a container that is not what the configuration means; once. */
static void warn_of_base(const struct box *box, struct strvec *warnings)
{
    CLEANUP_FREE char *warning = NULL;

    if (box->image != box->base)
        return;
    warning = string_format("%s is not prepared, so the program ran in the image '%s' as it is; "
                            "run: isolator prepare %s",
                            box->language, box->base, box->language);
    if (!strvec_contains(warnings, warning))
        strvec_push(warnings, warning);
}

int box_create(struct box *box, const struct container_spec *spec, long long deadline,
               long long end, const struct cancel *cancel, struct strvec *warnings,
               struct error *error)
{
    const struct docker *docker = box->docker;
    const size_t before = warnings->count;
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    bool cut_off;

    if (cancel_raised(cancel))
        return box_cancelled(error);
    if (create(box, spec, deadline, cancel, warnings, &cut_off, error) != 0) {
        if (cut_off)
            undo_creation(box, end, warnings);
        return -1;
    }
    /* An engine that leaves out a limit says so, in words that are not stable. */
    if (warnings->count > before && !docker->allow_unenforced &&
        container_check_limits(docker, spec, deadline, cancel, error) != 0) {
        if (box_remove(box, NULL, end, &failure) != 0)
            strvec_push(warnings, failure.message);
        return -1;
    }
    box->created = true;
    if (box->base)
        warn_of_base(box, warnings);
    return 0;
}

int box_remove(const struct box *box, const struct process_drain *drain, long long end,
               struct error *error)
{
    const long long now = clock_now_ms();
    const long long most = now + docker_share(box->docker, REMOVE_PERCENT);
    const long long least = now + docker_share(box->docker, REMOVE_LEAST_PERCENT);
    const long long deadline = end == 0 || end > most ? most : end < least ? least : end;

    if (container_remove(box->docker, box->name, drain, deadline, NULL, error) == 0)
        return 0;
    return error_prefix(error, "container '%s' may be left behind", box->name);
}
