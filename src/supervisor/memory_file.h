/* Files in memory, without a name: memfd_create(2). */
#ifndef SUPERVISOR_MEMORY_FILE_H
#define SUPERVISOR_MEMORY_FILE_H

/* Makes an empty one. -1: errno says why. */
int memory_file_make(const char *name);

/* Opens it once more, only for reading and with an offset of its own. -1: errno says why. */
int memory_file_reopen(int fd);

#endif
