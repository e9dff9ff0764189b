#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_has_colours(int fd)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return isatty(fd) == 1 && (!no_colour || *no_colour == '\0') && terminal && *terminal != '\0' &&
           strcmp(terminal, "dumb") != 0;
}
