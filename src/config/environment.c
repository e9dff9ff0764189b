#include "config/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

bool environment_is_name(const char *name, size_t length)
{
    static const char characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    if (length == 0 || strchr("0123456789", name[0]))
        return false;
    return strspn(name, characters) >= length;
}

bool environment_is_reserved(const char *name, size_t length)
{
    /* No shell inherits IFS; dash wants a number in OPTIND; in bash the others are read-only. */
    static const char *const reserved[] = {"IFS",  "OPTIND",   "PPID",      "UID",
                                           "EUID", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO"};

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == length && strncmp(reserved[i], name, length) == 0)
            return true;
    return false;
}

void environment_set(struct strvec *environment, const char *assignment)
{
    const size_t name_and_sign = strcspn(assignment, "=") + 1;

    for (size_t i = 0; i < environment->count; i++) {
        if (strncmp(environment->items[i], assignment, name_and_sign) != 0)
            continue;
        free(environment->items[i]);
        environment->items[i] = string_copy(assignment);
        return;
    }
    strvec_push(environment, assignment);
}
