/*
 * `.isolatorignore`: which entries of a directory are not sent with it. Its lines are as in
 * .gitignore: a pattern of base/glob.h, for directories alone with a '/' at its end, and from the
 * directory itself with one at its start or inside; the last one that matches decides, and '!' in
 * front sends again what one before it left out. Empty lines and those that begin with '#' are
 * comments. What is in a directory that is left out cannot be sent.
 */
#ifndef RUN_IGNORE_FILE_H
#define RUN_IGNORE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/glob.h"

#define IGNORE_FILE ".isolatorignore"

struct ignore_file {
    struct ignore_pattern {
        struct glob glob;
        bool sends;          /* '!' */
        bool directory_only; /* '/' at its end */
    } * items;               /* owned */
    size_t count;
    long long left; /* steps that its patterns may take for all entries of the directory */
};

/* Owns nothing, and leaves out nothing. */
#define IGNORE_FILE_INIT                                                                           \
    {                                                                                              \
        .items = NULL                                                                              \
    }

/*
 * Reads the file of an open directory, which may have none. ERROR_INPUT, with the line, if a
 * pattern is wrong, or if it is not a regular file of at most 16 KiB.
 */
int ignore_file_read(struct ignore_file *ignored, int directory, struct error *error);

/*
 * Sets *left_out: whether the entry with this path, which is relative to the directory, is not to
 * be sent. ERROR_INPUT if the file has too many patterns for so many entries: file and directory
 * may be hostile.
 */
int ignore_file_ask(struct ignore_file *ignored, const char *path, bool is_directory,
                    bool *left_out, struct error *error);

void ignore_file_release(struct ignore_file *ignored);

#endif
