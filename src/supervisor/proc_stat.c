#define _GNU_SOURCE
#include "supervisor/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int proc_stat_open(int proc, const char *path)
{
    char name[64];

    snprintf(name, sizeof name, "%s/stat", path);
    return openat(proc, name, O_RDONLY | O_CLOEXEC);
}

bool proc_stat_read(int fd, struct proc_stat *stat)
{
    char text[1024], *at;
    const ssize_t length = pread(fd, text, sizeof text - 1, 0);

    *stat = (struct proc_stat){.state = '?'};
    if (length <= 0)
        return false;
    text[length] = '\0';
    at = strrchr(text, ')'); /* the name before may have any bytes */
    if (!at || at[1] != ' ' || at[2] == '\0')
        return true;
    stat->state = at[2];
    at += 3;
    for (int i = PROC_STAT_PARENT; i < PROC_STAT_FIELDS; i++) {
        char *const before = at;

        stat->fields[i] = strtoull(before, &at, 10);
        if (at == before)
            return true;
    }
    stat->is_complete = true;
    return true;
}
