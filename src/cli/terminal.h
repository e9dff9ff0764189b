/*
 * What the terminal of a person can show.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/*
 * Whether the descriptor is a terminal that understands escape sequences, such as the one that
 * erases a line: TERM is neither missing nor "dumb".
 */
bool terminal_can_erase(int fd);

/* Whether it also has colours: NO_COLOR (https://no-color.org) is not set. */
bool terminal_has_colours(int fd);

#endif
