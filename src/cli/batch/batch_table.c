#include "cli/batch/batch_table.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/grade/case_table.h"
#include "cli/grade/grade_table.h"
#include "cli/table.h"

/* Maximum bytes of an id, of a line of output and of an error, before they are escaped. */
enum { ID_MAX = 60, LINE_MAX_BYTES = 60, ERROR_MAX = 200 };

/* The columns of the longest reason, and of a figure, as in cli/table.h. */
enum { REASON_WIDTH = sizeof "image-missing" - 1, FIGURE_WIDTH = 9 };

void batch_table_init(struct batch_table *table)
{
    *table =
        (struct batch_table){.widths = {strlen("ID"), REASON_WIDTH, FIGURE_WIDTH, FIGURE_WIDTH, 0}};
}

static char *id_cell(const json_t *id, long long line)
{
    CLEANUP_FREE char *text = NULL;

    if (!id || json_is_null(id))
        return string_format("line %lld", line);
    if (json_is_string(id))
        return text_escape_short(json_string_value(id), ID_MAX);
    text = json_dumps(id, JSON_COMPACT | JSON_ENCODE_ANY);
    return text_escape_short(text ? text : "", ID_MAX);
}

static char *error_cell(const struct result *result)
{
    CLEANUP_FREE char *error = text_escape_short(result->error ? result->error : "", ERROR_MAX);
    CLEANUP_FREE char *line = table_last_line(&result->text[1], LINE_MAX_BYTES);

    return *line ? string_format("%s: %s", error, line) : steal_pointer(&error);
}

static char *detail_cell(const struct result *result)
{
    if (result->reason == REASON_BUILD)
        return grade_table_build_detail(result);
    if (result->tests.count > 0)
        return case_table_summary(&result->tests);
    return result_success(result) ? table_last_line(&result->text[0], LINE_MAX_BYTES)
                                  : error_cell(result);
}

/* Begins a row with its id, after the line with the names of the columns if it is the first. */
static void begin_row(struct batch_table *table, struct strvec *cells, const json_t *id,
                      long long line)
{
    size_t width;

    if (!table->begun)
        strvec_push_each(cells, "ID", "RESULT", "     TIME", "   MEMORY", "DETAIL", NULL);
    table->begun = true;
    strvec_push_owned(cells, id_cell(id, line));
    width = table_width(cells->items[cells->count - 1]);
    if (width > table->widths[0])
        table->widths[0] = width;
}

static char *rows_text(const struct batch_table *table, const struct strvec *cells)
{
    struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < cells->count; i += BATCH_TABLE_COLUMNS)
        table_add_row(&text, cells->items + i, table->widths, BATCH_TABLE_COLUMNS);
    return strbuf_steal(&text);
}

char *batch_table_row(struct batch_table *table, const json_t *id, long long line,
                      const struct result *result)
{
    const bool ran = result->exit_code != EXIT_CODE_NONE;
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    begin_row(table, &cells, id, line);
    strvec_push(&cells, result_success(result) ? "success" : result_reason(result));
    strvec_push_owned(&cells, table_milliseconds(ran ? result->duration_ms : -1));
    strvec_push_owned(&cells, table_megabytes(result->peak_bytes));
    strvec_push_owned(&cells, detail_cell(result));
    return rows_text(table, &cells);
}

char *batch_table_job_row(struct batch_table *table, const json_t *id, long long line,
                          const char *job)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    begin_row(table, &cells, id, line);
    strvec_push(&cells, "started");
    strvec_push_owned(&cells, table_milliseconds(-1));
    strvec_push_owned(&cells, table_megabytes(-1));
    strvec_push_owned(&cells, string_format("job %s", job));
    return rows_text(table, &cells);
}
