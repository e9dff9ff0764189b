/*
 * A cell: code that an interpreter runs which stays in a session. Writes the text that the driver
 * in the interpreter gets, and reads the report that it sends back. Knows no containers.
 *
 * The cell, one JSON object: {"number", "code", "arguments": ["..."], "environment": {"NAME":
 * "VALUE"}, "value_max", "figures_max"}, and if it applies "file" and "line", where the code begins
 * in a file of the caller, "names_max", and "keeps_processes" (true). The report, another one:
 * "value" (null: none) and "value_cut"; "exception" ({"name", "message"}), "exit" (a status) or
 * "interrupted" if one of them has ended the cell; "figures" ([{"type", "data"}], PNG in base64)
 * and "figures_omitted"; "names" of variables and "files", for completion.
 *
 * The code of the cell runs in the process of the driver, so the report may be whatever the code
 * wants: it is parsed as hostile input, and is the program's own word about itself.
 */
#ifndef RUN_CELL_H
#define RUN_CELL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "request/plan.h"
#include "run/result.h"

/* Bytes of the value, of the figures before they are encoded, and of the names. */
enum { CELL_VALUE_MAX = 65536, CELL_FIGURES_MAX = 8 << 20, CELL_NAMES_MAX = 32768 };

/*
 * Writes the cell of the plan; its processes go on after it, or end with it. Fails if its code, an
 * argument or a variable is not UTF-8, which JSON needs, or if the file of the code cannot be read:
 * ERROR_INPUT.
 */
int cell_write(const struct plan *plan, unsigned long long number, bool keeps_processes,
               struct strbuf *cell, struct error *error);

/*
 * Fills in what the report says of a cell that has ended, and whose interpreter stays: the value,
 * the figures as artifacts, and unless isolator ended the cell (the reason is not REASON_EXIT) how
 * it ended. The result has a session part.
 *
 * `last_figure` is the number of the session's last figure, 0 before the first, and is counted up,
 * so that a figure does not replace that of another cell where both are written.
 */
void cell_read_report(const struct strbuf *report, const struct plan *plan, size_t *last_figure,
                      struct result *result);

#endif
