#include "service/gc.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "container/owned_container.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "docker/container_list.h"
#include "service/job_note.h"

/*
 * For gc_until_quiet(): the minimum time without containers before it returns, and how many times
 * that long it may take.
 */
enum { MIN_QUIET_MS = 10000, MAX_QUIET_TIMES = 6 };

/*
 * The pause between two passes of gc_until_quiet(), so that a stopped engine is not asked every
 * second.
 */
enum { MIN_PAUSE_MS = 1000, MAX_PAUSE_MS = 30000 };

static void report_orphan(gc_report *report, void *context, const struct container_row *row,
                          enum owner_status status, bool expired, const char *failure)
{
    CLEANUP_FREE char *state = text_escape(row->status);
    CLEANUP_FREE char *host = text_escape(row->labels.items[OWNER_HOST]);
    CLEANUP_FREE char *pid = text_escape(row->labels.items[OWNER_PID]);
    const struct orphan orphan = {.name = row->name,
                                  .host = host,
                                  .pid = pid,
                                  .state = state,
                                  .status = status,
                                  .expired = expired,
                                  .failure = failure};

    report(context, &orphan);
}

/*
 * Removes a container as `mode` says, and returns whether that succeeded. `failure` is set if
 * GC_UNTIL_GONE fails.
 */
static bool remove_orphan(const struct docker *docker, enum gc_mode mode, const char *name,
                          long long deadline, const struct notifier *cancel, struct error *failure)
{
    const long long end = mode == GC_UNTIL_GONE ? budget_deadline(docker, BUDGET_REMOVE) : deadline;

    if (mode == GC_LIST || clock_now_ms() >= end)
        return false;
    container_lift_cpus(docker, name, NULL, end);
    if (mode == GC_UNTIL_GONE)
        return container_remove(docker, name, NULL, end, cancel, failure) == 0;
    return container_discard(docker, name, end);
}

static void add_owner_keys(struct strvec *keys)
{
    for (size_t i = 0; i < OWNER_LABELS; i++)
        strvec_push(keys, owner_keys[i]);
}

/*
 * Lists all containers that have the label of an owner, with the labels that owner_status() needs.
 */
static int list_owned(const struct docker *docker, long long deadline,
                      const struct notifier *cancel, struct container_list *list,
                      struct error *error)
{
    CLEANUP(strvec_release) struct strvec filters = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec keys = STRVEC_INIT;

    strvec_push(&filters, owner_keys[OWNER_PID]);
    add_owner_keys(&keys);
    return container_list(docker, &filters, &keys, deadline, cancel, list, error);
}

/* ---- jobs */

enum { JOB_STATE = OWNER_LABELS, JOB_EXPIRY };

/* Whether no one is expected to want the result of the job any more. */
static bool has_expired(const struct container_row *row, long long now)
{
    const long long expires = strtoll(row->labels.items[JOB_EXPIRY], NULL, 10);

    return expires > 0 && expires < now;
}

/*
 * Whether the owner of the job, which has ended, had not started it. Without a file the engine
 * tells, now: the list may be older than the end of the owner.
 */
static bool was_not_started(const struct docker *docker, const struct container_row *row,
                            long long deadline)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const enum job_stage stage = job_note_stage(owned_container_digits(row->name));
    struct container_state state;

    if (stage != JOB_STAGE_NONE)
        return stage == JOB_STAGE_STARTING;
    return strcmp(row->labels.items[JOB_STATE], "created") == 0 &&
           container_inspect(docker, row->name, deadline, &state, &ignored) == 0 && !state.started;
}

/*
 * Removes the job with its file if it has expired or was not started. False: it stays, also if
 * another isolator works on it.
 */
static bool collect_job(const struct docker *docker, enum gc_mode mode,
                        const struct container_row *row, long long now, enum owner_status *status,
                        long long deadline, struct error *failure)
{
    struct job_note note = JOB_NOTE_INIT;
    bool found;

    if (!owned_container_is_lasting(row->name))
        return false;
    *status = owner_status(&row->labels, now);
    if (!has_expired(row, now) &&
        (*status == OWNER_ALIVE || !was_not_started(docker, row, deadline)))
        return false;
    found = job_note_claim(&note, owned_container_digits(row->name));
    if (found && remove_orphan(docker, mode, row->name, deadline, NULL, failure))
        job_note_remove(&note);
    job_note_release(&note);
    return found;
}

/*
 * A job goes on without its owner. Those of other users are left to them. Returns how many are
 * orphans.
 */
static int collect_jobs(const struct docker *docker, enum gc_mode mode, gc_report *report,
                        void *context, long long deadline)
{
    CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;
    CLEANUP(strvec_release) struct strvec filters = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec keys = STRVEC_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const long long now = (long long)time(NULL);
    enum owner_status status;
    int found = 0;

    owner_job_user(&filters);
    add_owner_keys(&keys);
    strvec_push(&keys, ".State");
    strvec_push(&keys, job_keys[JOB_EXPIRES]);
    container_list(docker, &filters, &keys, deadline, NULL, &list, &ignored);
    for (size_t i = 0; i < list.count; i++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        const struct container_row *row = &list.rows[i];

        if (!collect_job(docker, mode, row, now, &status, deadline, &failure))
            continue;
        found++;
        if (report)
            report_orphan(report, context, row, status, has_expired(row, now), failure.message);
    }
    return found;
}

int gc_collect(const struct docker *docker, enum gc_mode mode, gc_report *report, void *context,
               const struct notifier *cancel, struct error *error)
{
    CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;
    const long long deadline = budget_deadline(docker, BUDGET_QUERY);
    bool has_jobs = false;
    int found = 0;

    if (list_owned(docker, deadline, cancel, &list, error) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        const struct container_row *row = &list.rows[i];
        enum owner_status status;

        if (notifier_raised(cancel))
            return error_set(error, ERROR_CANCELLED, "cancelled");
        if (owned_container_purpose(row->name) == PURPOSE_NONE)
            continue;
        status = owner_status(&row->labels, (long long)time(NULL));
        if (owned_container_is_lasting(row->name)) {
            has_jobs = has_jobs || status != OWNER_ALIVE;
            continue;
        }
        if (status == OWNER_ALIVE) {
            if (report && owned_container_purpose(row->name) == PURPOSE_SESSION)
                report_orphan(report, context, row, status, false, NULL);
            continue;
        }
        found++;
        remove_orphan(docker, mode, row->name, deadline, cancel, &failure);
        if (report)
            report_orphan(report, context, row, status, false, failure.message);
    }
    if (has_jobs)
        found += collect_jobs(docker, mode, report, context, deadline);
    if (mode != GC_LIST)
        job_notes_prune((long long)time(NULL));
    if (list.truncated)
        return error_set(error, ERROR_ENGINE, "the list of containers is too long");
    return found;
}

/* Removes the containers with these labels. Returns how many there were; -1: it is not known. */
static int collect_labelled(const struct docker *docker, const struct strvec *labels)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;
    const long long deadline = budget_deadline(docker, BUDGET_GC);
    int jobs = 0; /* that go on */

    if (container_list(docker, labels, NULL, deadline, NULL, &list, &error) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* the next pass tries again */

        if (owned_container_purpose(list.rows[i].name) == PURPOSE_NONE)
            continue;
        if (owned_container_is_lasting(list.rows[i].name)) {
            jobs++;
            continue;
        }
        container_lift_cpus(docker, list.rows[i].name, NULL, deadline);
        container_remove(docker, list.rows[i].name, NULL, deadline, NULL, &ignored);
    }
    if (jobs > 0)
        collect_jobs(docker, GC_ONE_PASS, NULL, NULL, deadline);
    return (int)list.count - jobs;
}

static void sleep_ms(long long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* Sleeps for as long as nothing has changed, within the bounds of a pause. */
static void pause_collection(long long unchanged_ms)
{
    const long long max = unchanged_ms < MAX_PAUSE_MS ? unchanged_ms : MAX_PAUSE_MS;

    sleep_ms(max > MIN_PAUSE_MS ? max : MIN_PAUSE_MS);
}

void gc_until_quiet(const struct docker *docker, const struct strvec *labels)
{
    const long long budget = budget_ms(docker, BUDGET_GC);
    const long long quiet_ms = budget > MIN_QUIET_MS ? budget : MIN_QUIET_MS;
    const long long deadline = clock_now_ms() + MAX_QUIET_TIMES * quiet_ms;
    long long since = 0; /* when the engine first listed no container, or first failed */
    int last = 1;

    sleep_ms(CONTAINER_LIFT_AFTER_MS); /* most containers end by themselves meanwhile */
    while (clock_now_ms() < deadline) {
        const int found = collect_labelled(docker, labels);

        if (found > 0 || found != last)
            since = clock_now_ms();
        else if (found == 0 && clock_now_ms() - since >= quiet_ms)
            break;
        last = found;
        pause_collection(clock_now_ms() - since);
    }
}
