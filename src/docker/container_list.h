/*
 * Which containers the engine has, found by their labels.
 *
 * The labels of a container come from its creator, so a value may contain anything: quotes, line
 * breaks, escape sequences. It is returned unchanged; escape it before printing it.
 */
#ifndef DOCKER_CONTAINER_LIST_H
#define DOCKER_CONTAINER_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"

struct container_row {
    char *name;           /* owned */
    char *status;         /* owned; for people: "Created", "Up 3 minutes" */
    struct strvec labels; /* the values of the requested keys; "": no such label */
};

struct container_list {
    struct container_row *rows; /* newest first */
    size_t count;
    bool truncated; /* more than DOCKER_OUTPUT_MAX bytes: its end, the oldest, is missing */
};

#define CONTAINER_LIST_INIT                                                                        \
    {                                                                                              \
        .rows = NULL                                                                               \
    }

/*
 * Lists the containers, in any state, that have all labels of `filters` ("KEY" or "KEY=VALUE"),
 * with their values of `keys` (NULL: none). A key must not contain quotes or backslashes; with a
 * dot in front it names a field that `docker ps` has: ".State". A container whose row
 * cannot be read, such as one with a NUL in a label, is omitted. `list` must be empty; the caller
 * releases it, also after a failure. `cancel` may be NULL.
 */
int container_list(const struct docker *docker, const struct strvec *filters,
                   const struct strvec *keys, long long deadline, const struct notifier *cancel,
                   struct container_list *list, struct error *error);

/*
 * Appends the row that one line of docker ps gives for a container; false, and nothing is added, if
 * it is not a row with `keys` labels. For tests too.
 */
bool container_list_add(struct container_list *list, const char *line, size_t length, size_t keys);

void container_list_release(struct container_list *list);

#endif
