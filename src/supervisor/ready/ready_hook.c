#include "supervisor/ready/ready_hook.h"

#include <string.h>

/* The message has to fit into a pipe at once. */
enum { HIDDEN_MAX = 32768 };

static bool has_name(const char *variable, const char *name)
{
    return strncmp(variable, name, strcspn(name, "=") + 1) == 0;
}

static bool has_variable(const struct strvec *environment, const char *name)
{
    for (size_t i = 0; i < environment->count; i++)
        if (has_name(environment->items[i], name))
            return true;
    return false;
}

/* Whether no interpreter looks at the variable in its start. */
static bool is_unread(const char *variable)
{
    return has_name(variable, "USER=") || has_name(variable, "LOGNAME=");
}

/* The text with slashes added to the last one of its path, which may be repeated. */
static char *lengthen(const char *variable, size_t more)
{
    const size_t directory = (size_t)(strrchr(variable, '/') - variable);
    struct strbuf longer = STRBUF_INIT;

    strbuf_add(&longer, variable, directory);
    while (more-- > 0)
        strbuf_addch(&longer, '/');
    strbuf_addstr(&longer, variable + directory);
    return strbuf_steal(&longer);
}

/*
 * The variables that are left out have to stand together, since the hook can overwrite the
 * environment of its process (/proc/self/environ) but not make it longer or shorter.
 */
bool ready_hook_exchange(const struct strvec *environment, const char *variable,
                         struct strvec *exchanged, struct strbuf *message)
{
    struct strbuf hidden = STRBUF_INIT;
    size_t at = 0;
    bool fits;

    while (at < environment->count && !is_unread(environment->items[at]))
        strvec_push(exchanged, environment->items[at++]);
    for (; at < environment->count && is_unread(environment->items[at]); at++)
        strbuf_add(&hidden, environment->items[at], strlen(environment->items[at]) + 1);
    fits = strchr(variable, '/') && hidden.length >= strlen(variable) + 1 &&
           hidden.length <= HIDDEN_MAX && !has_variable(environment, variable);
    if (fits)
        strvec_push_owned(exchanged, lengthen(variable, hidden.length - strlen(variable) - 1));
    for (; at < environment->count; at++)
        strvec_push(exchanged, environment->items[at]);
    strbuf_addf(message, "%12zu", hidden.length);
    strbuf_add(message, hidden.data, hidden.length);
    strbuf_release(&hidden);
    return fits;
}
