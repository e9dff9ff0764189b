/*
 * Lists a directory by the system call alone: without memory of its own, a few entries at a time,
 * so that to begin again after a change costs little.
 */
#ifndef SUPERVISOR_ENTRIES_H
#define SUPERVISOR_ENTRIES_H

#include <stddef.h>

struct entries {
    int directory; /* borrowed */
    size_t at, filled;
    _Alignas(8) char bytes[2048];
};

struct entry {
    const char *name;   /* valid until the next call */
    unsigned char type; /* DT_DIR and its like, see readdir(3) */
};

/* Begins with the first entry of the directory, an open descriptor. */
void entries_open(struct entries *entries, int directory);

/* Finds the next entry but "." and "..". 1; 0: there are no more; -1: errno says why. */
int entries_next(struct entries *entries, struct entry *entry);

#endif
