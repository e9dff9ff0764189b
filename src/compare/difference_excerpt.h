/*
 * The part of a program's output that a message shows about its first difference: the line, or the
 * word, with the difference in it. The output has any length, so only what surrounds the difference
 * is kept, at a constant size.
 */
#ifndef COMPARE_DIFFERENCE_EXCERPT_H
#define COMPARE_DIFFERENCE_EXCERPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Maximum bytes of a text that is shown, and of these before the difference. */
enum { DIFFERENCE_EXCERPT_MAX = 100, DIFFERENCE_EXCERPT_BEFORE = 40 };

struct difference_excerpt {
    enum {
        EXCERPT_LINE,       /* a line without its line feed */
        EXCERPT_WHOLE_LINE, /* and with it */
        EXCERPT_WORD        /* what is between white space */
    } unit;
    char data[DIFFERENCE_EXCERPT_MAX];
    size_t length;
    size_t skipped; /* bytes of the unit before `data` */
    bool ended;     /* at the end of the unit, or because no more fits */
    bool is_cut;    /* no more fits */
};

/* A space, \t, \n, \v, \f or \r. */
bool difference_excerpt_is_space(char byte);

/* Takes output that is equal to what is expected, in pieces of any size. */
void difference_excerpt_add_equal(struct difference_excerpt *found, const char *data,
                                  size_t length);

/* Takes the output from the difference on, likewise; call it as long as there is output. */
void difference_excerpt_add_rest(struct difference_excerpt *found, const char *data, size_t length);

/*
 * Adds a text in quotes to a message, where it must be read on one line: white space and other
 * characters that cannot be seen are escaped, all but a space. Bytes before `skip` are left out,
 * and so are those after DIFFERENCE_EXCERPT_MAX; "..." stands for them. If that leaves nothing to
 * show, fewer are skipped.
 */
void difference_excerpt_show(struct strbuf *message, const char *text, size_t length, size_t skip);

/* Adds what was found, likewise, without white space at its end if `trim` is set. */
void difference_excerpt_show_found(struct strbuf *message, const struct difference_excerpt *found,
                                   bool trim);

#endif
