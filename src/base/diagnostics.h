/*
 * Everything that a program says on stderr: errors, warnings, traces, progress.
 *
 * stderr may be a pipe whose reader has stopped reading, or a terminal that was stopped with
 * Ctrl-S. No line blocks the program there for longer than a moment (base/output.h says how): a
 * line that does not fit is dropped and counted, and the next line that fits is preceded by the
 * count. Several threads may write; the lines of each stay whole.
 *
 * stderr is one of the things that a process truly has once, so this module has no handle.
 */
#ifndef BASE_DIAGNOSTICS_H
#define BASE_DIAGNOSTICS_H

#include <stddef.h>

#include "base/notifier.h"

/*
 * The name that each line begins with; "isolator" without it. Borrowed. Before any thread starts.
 */
void diagnostics_set_program(const char *name);
const char *diagnostics_program(void);

/*
 * Writes "PROGRAM: TEXT" and a newline. Waits at most 100 ms for room, and not at all while the
 * line before did not fit either. The text must be safe for a terminal (text_escape()).
 */
void diagnostics_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Draws the line on a terminal that can erase one, in the place of the line that was drawn before;
 * "" erases that. What else is written here takes its place too. The terminal does not wrap it.
 * Nothing is drawn after an incomplete line of diagnostics_copy(). Waits for room as
 * diagnostics_line() does. For progress, which is drawn again anyway: what does not fit is dropped
 * and not counted.
 */
void diagnostics_draw(const char *line);

/*
 * Writes the text as it is. For output that a person waits for, such as that of a build step: a
 * slow reader gets all of it. If stderr takes nothing for DIAGNOSTICS_COPY_MS, or `cancel` (may be
 * NULL) is raised, the rest is dropped, and so are the next texts for which there is no room at
 * once; the first that fits again is preceded by the number of bytes. Meanwhile the lines of other
 * threads wait too.
 */
enum { DIAGNOSTICS_COPY_MS = 3000 };
void diagnostics_copy(const char *text, size_t length, const struct notifier *cancel);

#endif
