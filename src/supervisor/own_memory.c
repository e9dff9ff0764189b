#define _GNU_SOURCE
#include "supervisor/own_memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_BYTES = 64 * 1024 };

void own_memory_set_shared(void *start, size_t size, bool shared)
{
    const uintptr_t page = (uintptr_t)getpagesize();
    const uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)start + size) / page * page;

    if (first < end)
        madvise((char *)start + (first - (uintptr_t)start), end - first,
                shared ? MADV_DOFORK : MADV_DONTFORK);
}

void own_memory_touch(void *start, size_t size)
{
    for (size_t i = 0; i < size; i += 1024)
        __atomic_fetch_or((char *)start + i, 0, __ATOMIC_RELAXED);
}

void own_memory_touch_stack(void)
{
    volatile char stack[STACK_BYTES];

    for (size_t i = 0; i < sizeof stack; i += 1024)
        stack[i] = 0;
}
