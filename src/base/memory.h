/*
 * malloc(3) and realloc(3) that abort the process if there is no memory. What they return is freed
 * with free(3).
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* A size of 0 is allowed and gives memory too. */
void *memory_allocate(size_t size) __attribute__((returns_nonnull));
void *memory_resize(void *memory, size_t size) __attribute__((returns_nonnull));

#endif
