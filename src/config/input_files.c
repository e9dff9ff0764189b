#include "config/input_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Doubles the array whenever a power of two is full, so that many files take linear time. */
static void make_room(struct input_files *files)
{
    if (files->count & (files->count - 1))
        return;
    files->items = memory_resize(files->items, (2 * files->count + 1) * sizeof *files->items);
}

void input_files_add(struct input_files *files, const char *path, char *data, size_t length)
{
    make_room(files);
    files->items[files->count++] =
        (struct input_file){.path = string_copy(path), .data = data, .length = length};
}

void input_files_add_range(struct input_files *files, const char *path, struct file_range range)
{
    make_room(files);
    files->items[files->count++] = (struct input_file){.path = string_copy(path), .range = range};
}

bool input_files_have_ranges(const struct input_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].range.file)
            return true;
    return false;
}

int input_files_check_path(const char *path, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(path, TEXT_SHOWN_MAX);
    const char *part = path;

    if (path[0] == '/')
        return error_set(error, ERROR_INPUT, "'%s' must be relative to the directory", shown);
    if (strlen(path) > INPUT_FILES_PATH_MAX)
        return error_set(error, ERROR_INPUT, "path longer than %d bytes: '%s'",
                         INPUT_FILES_PATH_MAX, shown);
    for (;;) {
        const size_t length = strcspn(part, "/");

        if (length == 0 || (length == 1 && part[0] == '.') ||
            (length == 2 && strncmp(part, "..", 2) == 0))
            return error_set(error, ERROR_INPUT, "'%s' must not have '..', '.' or empty parts",
                             shown);
        if (length > 255)
            return error_set(error, ERROR_INPUT, "a part of '%s' is longer than 255 bytes", shown);
        if (part[length] == '\0')
            return 0;
        part += length + 1;
    }
}

const char *input_files_below(const char *path, const char *workdir)
{
    const size_t length = strlen(workdir);

    if (strncmp(path, workdir, length) == 0 && path[length] == '/')
        for (path += length; *path == '/';)
            path++;
    while (strncmp(path, "./", 2) == 0)
        for (path += 2; *path == '/';)
            path++;
    return path;
}

char *input_files_path(const char *path, const char *workdir, struct error *error)
{
    const char *below = input_files_below(path, workdir);

    return input_files_check_path(below, error) == 0 ? string_copy(below) : NULL;
}

/* The order of bytes in paths: '/' comes first, so that "a/b" follows "a" directly. */
static int rank(char byte)
{
    return byte == '\0' ? 0 : byte == '/' ? 1 : (unsigned char)byte + 2;
}

static int compare_paths(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;

    while (*left && *left == *right) {
        left++;
        right++;
    }
    return rank(*left) - rank(*right);
}

/* Refuses two neighbours in that order if they are equal or one is the directory of the other. */
static int check_neighbours(const char *first, const char *second, struct error *error)
{
    const size_t length = strlen(first);
    CLEANUP_FREE char *shown = NULL;

    if (strncmp(first, second, length) != 0 || (second[length] != '\0' && second[length] != '/'))
        return 0;
    shown = text_escape_short(first, TEXT_SHOWN_MAX);
    return error_set(error, ERROR_INPUT,
                     second[length] == '\0'
                         ? "two files have the name '%s'"
                         : "'%s' is the name of a file and of a directory of other files",
                     shown);
}

int input_files_check(const struct input_files *files, const char *entrypoint, struct error *error)
{
    CLEANUP_FREE const char **sorted = memory_allocate((files->count + 1) * sizeof *sorted);
    size_t count = 0;

    if (entrypoint)
        sorted[count++] = entrypoint;
    for (size_t i = 0; i < files->count; i++) {
        if (input_files_check_path(files->items[i].path, error) != 0)
            return -1;
        sorted[count++] = files->items[i].path;
    }
    qsort(sorted, count, sizeof *sorted, compare_paths);
    for (size_t i = 1; i < count; i++)
        if (check_neighbours(sorted[i - 1], sorted[i], error) != 0)
            return -1;
    return 0;
}

void input_files_release(struct input_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].data);
        shared_file_release(files->items[i].range.file);
    }
    free(files->items);
    *files = (struct input_files)INPUT_FILES_INIT;
}
