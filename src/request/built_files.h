/*
 * What the build of a program that several runs need has left in its working directory: the first
 * run builds it and shares it with the others, which wait for that and need no build of their own.
 * Knows nothing of how it gets out of a container and into the next one.
 */
#ifndef REQUEST_BUILT_FILES_H
#define REQUEST_BUILT_FILES_H

#include <pthread.h>
#include <stdbool.h>

#include "base/notifier.h"
#include "base/shared_file.h"

struct built_files {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_begun, is_awaited;   /* by the first run that needs it; others wait for that run */
    struct shared_file *archive; /* owned; a tar archive; NULL: it was not built yet */
};

#define BUILT_FILES_INIT                                                                           \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                     \
    }

/*
 * A reference of the caller's own to the archive, for which it waits while the first run builds, or
 * until `cancel` is raised; NULL: there is none, so the caller builds. *is_first: it is that run,
 * and has to call built_files_give_up() when it has built.
 */
struct shared_file *built_files_find(struct built_files *built, const struct notifier *cancel,
                                     bool *is_first);

/* After `cancel` of one of those that wait is raised. */
void built_files_wake(struct built_files *built);

/* Takes over the archive, unless there is one; those that wait get it. */
void built_files_share(struct built_files *built, struct shared_file *archive);

/* The first run has built: if it has shared nothing, those that wait build, too. */
void built_files_give_up(struct built_files *built);

/* Nothing runs any more that uses it. */
void built_files_release(struct built_files *built);

#endif
