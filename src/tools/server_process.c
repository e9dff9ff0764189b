#include "tools/server_process.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/environment.h"
#include "docker/install_advice.h"

static bool is_same_file(const char *path, const struct stat *file)
{
    struct stat status;

    return stat(path, &status) == 0 && status.st_dev == file->st_dev &&
           status.st_ino == file->st_ino;
}

/* Whether the command is this program, or isolator or isolator-mcp in its directory. */
static bool is_isolator(const char *command)
{
    static const char *const siblings[] = {"isolator", "isolator-mcp"};
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    CLEANUP_FREE char *found = install_find_command(command);
    struct stat file;
    char *slash;

    if (!found || stat(found, &file) != 0)
        return false;
    if (is_same_file("/proc/self/exe", &file))
        return true;
    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof siblings / sizeof *siblings; i++) {
        CLEANUP_FREE char *sibling =
            string_format("%.*s/%s", (int)(slash - self), self, siblings[i]);

        if (is_same_file(sibling, &file))
            return true;
    }
    return false;
}

static void add_own_variables(struct strvec *environment)
{
    static const char *const names[] = {"PATH", "HOME", "LANG", "TMPDIR"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            strvec_pushf(environment, "%s=%s", names[i], getenv(names[i]));
}

int server_process_start(struct process *process, const struct tool_server *server,
                         struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP(tool_environment_wipe) struct strvec given = STRVEC_INIT;
    CLEANUP(tool_environment_wipe) struct strvec environment = STRVEC_INIT;
    const struct process_options options = {
        .arguments = &arguments, .stdin_kind = PROCESS_STDIN_PIPE, .environment = &environment};

    if (is_isolator(server->command)) {
        CLEANUP_FREE char *shown = text_escape_short(server->command, TEXT_SHOWN_MAX);

        return error_set(error, ERROR_CONFIG,
                         "the command '%s' is isolator itself, which cannot be a tool server",
                         shown);
    }
    add_own_variables(&environment);
    if (tool_environment_read(server, &given, error) != 0)
        return -1;
    for (size_t i = 0; i < given.count; i++)
        environment_set(&environment, given.items[i]);
    strvec_push(&arguments, server->command);
    strvec_push_all(&arguments, &server->arguments);
    return process_start(process, &options, error);
}
