/*
 * The value that the function of a test has returned, as the driver reports it
 * (src/drivers/call.py): reads the report, which a hostile program may have written, and judges the
 * test by it.
 */
#ifndef JUDGE_CALL_VALUE_H
#define JUDGE_CALL_VALUE_H

#include "base/strbuf.h"
#include "request/case_request.h"
#include "run/case_result.h"

/* Bytes of a report, and its levels of brackets. The program is ended if it writes more. */
enum { CALL_VALUE_MAX = 4 << 20, CALL_VALUE_LEVELS = 400 };

/*
 * Judges a test whose program has ended, and whose status is what that says. The result gets the
 * value, of which `limit` bytes are kept; with `outcome_only` neither the value nor a message from
 * which one could learn it.
 */
void call_value_judge(const struct strbuf *report, const struct case_request *test, size_t limit,
                      bool outcome_only, struct case_result *result);

#endif
