/*
 * What a change of a text changes, for people.
 */
#ifndef BASE_DIFFERENCE_H
#define BASE_DIFFERENCE_H

#include "base/strbuf.h"

/* Lines before and after a change that show where it is. */
enum { DIFFERENCE_CONTEXT = 3 };

/*
 * Returns the difference of two texts in the form of diff -u, with one hunk from the first line
 * that differs to the last; owned by the caller. `name` is that of both; NULL in place of a text
 * is a file that does not exist. Lines are safe for a terminal (text_add_escaped()), but tabs stay.
 */
char *difference_of(const char *name, const struct strbuf *before, const struct strbuf *after);

#endif
