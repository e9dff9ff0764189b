/*
 * The files of the directory inputsDir, which requests of the server may name instead of sending
 * their content. They are regular files in the directory or below it. Links are not followed, and a
 * path with a part that begins with a dot is none: .git and .env stay private.
 */
#ifndef REQUEST_INPUTS_DIR_H
#define REQUEST_INPUTS_DIR_H

#include "base/error.h"
#include "base/shared_file.h"
#include "base/strvec.h"
#include "config/config.h"

/* Levels of directories, and files that are listed. */
enum { INPUTS_DEPTH_MAX = 16, INPUTS_MAX = 10000 };

/* Whether the directory can be read: 0, or -1 with ERROR_INPUT. */
int inputs_dir_check(const struct config *config, struct error *error);

/*
 * Adds the paths of the files below the directory, sorted; none if there is no directory. Each is
 * valid UTF-8.
 */
void inputs_dir_list(const struct config *config, struct strvec *paths);

/* Opens a file with all of its bytes. ERROR_INPUT. */
int inputs_dir_open(const struct config *config, const char *path, struct file_range *range,
                    struct error *error);

/*
 * Opens a regular file in or below a directory, of which all is said above. Returns the descriptor,
 * or -1 with errno, which is ENOENT if there is no such file.
 */
int inputs_dir_open_below(const char *directory, const char *path);

/* The type of a file by its first bytes and its name (base/mime.h); a constant. */
const char *inputs_dir_mime_type(const char *path, const struct file_range *range);

#endif
