/*
 * The jobs of this user and host that are on the engine.
 */
#ifndef SERVICE_JOB_LIST_H
#define SERVICE_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "container/owned_container.h"
#include "docker/docker.h"
#include "service/job_note.h"

struct job_row {
    char id[JOB_ID_SIZE];
    enum container_purpose purpose; /* PURPOSE_JOB or PURPOSE_WORKSPACE */
    char *name, *language;          /* owned; untrusted: labels of the container; "": none */
    char *state; /* owned; the engine's word: "created", "running", "exited", "dead", "removing" */
    long long started; /* seconds since 1970; 0: not known */
    long long ends;    /* at its timeout at the latest; 0: not known */
};

struct job_list {
    struct job_row *rows; /* newest first */
    size_t count;
};

#define JOB_LIST_INIT                                                                              \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* Whether a job in this state has started and not ended. */
bool job_state_runs(const char *state);

/* Fills in an empty list, which the caller releases, also after a failure. */
int job_list_read(struct job_list *list, const struct docker *docker, const struct notifier *cancel,
                  struct error *error);

void job_list_release(struct job_list *list);

#endif
