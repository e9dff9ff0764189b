/*
 * How `isolator session` cuts what it reads into cells, whatever their language.
 */
#ifndef CLI_SESSION_CELLS_H
#define CLI_SESSION_CELLS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether what a person has typed so far, whole lines, is a cell: as soon as it leaves no bracket
 * and no quote open and does not end with a comma or a backslash. If it begins with a decorator, or
 * a line outside of brackets ends with a colon, an empty line must follow.
 */
bool session_cell_is_complete(const char *text, size_t length);

/*
 * Whether the line, without its end, separates two cells: "# %%" or "// %%", with anything after
 * it, as editors and notebooks write it.
 */
bool session_cell_is_separator(const char *line, size_t length);

#endif
