/*
 * What the build of a program that several runs need has left in its working directory: the first
 * run that has built it shares it with those that begin after that, which need no build of their
 * own. Knows nothing of how it gets out of a container and into the next one.
 */
#ifndef REQUEST_BUILT_FILES_H
#define REQUEST_BUILT_FILES_H

#include <pthread.h>

#include "base/shared_file.h"

struct built_files {
    pthread_mutex_t lock;
    struct shared_file *archive; /* owned; a tar archive; NULL: it was not built yet */
};

#define BUILT_FILES_INIT                                                                           \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* A reference of the caller's own to the archive; NULL: there is none. */
struct shared_file *built_files_find(struct built_files *built);

/* Takes over the archive, unless there is one. */
void built_files_share(struct built_files *built, struct shared_file *archive);

/* Nothing runs any more that uses it. */
void built_files_release(struct built_files *built);

#endif
