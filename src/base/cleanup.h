/*
 * Ownership of local variables.
 *
 * A local that owns something is declared with one of these and initialised at once; when it goes
 * out of scope, whatever it still holds is given back. Ownership leaves a local only through
 * steal_pointer() or steal_fd(), which are visible at the place where it happens.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Calls function(&variable) at the end of the scope. */
#define CLEANUP(function) __attribute__((cleanup(function)))
#define CLEANUP_FREE      CLEANUP(cleanup_free)
#define CLEANUP_FD        CLEANUP(cleanup_fd)

/* Both keep errno: a function returns -1 with it, and its locals are cleaned up on the way out. */
static inline void cleanup_free(void *pointer)
{
    const int saved = errno;

    free(*(void **)pointer);
    errno = saved;
}

/* A descriptor local is -1 while it owns nothing. */
static inline void cleanup_fd(const int *fd)
{
    const int saved = errno;

    if (*fd >= 0)
        close(*fd);
    errno = saved;
}

static inline char *steal_pointer(char **pointer)
{
    char *value = *pointer;
    *pointer = NULL;
    return value;
}

static inline int steal_fd(int *fd)
{
    int value = *fd;
    *fd = -1;
    return value;
}

#endif
