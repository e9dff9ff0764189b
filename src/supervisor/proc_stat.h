/*
 * /proc/PID/stat: what the kernel says of a process or of a thread, see proc_pid_stat(5).
 */
#ifndef SUPERVISOR_PROC_STAT_H
#define SUPERVISOR_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

/* Fields by their number there. */
enum {
    PROC_STAT_PARENT = 4, /* the first number after the state */
    PROC_STAT_GROUP = 5,
    PROC_STAT_FLAGS = 9,
    PROC_STAT_THREADS = 20,
    PROC_STAT_MEMORY = 23,
    PROC_STAT_CODE = 26, /* where the code of the program begins; 1: the reader may not know it */
    PROC_STAT_STATUS = 52,
    PROC_STAT_FIELDS
};

struct proc_stat {
    char state;       /* '?': the file has another form */
    bool is_complete; /* all fields from PROC_STAT_PARENT on were read */
    uint64_t fields[PROC_STAT_FIELDS];
};

/*
 * Opens the file of a process, PID, or of a thread, PID/task/TID. `proc` is /proc. Returns a
 * descriptor that the caller owns, or -1 with errno.
 */
int proc_stat_open(int proc, const char *path);

/* Reads the open file from its beginning. False: there is no such process any more. */
bool proc_stat_read(int fd, struct proc_stat *stat);

#endif
