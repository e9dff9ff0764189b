#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_can_erase(int fd)
{
    const char *terminal = getenv("TERM");

    return isatty(fd) == 1 && terminal && *terminal != '\0' && strcmp(terminal, "dumb") != 0;
}

bool terminal_has_colours(int fd)
{
    const char *no_colour = getenv("NO_COLOR");

    return terminal_can_erase(fd) && (!no_colour || *no_colour == '\0');
}
