#include "config/config_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

int config_read_file(const char *path, struct strbuf *text, struct error *error)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    char chunk[4096];
    ssize_t length = 0;

    if (fd < 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot open the configuration '%s'", path);
    while (!text->is_cut && (length = read(fd, chunk, sizeof chunk)) > 0)
        strbuf_add(text, chunk, (size_t)length);
    if (text->is_cut)
        return error_set(error, ERROR_CONFIG, "%s: larger than 1 MiB", path);
    if (length < 0)
        return error_set_errno(error, ERROR_CONFIG, "cannot read the configuration '%s'", path);
    return 0;
}

bool config_file_is_gone(const char *path)
{
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* The file below the directory of this variable, or below `otherwise` in the home directory. */
static char *xdg_path(const char *variable, const char *otherwise, const char *name)
{
    const char *xdg = getenv(variable);
    const char *home = getenv("HOME");

    if (xdg && *xdg == '/')
        return string_format("%s/isolator/%s", xdg, name);
    return string_format("%s/%s/isolator/%s", home && *home == '/' ? home : "", otherwise, name);
}

char *config_home(const char *name)
{
    return xdg_path("XDG_CONFIG_HOME", ".config", name);
}

char *config_state(const char *name)
{
    return xdg_path("XDG_STATE_HOME", ".local/state", name);
}
