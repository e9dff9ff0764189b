/*
 * Writes a directory as a tar archive: all files below it, with names that begin with
 * "./". Every process of the program has ended by then, but what it has left is hostile: links are
 * not followed, files that are none are not opened, and sizes, entries and levels are bounded.
 */
#ifndef SUPERVISOR_COLLECT_H
#define SUPERVISOR_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collect {
    /* Takes bytes of the archive. May wait. False ends the collection. */
    bool (*write)(void *context, const void *data, size_t length);
    /* Takes the path of a file that is not in the archive because of its size. */
    bool (*too_large)(void *context, const char *path);
    void *context;
    uint64_t file_max; /* bytes of one file */
    uint64_t left;     /* bytes that the archive may still have */
    long entries;      /* so far */
};

/*
 * The limits of what is looked at: a program that needs more levels or entries gets an archive that
 * ends early, without its end.
 */
enum { COLLECT_DEPTH_MAX = 128, COLLECT_ENTRIES_MAX = 200000 };

/*
 * Collects the directory, an open descriptor, which is borrowed. False if it was ended, or if a
 * limit was reached.
 */
bool collect_directory(struct collect *collect, int directory);

#endif
