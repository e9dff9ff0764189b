#include "base/memory.h"

#include <stdlib.h>

void *memory_allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory)
        abort();
    return memory;
}

void *memory_resize(void *memory, size_t size)
{
    memory = realloc(memory, size ? size : 1);
    if (!memory)
        abort();
    return memory;
}
