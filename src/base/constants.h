/*
 * Constants of a text, such as {{limit}} or {{limit.tex}} (problem package format 2025-09,
 * "Constants"). A list of them has each name, and then its value. What names no constant stays.
 */
#ifndef BASE_CONSTANTS_H
#define BASE_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/strvec.h"

/* Appends the text with the values in place of the constants. False: there was none. */
bool constants_replace(const struct strvec *constants, const char *text, size_t length,
                       struct strbuf *replaced);

#endif
