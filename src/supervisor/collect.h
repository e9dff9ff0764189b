/*
 * Writes a directory as a tar archive: all files below it, with names that begin with "./". Every
 * process of the program has ended by then, but what it has left is hostile: links are not
 * followed, files that are none are not opened, and sizes, entries and levels are bounded.
 *
 * It does so for a list of the files, in which what cannot be read is named, or for an exact copy,
 * which supervisor/unpack.h can lay out again.
 */
#ifndef SUPERVISOR_COLLECT_H
#define SUPERVISOR_COLLECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collect {
    /* Takes bytes of the archive. May wait. False ends the collection. */
    bool (*write)(void *context, const void *data, size_t length);
    /* Takes the path of a file that is not in the archive because of its size. */
    bool (*too_large)(void *context, const char *path);
    void *context;
    /*
     * The archive also has directories, the targets of symbolic links and times of modification,
     * and no FIFOs, sockets and devices. What cannot be read ends the collection.
     */
    bool exact;
    /*
     * There may be files of the kernel (/proc, /sys), which have other sizes than they say: a small
     * file is read before its header is written. What is larger then, or cannot be read, is named.
     * A large file that ends before its size ends the collection: EIO.
     */
    bool measures;
    uint64_t file_max; /* bytes of one file */
    uint64_t left;     /* bytes that the archive may still have */
    long entries;      /* so far */
    /* Why it ended early: errno, 0 if write() or too_large() did that. */
    int error;
    char path[PATH_MAX]; /* of the entry that it looks at, or did at its end */
};

/*
 * The limits of what is looked at: a program that needs more entries (E2BIG), more levels or longer
 * paths (ENAMETOOLONG) gets an archive that ends early, without its end.
 */
enum { COLLECT_DEPTH_MAX = 128, COLLECT_ENTRIES_MAX = 200000 };

/*
 * Collects the directory, an open descriptor, which is borrowed. False if it was ended, or if a
 * limit was reached.
 */
bool collect_directory(struct collect *collect, int directory);

/*
 * The parts of an archive of several: what is in the directory, an entry of it, and the end. They
 * fail in the same way.
 */
bool collect_contents(struct collect *collect, int directory);
bool collect_named(struct collect *collect, int directory, const char *name);
bool collect_end(struct collect *collect);

#endif
