#include "request/shell_command.h"

#include <stdbool.h>
#include <string.h>

#include "config/drivers.h"

/* The words after it are the driver, $0, the code and names of variables. */
static const char launcher[] = "if command -v bash >/dev/null 2>&1; then\n"
                               "    exec bash --norc --noprofile -c \"$@\"\n"
                               "fi\n"
                               "exec sh -c \"$@\"\n";

/* isolator sets them for a command that may reach hosts or tools, and not for the next one. */
static const char *const relayed[] = {"http_proxy",         "https_proxy",   "no_proxy",
                                      "HTTP_PROXY",         "HTTPS_PROXY",   "NO_PROXY",
                                      "NODE_USE_ENV_PROXY", "ISOLATOR_TOOLS"};

/* What is no name cannot be a variable of a shell. */
static bool is_name(const char *text, size_t length)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return length > 0 && strspn(text, letters) >= length && (text[0] < '0' || text[0] > '9');
}

void shell_command_add(struct strvec *words, const char *code, const struct strvec *environment)
{
    strvec_push_each(words, "sh", "-c", launcher, "launcher", driver_shell(), "shell", code, NULL);
    for (size_t i = 0; i < sizeof relayed / sizeof *relayed; i++)
        strvec_push(words, relayed[i]);
    for (size_t i = 0; i < environment->count; i++) {
        const char *variable = environment->items[i];
        const size_t length = strcspn(variable, "=");

        if (is_name(variable, length))
            strvec_pushf(words, "%.*s", (int)length, variable);
    }
}
