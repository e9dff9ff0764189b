/*
 * Files in memory, by their paths in the working directory.
 */
#ifndef CONFIG_INPUT_FILES_H
#define CONFIG_INPUT_FILES_H

#include <stddef.h>

#include "base/error.h"

/* Bytes of a path in the working directory. */
enum { INPUT_FILES_PATH_MAX = 4000 };

struct input_file {
    char *path; /* owned */
    char *data; /* owned */
    size_t length;
};

struct input_files {
    struct input_file *items; /* owned */
    size_t count;
};

#define INPUT_FILES_INIT                                                                           \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* Copies the path and takes the data, which came from malloc(3), over. */
void input_files_add(struct input_files *files, const char *path, char *data, size_t length);

/*
 * The rule for paths inside the workdir: relative, at most INPUT_FILES_PATH_MAX bytes, no "..", ".", empty or over-long
 * part. ERROR_INPUT.
 */
int input_files_check_path(const char *path, struct error *error);

/*
 * Whether the paths can stand side by side and beside the entrypoint: all by the rule, none twice, none
 * that is a directory of another one. ERROR_INPUT.
 */
int input_files_check(const struct input_files *files, const char *entrypoint, struct error *error);

void input_files_release(struct input_files *files);

#endif
