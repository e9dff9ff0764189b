/*
 * What a checker says, for messages: one line without characters that act on a terminal.
 */
#ifndef RUN_CHECKER_TEXT_H
#define RUN_CHECKER_TEXT_H

#include "base/strbuf.h"

/* The first line of a text that has something, owned by the caller; NULL: it is empty. */
char *checker_text_line(const char *text, size_t length);

/*
 * The last line of what an uncaught exception of Python has left on standard error, owned by the
 * caller; NULL: there was none. Python then exits with status 1, which
 * means a wrong answer in a checker. A syntax error has no heading. sys.exit("text") writes none
 * of it.
 */
char *checker_text_exception(int exit_code, const struct strbuf *written);

#endif
