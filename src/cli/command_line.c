#include "cli/command_line.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The option that getopt_long() complains of, where it knows it. */
static const struct option *complained(const struct option *known)
{
    for (; known->name; known++)
        if (optopt != 0 && known->val == optopt)
            return known;
    return NULL;
}

int command_line_flush(const char *what, struct error *error)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return error_set_errno(error, ERROR_SYSTEM, "cannot write the %s", what);
}

int command_line_refuse(int option, const char *command, const struct option *known,
                        char *const *argv, struct error *error)
{
    const struct option *named = complained(known);

    if (option == ':' && named)
        return error_set(error, ERROR_USAGE, "option '--%s' needs a value", named->name);
    if (named)
        return error_set(error, ERROR_USAGE, "option '--%s' takes no value", named->name);
    if (optopt > 0 && optopt < 0x80) /* no byte of a longer character */
        return error_set(error, ERROR_USAGE, "unknown option '-%c'; see isolator %s --help", optopt,
                         command);
    /* Of a longer character the first byte is refused, while the argument is still being read. */
    if (optopt != 0 && argv[optind] && strchr(argv[optind], optopt))
        return error_set(error, ERROR_USAGE, "unknown option '%s'; see isolator %s --help",
                         argv[optind], command);
    return error_set(error, ERROR_USAGE, "unknown option '%s'; see isolator %s --help",
                     argv[optind - 1], command);
}
