#include "config/workdir.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

enum { LENGTH_MAX = 255 };

/* Returns the path with one slash in front of each part, and none at its end; owned. */
static char *normalise(const char *path)
{
    struct strbuf normal = STRBUF_INIT;

    while (*path) {
        const size_t slashes = strspn(path, "/"), length = strcspn(path + slashes, "/");

        if (length > 0)
            strbuf_addf(&normal, "%s%.*s", slashes > 0 ? "/" : "", (int)length, path + slashes);
        path += slashes + length;
    }
    return strbuf_steal(&normal);
}

/* Whether a part of a normalised path is "." or "..". */
static bool has_dots(const char *path)
{
    for (const char *part = path; (part = strchr(part, '/')); part++)
        if (strncmp(part, "/./", 3) == 0 || strncmp(part, "/../", 4) == 0 ||
            strcmp(part, "/.") == 0 || strcmp(part, "/..") == 0)
            return true;
    return false;
}

/*
 * Returns the system's directory that contains the path; NULL if there is none. A mount there would
 * break the container.
 */
static const char *system_directory(const char *path)
{
    static const char *const directories[] = {"/proc", "/sys", "/dev",   "/etc", "/bin",
                                              "/sbin", "/lib", "/lib64", "/usr"};

    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        const size_t length = strlen(directories[i]);

        if (strncmp(path, directories[i], length) == 0 &&
            (path[length] == '/' || path[length] == '\0'))
            return directories[i];
    }
    return NULL;
}

char *workdir_parse(const char *path, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FREE char *normal = normalise(path);
    const size_t length = strlen(normal);
    const char *directory = system_directory(normal);

    if (path[0] != '/' || length == 0 || strlen(path) > LENGTH_MAX || has_dots(normal) ||
        normal[length - 1] == ' ' || strpbrk(normal, "\t\n\r:,\"'\\$`")) {
        error_set(error, ERROR_USAGE,
                  "'%s' is not a working directory; write an absolute path like /workspace", shown);
        return NULL;
    }
    if (directory) {
        error_set(error, ERROR_USAGE,
                  "'%s' cannot be the working directory: it is in the system's %s", shown,
                  directory);
        return NULL;
    }
    return steal_pointer(&normal);
}
