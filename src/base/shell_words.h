/*
 * Words of a command, quoted for a POSIX shell.
 */
#ifndef BASE_SHELL_WORDS_H
#define BASE_SHELL_WORDS_H

#include "base/strbuf.h"
#include "base/strvec.h"

/*
 * Adds the words with a space between them, so that a shell reads them unchanged. A word is in
 * single quotes unless it consists of letters, digits and characters without a meaning for shells.
 */
void shell_words_add(struct strbuf *out, const struct strvec *words);

#endif
