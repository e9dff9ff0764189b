/*
 * Files by their paths in the working directory, and the rules for such paths. Their content is in
 * memory or, if it may be large, in an open file.
 */
#ifndef CONFIG_INPUT_FILES_H
#define CONFIG_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/shared_file.h"

/* Maximum bytes of a path in the working directory. */
enum { INPUT_FILES_PATH_MAX = 4000 };

struct input_file {
    char *path; /* owned */
    char *data; /* owned; the content, unless `range` has a file */
    size_t length;
    struct file_range range; /* owned */
};

struct input_files {
    struct input_file *items; /* owned */
    size_t count;
};

#define INPUT_FILES_INIT                                                                           \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* Adds a file. Copies the path, and takes ownership of the data, which malloc(3) returned. */
void input_files_add(struct input_files *files, const char *path, char *data, size_t length);

/*
 * The same for a file whose content is in an open file. Takes ownership of the range; its bytes are
 * read when the program is packed.
 */
void input_files_add_range(struct input_files *files, const char *path, struct file_range range);

/* Whether the content of any of them is in an open file. */
bool input_files_have_ranges(const struct input_files *files);

/*
 * Checks a path in the working directory: it must be relative, have at most INPUT_FILES_PATH_MAX
 * bytes, and no part that is "..", ".", empty or longer than 255 bytes. ERROR_INPUT.
 */
int input_files_check_path(const char *path, struct error *error);

/*
 * Returns the path in the working directory that a person or a model means, owned: "data.csv" is
 * also "./data.csv" and "/workspace/data.csv" if that is the working directory. NULL with
 * ERROR_INPUT if it is not allowed, as of input_files_check_path().
 */
char *input_files_path(const char *path, const char *workdir, struct error *error);

/* The start of the path or pattern below the working directory: without "./" and the latter. */
const char *input_files_below(const char *path, const char *workdir);

/*
 * Checks that all paths are allowed and can exist together, the entrypoint, unless it is NULL,
 * among them: none occurs twice, and none is a directory of another one. ERROR_INPUT.
 */
int input_files_check(const struct input_files *files, const char *entrypoint, struct error *error);

void input_files_release(struct input_files *files);

#endif
