/*
 * Input that cannot be read twice, such as a pipe, copied to where it can be.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/error.h"
#include "base/notifier.h"

/*
 * Copies all bytes that a descriptor (a pipe, for example) gives into an unnamed file in memory,
 * and returns its descriptor, owned by the caller. -1: ERROR_INPUT if there are more than `max`
 * bytes, ERROR_CANCELLED when `cancel` is raised. `name` is for messages.
 */
int spool_copy(int fd, long long max, const char *name, const struct notifier *cancel,
               struct error *error);

/*
 * The same for input of any size: the file has no name either, but is in $TMPDIR, by default /tmp.
 * Its offset is 0. ERROR_SYSTEM if it cannot be written. For a process without children so far.
 */
int spool_copy_to_disk(int fd, const char *name, const struct notifier *cancel,
                       struct error *error);

#endif
