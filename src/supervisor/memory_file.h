/* Files in memory, without a name: memfd_create(2). */
#ifndef SUPERVISOR_MEMORY_FILE_H
#define SUPERVISOR_MEMORY_FILE_H

#include <stdbool.h>

/* Makes an empty one. -1: errno says why. */
int memory_file_make(const char *name);

/* The flags of memfd_create(2) for one; without the second, for a kernel that refuses it. */
enum { MEMORY_FILE_FLAGS = 3, MEMORY_FILE_NOT_EXECUTABLE = 8 };

/* From now on no one can change it. False: errno says why. */
bool memory_file_seal(int fd);

/* Opens it once more, only for reading and with an offset of its own. -1: errno says why. */
int memory_file_reopen(int fd);

/* Makes one in place of a pipe: ends[0] is read, [1] is written. False: errno says why not. */
bool memory_file_open_pair(const char *name, int ends[2]);

#endif
