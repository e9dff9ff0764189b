/*
 * What a process remembers of one engine while it runs: images without a shell. Nothing of it is
 * kept on disk. Several threads may share one.
 */
#ifndef DOCKER_ENGINE_MEMORY_H
#define DOCKER_ENGINE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>

#include "base/strvec.h"

struct engine_memory {
    pthread_mutex_t lock;
    struct strvec without_shell; /* names of images, as they were given; bounded */
};

void engine_memory_init(struct engine_memory *memory);
void engine_memory_release(struct engine_memory *memory);

/* Remember and tell that an image has no shell. `memory` NULL: nothing is remembered. */
void engine_memory_set_without_shell(struct engine_memory *memory, const char *image);
bool engine_memory_is_without_shell(struct engine_memory *memory, const char *image);

#endif
