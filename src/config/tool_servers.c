#include "config/tool_servers.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/network_credential.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

bool tool_server_name_is_valid(const char *name)
{
    const size_t length = strlen(name);

    return length > 0 && length <= TOOL_SERVER_NAME_MAX && strspn(name, LETTERS) > 0 &&
           strspn(name, LETTERS DIGITS "_-") == length;
}

bool tool_pattern_is_valid(const char *pattern)
{
    const size_t length = strlen(pattern);

    return length > 0 && length <= TOOL_PATTERN_MAX &&
           strspn(pattern, LETTERS DIGITS "_.*?-") == length;
}

static bool begins_like_place(const char *value)
{
    return strncmp(value, "env:", strlen("env:")) == 0 ||
           strncmp(value, "file:", strlen("file:")) == 0;
}

int tool_value_check(const char *value, struct error *error)
{
    CLEANUP(error_release) struct error unclear = ERROR_INIT;
    struct network_credential place;
    int result = 0;

    if (!begins_like_place(value))
        return 0;
    network_credential_init(&place);
    if (network_credential_set_from(&place, value, &unclear) != 0)
        result = error_set(error, ERROR_USAGE,
                           "the place of a value is env:NAME or file:/ABSOLUTE/PATH");
    network_credential_release(&place);
    return result;
}

const char *tool_value_variable(const char *value)
{
    return strncmp(value, "env:", strlen("env:")) == 0 ? value + strlen("env:") : NULL;
}

/* Reads the value from its place; *value is owned by the caller. */
static int read_place(const char *from, char **value, struct error *error)
{
    struct network_credential place;
    int result;

    network_credential_init(&place);
    result = network_credential_set_from(&place, from, error);
    if (result == 0)
        result = network_credential_read(&place, value, error);
    network_credential_release(&place);
    return result;
}

int tool_environment_read(const struct tool_server *server, struct strvec *environment,
                          struct error *error)
{
    for (size_t i = 0; i < server->environment.count; i++) {
        const char *assignment = server->environment.items[i];
        const char *given = strchr(assignment, '=') + 1;
        const int name = (int)(given - assignment) - 1;
        CLEANUP(network_credential_wipe) char *value = NULL;

        if (!begins_like_place(given)) {
            strvec_push(environment, assignment);
            continue;
        }
        if (read_place(given, &value, error) != 0)
            return error_prefix(error, "variable '%.*s'", name, assignment);
        strvec_pushf(environment, "%.*s=%s", name, assignment, value);
    }
    return 0;
}

void tool_environment_wipe(struct strvec *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        network_credential_wipe(&environment->items[i]);
    strvec_release(environment);
}

void tool_server_release(struct tool_server *server)
{
    free(server->name);
    free(server->command);
    strvec_release(&server->arguments);
    strvec_release(&server->environment);
    strvec_release(&server->allow);
    strvec_release(&server->ask);
}
