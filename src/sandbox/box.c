#include "sandbox/box.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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

void box_init(struct box *box, const struct docker *docker, long long in_use_ms)
{
    char digits[17];

    *box = (struct box){.docker = docker, .labels = STRVEC_INIT};
    linux_random_digits(digits, sizeof digits);
    snprintf(box->name, sizeof box->name, "isolator-%s", digits);
    owner_labels(&box->labels,
                 in_use_ms + docker_share(docker, LIFETIME_PERCENT) + LIFETIME_EXTRA_MS);
}

void box_release(struct box *box)
{
    strvec_release(&box->labels);
}

struct container_spec box_spec(const struct box *box, const struct plan *plan)
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

int box_create(struct box *box, const struct container_spec *spec, long long deadline,
               long long end, const struct cancel *cancel, struct strvec *warnings,
               struct error *error)
{
    static const struct timespec pause = {1, 0};
    struct error failure = ERROR_INIT;
    bool cut_off;

    if (cancel_raised(cancel))
        return box_cancelled(error);
    box->created =
        container_create(box->docker, spec, deadline, cancel, warnings, &cut_off, error) == 0;
    if (box->created)
        return 0;
    if (!cut_off)
        return -1;
    /* The engine may still be at it. */
    strvec_pushf(warnings,
                 "the creation of container '%s' was cut off; should the engine still finish it, "
                 "it has to be removed by hand",
                 box->name);
    if (box_remove(box, NULL, end, &failure) == 0) {
        nanosleep(&pause, NULL);
        box_remove(box, NULL, end, &failure);
    }
    if (failure.kind != ERROR_NONE)
        strvec_push(warnings, failure.message);
    error_release(&failure);
    return -1;
}

int box_remove(const struct box *box, const struct process_drain *drain, long long end,
               struct error *error)
{
    const long long now = clock_now_ms();
    const long long most = now + docker_share(box->docker, REMOVE_PERCENT);
    const long long least = now + docker_share(box->docker, REMOVE_LEAST_PERCENT);
    const long long deadline = end == 0 || end > most ? most : end < least ? least : end;

    if (container_remove(box->docker, box->name, drain, deadline, error) == 0)
        return 0;
    return error_prefix(error, "container '%s' may be left behind", box->name);
}
