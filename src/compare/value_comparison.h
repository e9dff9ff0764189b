/*
 * Compares the value that a function has returned with the expected one, both in the form of
 * base/value_text.h. The first is what a driver reports (src/drivers/call.py): a program that may
 * be hostile has written it, so the work is bounded.
 *
 * Null, booleans and strings are equal to the same ones, arrays and dictionaries element by
 * element. A set is equal to an array of the same elements in any order. Two integers are compared
 * exactly. Of other numbers the difference may be as large as the rule says, and if that is 0, also
 * an integer and a real number are compared exactly. Nothing is equal to NaN or an infinity, since
 * JSON has neither.
 */
#ifndef COMPARE_VALUE_COMPARISON_H
#define COMPARE_VALUE_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/strbuf.h"
#include "base/value_text.h"
#include "compare/compare_mode.h"

/*
 * Whether a reported value has the form that the driver gives it: each object in it has one of
 * these members, and the value of that is of its type.
 */
bool value_is_reported(const json_t *found);

/* Appends it as Python writes JSON, a set as an array, and NaN and infinities by their names. */
void value_show(struct strbuf *text, const json_t *found);

/*
 * Whether they are equal. If not, and `message` is not NULL, it gets where they first differ and
 * how, for a person.
 */
bool value_compare(const json_t *expected, const json_t *found, const struct comparison_rule *rule,
                   struct strbuf *message);

#endif
