#include "service/gc.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "docker/container_list.h"
#include "run/owned_container.h"

/*
 * How long it looks: until there has been nothing for as long as the engine may take, but for QUIET_MS at
 * least; MOST_TIMES as long at most.
 */
enum { QUIET_MS = 10000, MOST_TIMES = 6 };

/* The pause between two looks. An engine that has gone is not asked each second. */
enum { WAIT_LEAST_MS = 1000, WAIT_MOST_MS = 30000 };

static void tell(gc_report *report, void *context, const struct container_row *row,
                 enum owner_status status, const char *failure)
{
    CLEANUP_FREE char *state = text_escape(row->status);
    CLEANUP_FREE char *host = text_escape(row->labels.items[OWNER_HOST]);
    CLEANUP_FREE char *pid = text_escape(row->labels.items[OWNER_PID]);
    const struct orphan orphan = {.name = row->name,
                                  .host = host,
                                  .pid = pid,
                                  .state = state,
                                  .status = status,
                                  .failure = failure};

    report(context, &orphan);
}

/* Removes it as hard as it shall; `failure` is set where it insisted in vain. */
static void take(const struct docker *docker, enum gc_mode how, const char *name,
                 long long deadline, const struct notifier *cancel, struct error *failure)
{
    if (how == GC_UNTIL_GONE)
        container_remove(docker, name, NULL, budget_deadline(docker, BUDGET_REMOVE), cancel,
                         failure);
    else if (how == GC_ONE_PASS && clock_now_ms() < deadline)
        container_discard(docker, name, deadline);
}

/* Every container that has the label of an owner, with the labels that owner_status() judges. */
static int list_owned(const struct docker *docker, long long deadline,
                      const struct notifier *cancel, struct container_list *list,
                      struct error *error)
{
    CLEANUP(strvec_release) struct strvec filters = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec keys = STRVEC_INIT;

    strvec_push(&filters, owner_keys[OWNER_PID]);
    for (size_t i = 0; i < OWNER_LABELS; i++)
        strvec_push(&keys, owner_keys[i]);
    return container_list(docker, &filters, &keys, deadline, cancel, list, error);
}

int gc_collect(const struct docker *docker, enum gc_mode how, gc_report *report, void *context,
               const struct notifier *cancel, struct error *error)
{
    CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;
    const long long deadline = budget_deadline(docker, BUDGET_QUERY);
    int found = 0;

    if (list_owned(docker, deadline, cancel, &list, error) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        const struct container_row *row = &list.rows[i];
        enum owner_status status;

        if (notifier_raised(cancel))
            return error_set(error, ERROR_CANCELLED, "cancelled");
        if (!owned_container_is_name(row->name))
            continue;
        status = owner_status(&row->labels, (long long)time(NULL));
        if (status == OWNER_ALIVE)
            continue;
        found++;
        take(docker, how, row->name, deadline, cancel, &failure);
        if (report)
            tell(report, context, row, status, failure.message);
    }
    if (list.truncated)
        return error_set(error, ERROR_ENGINE, "the list of containers is too long");
    return found;
}

/* Removes the containers with these labels. How many there were; -1: the engine did not say. */
static int sweep(const struct docker *docker, const struct strvec *labels)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(container_list_release) struct container_list list = CONTAINER_LIST_INIT;
    const long long deadline = budget_deadline(docker, BUDGET_GC);

    if (container_list(docker, labels, NULL, deadline, NULL, &list, &error) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* it is looked for again */

        if (owned_container_is_name(list.rows[i].name))
            container_remove(docker, list.rows[i].name, NULL, deadline, NULL, &ignored);
    }
    return (int)list.count;
}

/* A second, and the longer the longer nothing has changed. */
static void wait_for_more(long long unchanged_ms)
{
    const long long longest = unchanged_ms < WAIT_MOST_MS ? unchanged_ms : WAIT_MOST_MS;
    const long long wait = longest > WAIT_LEAST_MS ? longest : WAIT_LEAST_MS;
    const struct timespec pause = {wait / 1000, wait % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

void gc_until_quiet(const struct docker *docker, const struct strvec *labels)
{
    const long long share = budget_ms(docker, BUDGET_GC);
    const long long enough = share > QUIET_MS ? share : QUIET_MS;
    const long long deadline = clock_now_ms() + MOST_TIMES * enough;
    long long since = 0; /* when the engine began to say that there is nothing, or to fail */
    int last = 1;

    while (clock_now_ms() < deadline) {
        const int found = sweep(docker, labels);

        if (found > 0 || found != last)
            since = clock_now_ms();
        else if (found == 0 && clock_now_ms() - since >= enough)
            break;
        last = found;
        wait_for_more(clock_now_ms() - since);
    }
}
