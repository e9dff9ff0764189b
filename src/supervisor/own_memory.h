/*
 * The memory of process 1 that it must have whatever a program does: the kernel must not have to
 * give any later, when there may be none. A process that is forked shares all pages until one of
 * the two writes to them, and then the kernel has to. The relay is forked and executes no file: so
 * it does not get the state of process 1, where the keys are, and process 1 writes to the rest
 * right after.
 */
#ifndef SUPERVISOR_OWN_MEMORY_H
#define SUPERVISOR_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Whole pages of a range. */
void own_memory_set_shared(void *start, size_t size, bool shared);

/* Writes to the stack of this thread that will be needed. */
void own_memory_touch_stack(void);

/* Writes to memory that another thread may use at the same time, and changes nothing. */
void own_memory_touch(void *start, size_t size);

#endif
