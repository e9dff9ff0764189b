#include "service/gc.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "run/owned_container.h"

/*
 * How long it looks: until there has been nothing for as long as the engine may take, but for QUIET_MS at
 * least; MOST_TIMES as long at most.
 */
enum { QUIET_MS = 10000, MOST_TIMES = 6 };

/* The pause between two looks. An engine that has gone is not asked each second. */
enum { WAIT_LEAST_MS = 1000, WAIT_MOST_MS = 30000 };

/* The fields of a line that docker prints of a container; what owner_status() reads is the last. */
enum { FIELD_NAME, FIELD_STATE, FIELD_HOST, FIELD_PID, FIELD_OWNER, FIELDS };
#define TEMPLATE_START                                                                             \
    "{{.Names}}\t{{.Status}}\t{{json (.Label \"isolator.host\")}}\t{{json (.Label "                \
    "\"isolator.pid\")}}\t"

/* Cuts the line at its tabs. False where it has not as many fields. */
static bool cut(char *line, char *fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line = strchr(line, '\t');
        if ((i < FIELDS - 1) != (line != NULL))
            return false;
        if (line)
            *line++ = '\0';
    }
    return true;
}

/* What stands between the quotes of a JSON string, in its place. */
static const char *unquoted(char *json)
{
    const size_t length = strlen(json);

    if (length < 2 || json[0] != '"' || json[length - 1] != '"')
        return json;
    json[length - 1] = '\0';
    return json + 1;
}

static void tell(gc_report *report, void *context, char *const fields[FIELDS],
                 enum owner_status status, const char *failure)
{
    CLEANUP_FREE char *state = text_escape(fields[FIELD_STATE]);
    CLEANUP_FREE char *host = text_escape(unquoted(fields[FIELD_HOST]));
    CLEANUP_FREE char *pid = text_escape(unquoted(fields[FIELD_PID]));
    const struct orphan orphan = {.name = fields[FIELD_NAME],
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

int gc_collect(const struct docker *docker, enum gc_mode how, gc_report *report, void *context,
               const struct notifier *cancel, struct error *error)
{
    CLEANUP(strvec_release) struct strvec labels = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;
    CLEANUP_FREE char *template = string_format("%s%s", TEMPLATE_START, owner_template);
    const long long deadline = budget_deadline(docker, BUDGET_QUERY);
    int found = 0, listed;

    strvec_push(&labels, owner_label);
    listed = container_list(docker, &labels, template, deadline, cancel, &lines, error);
    if (listed < 0)
        return -1;
    for (size_t i = 0; i < lines.count; i++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        enum owner_status status;
        char *fields[FIELDS];

        if (notifier_raised(cancel))
            return error_set(error, ERROR_CANCELLED, "cancelled");
        if (!cut(lines.items[i], fields) || !owned_container_is_name(fields[FIELD_NAME]))
            continue;
        status = owner_status(fields[FIELD_OWNER], (long long)time(NULL));
        if (status == OWNER_ALIVE)
            continue;
        found++;
        take(docker, how, fields[FIELD_NAME], deadline, cancel, &failure);
        if (report)
            tell(report, context, fields, status, failure.message);
    }
    if (listed > 0)
        return error_set(error, ERROR_ENGINE, "the list of containers is too long to see its end");
    return found;
}

/* Removes the containers with these labels. How many there were; -1: the engine did not say. */
static int sweep(const struct docker *docker, const struct strvec *labels)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const long long deadline = budget_deadline(docker, BUDGET_GC);

    if (container_list(docker, labels, "{{.Names}}", deadline, NULL, &names, &error) < 0)
        return -1;
    for (size_t i = 0; i < names.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* it is looked for again */

        if (owned_container_is_name(names.items[i]))
            container_remove(docker, names.items[i], NULL, deadline, NULL, &ignored);
    }
    return (int)names.count;
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
