#include "docker/install_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { TEXT_MAX = 1 << 14, VALUE_MAX = 200 };

/*
 * By the ID of os-release. The packages have the command and the engine. What is like rhel has only
 * podman: ID_LIKE of Rocky Linux is "rhel centos fedora".
 */
static const struct distribution {
    const char *id;
    const char *commands[2]; /* by enum engine_kind */
} distributions[] = {
    {"debian", {"sudo apt-get install docker.io", "sudo apt-get install podman"}},
    {"ubuntu", {"sudo apt-get install docker.io", "sudo apt-get install podman"}},
    {"fedora", {"sudo dnf install moby-engine", "sudo dnf install podman"}},
    {"rhel", {NULL, "sudo dnf install podman"}},
    {"amzn", {"sudo dnf install docker", NULL}},
    {"alpine", {"apk add docker", "apk add podman"}},
    {"arch", {"sudo pacman -S docker", "sudo pacman -S podman"}},
    {"suse", {"sudo zypper install docker", "sudo zypper install podman"}},
    {"opensuse", {"sudo zypper install docker", "sudo zypper install podman"}},
};

/* Copies the value of NAME=value or NAME="value"; false: there is none. */
static bool find_value(const char *text, const char *name, char value[VALUE_MAX])
{
    const size_t length = strlen(name);

    while (text) {
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            text += length + 1;
            text += strspn(text, "\"'");
            snprintf(value, VALUE_MAX, "%.*s", (int)strcspn(text, "\"'\n"), text);
            return true;
        }
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return false;
}

/* The row of the first of these words that is known; NULL: none is. */
static const struct distribution *find_row(char *words)
{
    char *rest = NULL;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
            if (strcmp(word, distributions[i].id) == 0)
                return &distributions[i];
    return NULL;
}

const char *install_advice_for(enum engine_kind kind, const char *os_release)
{
    const struct distribution *row = NULL;
    char value[VALUE_MAX];

    if (find_value(os_release, "ID", value))
        row = find_row(value);
    if (!row && find_value(os_release, "ID_LIKE", value))
        row = find_row(value);
    return row ? row->commands[kind] : NULL;
}

const char *install_advice(enum engine_kind kind)
{
    static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"};
    char text[TEXT_MAX] = "";

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i], "re");

        if (file) {
            text[fread(text, 1, sizeof text - 1, file)] = '\0';
            fclose(file);
            return install_advice_for(kind, text);
        }
    }
    return NULL;
}

static bool is_executable_file(const char *file)
{
    struct stat status;

    return access(file, X_OK) == 0 && stat(file, &status) == 0 && S_ISREG(status.st_mode);
}

char *install_find_command(const char *command)
{
    const char *path = getenv("PATH");

    if (strchr(command, '/'))
        return is_executable_file(command) ? string_copy(command) : NULL;
    for (path = path ? path : "/bin:/usr/bin";; path++) {
        const size_t length = strcspn(path, ":"); /* an empty part is the current directory */
        char *file = string_format("%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? path : ".",
                                   command);

        if (is_executable_file(file))
            return file;
        free(file);
        path += length;
        if (*path == '\0')
            return NULL;
    }
}

bool install_podman_instead(const struct docker *docker)
{
    CLEANUP_FREE char *podman = install_find_command("podman");

    return podman && strcmp(docker->command, "docker") == 0;
}
