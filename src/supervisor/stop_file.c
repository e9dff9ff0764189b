#define _GNU_SOURCE
#include "supervisor/stop_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Some file systems report no change. */
enum { CHECK_MS = 1000 };

void stop_file_open(struct stop_file *stop, const char *path)
{
    char directory[PATH_MAX];

    *stop = (struct stop_file){.path = path, .changes = -1};
    if (!path)
        return;
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    stop->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (stop->changes >= 0)
        inotify_add_watch(stop->changes, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

static void take_changes(void *context, int number)
{
    const struct stop_file *stop = context;
    char events[sizeof(struct inotify_event) + NAME_MAX + 1];

    (void)number;
    while (read(stop->changes, events, sizeof events) > 0)
        continue;
}

void stop_file_watch(struct stop_file *stop, struct loop *loop)
{
    if (!stop->path || stop->exists)
        return;
    loop_add(loop, stop->changes, POLLIN, take_changes, stop, 0);
    loop_limit(loop, CHECK_MS);
}

void stop_file_check(struct stop_file *stop)
{
    if (stop->path && !stop->exists)
        stop->exists = access(stop->path, F_OK) == 0;
}
