#include "config/workdir.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

int workdir_check(const char *path, struct error *error)
{
    /* A file system over these would break the container or its isolation. */
    static const char *const refused[] = {"/proc", "/sys", "/dev",   "/etc", "/bin",
                                          "/sbin", "/lib", "/lib64", "/usr"};
    const size_t length = strlen(path);
    CLEANUP_FREE char *shown = text_escape(path);
    bool good = path[0] == '/' && length > 1 && length < 256 && path[length - 1] != '/' &&
                !strstr(path, "//") && !strpbrk(path, " \t\n\r:,\"'\\$`");

    for (const char *part = path; good && (part = strchr(part, '/')); part++)
        if (strncmp(part, "/./", 3) == 0 || strncmp(part, "/../", 4) == 0 ||
            strcmp(part, "/.") == 0 || strcmp(part, "/..") == 0)
            good = false;
    if (!good)
        return error_set(error, ERROR_USAGE,
                         "'%s' is not a working directory; write an absolute path like /workspace",
                         shown);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const size_t part = strlen(refused[i]);
        if (strncmp(path, refused[i], part) == 0 && (path[part] == '/' || path[part] == '\0'))
            return error_set(error, ERROR_USAGE,
                             "'%s' cannot be the working directory: it lies in "
                             "the system's %s",
                             shown, refused[i]);
    }
    return 0;
}
