/*
 * Files in memory, by their paths in the working directory.
 */
#ifndef SANDBOX_FILES_H
#define SANDBOX_FILES_H

#include <stddef.h>

#include "base/error.h"

/* Bytes of a path in the working directory. */
enum { FILES_PATH_MAX = 4000 };

struct file {
    char *path; /* owned */
    char *data; /* owned */
    size_t length;
};

struct files {
    struct file *items; /* owned */
    size_t count;
};

#define FILES_INIT                                                                                 \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* Copies the path and takes the data, which came from malloc(3), over. */
void files_add(struct files *files, const char *path, char *data, size_t length);

/*
 * The rule for paths inside the workdir: relative, at most FILES_PATH_MAX bytes, no "..", ".", empty or over-long
 * part. ERROR_INPUT.
 */
int files_check_path(const char *path, struct error *error);

/*
 * Whether the paths can stand side by side and beside the entrypoint: all by the rule, none twice, none
 * that is a directory of another one. ERROR_INPUT.
 */
int files_check(const struct files *files, const char *entrypoint, struct error *error);

void files_release(struct files *files);

#endif
