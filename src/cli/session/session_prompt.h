/*
 * The prompt of `isolator session`: a line at a time from the terminal, with editing and a history
 * (libedit). A terminal that is stopped or gone does not keep the program from ending: what is read
 * and written waits for signals too (base/signals.h). Text that is pasted comes line by line and
 * is not edited (bracketed paste). Tab completes names.
 */
#ifndef CLI_SESSION_PROMPT_H
#define CLI_SESSION_PROMPT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"

struct session_prompt;

enum prompt_event {
    PROMPT_LINE,
    PROMPT_INTERRUPTED, /* by Ctrl-C; the line is given up */
    PROMPT_END          /* by Ctrl-D, or the terminal is gone, or another signal arrived */
};

/* Opens the terminal that stdin and stdout are. NULL: ERROR_SYSTEM. Call signals_catch() first. */
struct session_prompt *session_prompt_open(struct error *error);
void session_prompt_free(struct session_prompt *prompt);

/*
 * What Tab completes from now on: in quotes and after a colon command `files`, else `names`. Both
 * are borrowed.
 */
void session_prompt_offer(struct session_prompt *prompt, const struct strvec *names,
                          const struct strvec *files);

/* Whether the last line was pasted, and is not the last one of what was. */
bool session_prompt_is_pasting(const struct session_prompt *prompt);

/* Shows the text and adds a line to `text`, with a newline at its end. */
enum prompt_event session_prompt_read(struct session_prompt *prompt, const char *shown,
                                      struct strbuf *text);

/* Adds a cell to the history. */
void session_prompt_remember(struct session_prompt *prompt, const char *cell);

#endif
