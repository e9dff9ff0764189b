/*
 * Parses the table of mounts, /proc/PID/mountinfo (proc_pid_mountinfo(5)). Paths in it come from
 * images, engines and configurations, so that nothing in it is trusted. Opens nothing.
 */
#ifndef SUPERVISOR_MOUNTS_H
#define SUPERVISOR_MOUNTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct mount {
    char path[PATH_MAX]; /* where it is mounted */
    char type[32];       /* of the file system; the end of a longer name is cut off */
    bool writable;       /* by its own options and by those of the file system */
};

/* Reads a line, without its end. False if it is none of the table; *mount is undefined then. */
bool mount_parse(const char *line, size_t length, struct mount *mount);

#endif
