/*
 * What a checker says, for messages: one line without characters that act on a terminal.
 */
#ifndef JUDGE_CHECKER_TEXT_H
#define JUDGE_CHECKER_TEXT_H

#include <stdbool.h>

#include "base/strbuf.h"

/* The first line of a text that has something, owned by the caller; NULL: it is empty. */
char *checker_text_line(const char *text, size_t length);
char *checker_text_first_line(const struct strbuf *text);

/*
 * What an uncaught exception of Python or Node.js has left on standard error, the line that names
 * it, owned by the caller; NULL: there was none. Both then exit with status 1, which means a wrong
 * answer in a checker. A syntax error of Python has no heading. sys.exit("text") writes none of it.
 * The last line of Node.js, from version 17 on, is its version.
 */
char *checker_text_exception(int exit_code, const struct strbuf *written);

/*
 * Reads "partially correct (50)", which quitf(_pc(50), ...) of testlib writes first: which part of
 * the points the output gets, here 0.5. False, without an effect: the line, which may be NULL, is
 * none, or not from testlib. That exits with the same number, or, built for TESTSYS, with 50 more
 * (testlib.h of 2026-02, resultExitCode()), which can be a status that means something else.
 */
bool checker_text_part(int exit_code, const char *line, double *part);

#endif
