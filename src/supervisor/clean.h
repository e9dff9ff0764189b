/*
 * Empties the places of a container in which a program can leave something. No process of the
 * program is alive then, but what it has left is hostile: links are not followed, depth and number
 * of entries are whatever the memory allows, and all permissions may be taken away. Needs no memory
 * and two descriptors for that.
 */
#ifndef SUPERVISOR_CLEAN_H
#define SUPERVISOR_CLEAN_H

#include <stdbool.h>

#include "supervisor/places.h"

/*
 * Empties a place that was empty, and gives its root the permissions and times that it had. If the
 * root belongs to another user, and a program can write to it, its times become the current time.
 * Attributes that a program can set are removed. False: `failure` says why; the path is the place,
 * and the entry if that is in its root.
 */
bool clean_place(const struct place *place, const struct pace *pace, struct place_failure *failure);

/*
 * Removes all shared memory, semaphores and message queues of System V that the files "shm", "sem"
 * and "msg" of the directory list (/proc/sysvipc). A kernel without these files has none.
 */
bool clean_sysv(const char *directory, const struct pace *pace, struct place_failure *failure);

/*
 * Whether there are UNIX sockets, by a list like /proc/net/unix. Those that hold each other in
 * messages outlive the processes that had them, with all files in the messages, until the kernel
 * has collected them. A kernel without the list has none.
 */
bool clean_has_sockets(const char *list);

#endif
