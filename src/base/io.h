/*
 * Descriptors: all of a thing, where read(2) and write(2) may do a part.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stddef.h>

/* 0; -1 and errno where not all was written. For descriptors that block. */
int io_write_all(int fd, const void *data, size_t length);

#endif
