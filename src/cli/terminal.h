/*
 * What the terminal of a person can show.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/*
 * Whether the descriptor is a terminal with colours: NO_COLOR (https://no-color.org) is not set,
 * and TERM is neither missing nor "dumb".
 */
bool terminal_has_colours(int fd);

#endif
