/*
 * Writes whole files so that no reader takes a part for the whole.
 */
#ifndef BASE_FILE_REPLACE_H
#define BASE_FILE_REPLACE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Creates the directories above the file, readable only by their owner, as the XDG Base Directory
 * Specification has it. If that fails, creating the file fails too.
 */
void file_make_directories(const char *path);

/*
 * Writes a new file next to `path` to the disk and renames it, so that readers see either the
 * former content or the new one. It gets the permissions and the owner of `like`, or, if that is
 * NULL, can be read and written by its owner alone. If `path` is a symbolic link, the link itself
 * is replaced. 0, or -1 with errno; then nothing has changed.
 */
int file_replace(const char *path, const void *data, size_t length, const struct stat *like);

/*
 * Writes to the file itself, which may also be a device or a pipe. 0, or -1 with errno; a regular
 * file is removed then.
 */
int file_write(const char *path, const void *data, size_t length);

#endif
