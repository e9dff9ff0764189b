#include "docker/install_advice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1 << 14, VALUE_MAX = 200 };

/* By the ID of os-release. The packages have the docker command and the engine. */
static const struct {
    const char *id, *command;
} distributions[] = {
    {"debian", "sudo apt-get install docker.io"},
    {"ubuntu", "sudo apt-get install docker.io"},
    {"fedora", "sudo dnf install moby-engine"},
    {"amzn", "sudo dnf install docker"},
    {"alpine", "apk add docker"},
    {"arch", "sudo pacman -S docker"},
    {"suse", "sudo zypper install docker"},
    {"opensuse", "sudo zypper install docker"},
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

/* The command for the first of these words that is known; NULL: none is. */
static const char *find_command(char *words)
{
    char *rest = NULL;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
            if (strcmp(word, distributions[i].id) == 0)
                return distributions[i].command;
    return NULL;
}

/* ID_LIKE of Rocky Linux is "rhel centos fedora": what is like rhel does not have the package. */
const char *install_advice_for(const char *os_release)
{
    char value[VALUE_MAX];
    const char *command = NULL;

    if (find_value(os_release, "ID", value))
        command = find_command(value);
    if (!command && find_value(os_release, "ID_LIKE", value) && !strstr(value, "rhel"))
        command = find_command(value);
    return command;
}

const char *install_advice(void)
{
    static const char *const files[] = {"/etc/os-release", "/usr/lib/os-release"};
    char text[TEXT_MAX] = "";

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i], "re");

        if (file) {
            text[fread(text, 1, sizeof text - 1, file)] = '\0';
            fclose(file);
            return install_advice_for(text);
        }
    }
    return NULL;
}
