/*
 * The order to end a job, which has no connection: a file that isolator puts into the volume of the
 * supervisor. Only root can write there, so no program can give the order. Knows nothing of
 * requests.
 */
#ifndef SUPERVISOR_STOP_FILE_H
#define SUPERVISOR_STOP_FILE_H

#include <stdbool.h>

#include "base/loop.h"

struct stop_file {
    const char *path; /* borrowed; NULL: there is no such order */
    int changes;      /* inotify(7) of its directory; owned; -1: the kernel has none */
    bool exists;      /* event */
};

void stop_file_open(struct stop_file *stop, const char *path);

/* Looks when something changes in the directory, and once a second. */
void stop_file_watch(struct stop_file *stop, struct loop *loop);

/* For each turn of the loop. */
void stop_file_check(struct stop_file *stop);

#endif
