#include "service/job_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "container/owned_container.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "docker/container_list.h"

/* The column of the state, after the labels. */
enum { STATE = JOB_LABELS };

bool job_state_runs(const char *state)
{
    return strcmp(state, "running") == 0 || strcmp(state, "paused") == 0;
}

/* A time in a label; 0 if it is none. */
static long long read_time(const char *text)
{
    char *end;
    const long long time = strtoll(text, &end, 10);

    return *text && *end == '\0' && time > 0 && time < (1LL << 48) ? time : 0;
}

static void add_row(struct job_list *list, const struct container_row *container)
{
    char *const *values = container->labels.items;
    struct job_row *row;

    list->rows = memory_resize(list->rows, (list->count + 1) * sizeof *list->rows);
    row = &list->rows[list->count++];
    *row = (struct job_row){.purpose = owned_container_purpose(container->name),
                            .name = string_copy(values[JOB_NAME]),
                            .language = string_copy(values[JOB_LANGUAGE]),
                            .state = string_copy(values[STATE]),
                            .started = read_time(values[JOB_STARTED]),
                            .ends = read_time(values[JOB_ENDS])};
    memcpy(row->id, owned_container_digits(container->name), sizeof row->id);
}

/*
 * docker ps reads a copy of the containers, which docker start writes after the container runs
 * (moby, daemon/start.go, containerStart), so a job that has started can be in it as "created".
 * docker inspect waits for the start.
 */
static void correct_state(struct job_row *row, const struct docker *docker)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP_FREE char *container = owned_container_name_for(row->purpose, row->id);
    struct container_state state;

    if (strcmp(row->state, "created") != 0 || job_note_stage(row->id) != JOB_STAGE_STARTED ||
        container_inspect(docker, container, budget_deadline(docker, BUDGET_QUERY), &state,
                          &ignored) != 0 ||
        !state.started)
        return;
    free(row->state);
    row->state = string_copy(state.ended ? "exited" : "running");
}

int job_list_read(struct job_list *list, const struct docker *docker, const struct notifier *cancel,
                  struct error *error)
{
    CLEANUP(container_list_release) struct container_list containers = CONTAINER_LIST_INIT;
    CLEANUP(strvec_release) struct strvec filters = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec keys = STRVEC_INIT;

    owner_job_user(&filters);
    for (size_t i = 0; i < JOB_LABELS; i++)
        strvec_push(&keys, job_keys[i]);
    strvec_push(&keys, ".State");
    if (container_list(docker, &filters, &keys, budget_deadline(docker, BUDGET_QUERY), cancel,
                       &containers, error) != 0)
        return -1;
    for (size_t i = 0; i < containers.count; i++)
        if (owned_container_is_lasting(containers.rows[i].name))
            add_row(list, &containers.rows[i]);
    for (size_t i = 0; i < list->count; i++)
        correct_state(&list->rows[i], docker);
    if (containers.truncated)
        return error_set(error, ERROR_ENGINE, "the list of containers is too long");
    return 0;
}

void job_list_release(struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].name);
        free(list->rows[i].language);
        free(list->rows[i].state);
    }
    free(list->rows);
    *list = (struct job_list)JOB_LIST_INIT;
}
