#include "docker/engine_memory.h"

/* More images than a configuration has; what is forgotten is found out again. */
enum { IMAGES_MAX = 1000 };

void engine_memory_init(struct engine_memory *memory)
{
    *memory = (struct engine_memory){.without_shell = STRVEC_INIT};
    pthread_mutex_init(&memory->lock, NULL);
}

void engine_memory_release(struct engine_memory *memory)
{
    strvec_release(&memory->without_shell);
    pthread_mutex_destroy(&memory->lock);
}

void engine_memory_set_without_shell(struct engine_memory *memory, const char *image)
{
    if (!memory)
        return;
    pthread_mutex_lock(&memory->lock);
    if (memory->without_shell.count >= IMAGES_MAX)
        strvec_release(&memory->without_shell);
    if (!strvec_contains(&memory->without_shell, image))
        strvec_push(&memory->without_shell, image);
    pthread_mutex_unlock(&memory->lock);
}

bool engine_memory_is_without_shell(struct engine_memory *memory, const char *image)
{
    bool without = false;

    if (!memory)
        return false;
    pthread_mutex_lock(&memory->lock);
    without = strvec_contains(&memory->without_shell, image);
    pthread_mutex_unlock(&memory->lock);
    return without;
}
