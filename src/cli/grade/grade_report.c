#include "cli/grade/grade_report.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/problem/submission_result.h"
#include "cli/result_text.h"
#include "cli/safe_json.h"

void grade_report_init(struct grade_report *report, const struct run_options *options,
                       const struct problem_package *package)
{
    report->as_table = run_options_want_table(options);
    grade_table_init(&report->table, &options->files, &options->request.tests);
    if (package)
        problem_table_init(&report->problem_table, &package->submissions,
                           options->request.tests.groups != NULL);
}

char *grade_report_heading(const struct grade_report *report, const struct problem_package *package)
{
    CLEANUP_FREE char *limit = package ? time_limit_line(&package->time_limit) : NULL;
    CLEANUP_FREE char *heading = package ? problem_table_heading(&report->problem_table)
                                         : grade_table_heading(&report->table);

    return string_format("%s%s", limit ? limit : "", heading);
}

/* A result_text_writer. */
static bool add_piece(void *context, const char *data, size_t length)
{
    strbuf_add(context, data, length);
    return true;
}

static struct strbuf make_json(const struct grade_source *source, struct result *result)
{
    CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
    struct strbuf text = STRBUF_INIT;
    json_t *object = json_object();

    text_add_utf8(&name, source->file, strlen(source->file));
    json_object_set_new(object, "file", json_string(strbuf_string(&name)));
    if (source->submission)
        submission_result_add_json(object, source->submission, source->time_limit, result);
    result_text_write(object, result, SAFE_JSON_FLAGS, add_piece, &text);
    return text;
}

static struct strbuf make_row(const struct grade_report *report, const struct grade_source *source,
                              const struct result *result)
{
    CLEANUP_FREE char *row =
        source->submission ? problem_table_row(&report->problem_table, source->submission, result)
                           : grade_table_row(&report->table, source->file, result);
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, row);
    return text;
}

struct strbuf grade_report_text(const struct grade_report *report,
                                const struct grade_source *source, struct result *result)
{
    return report->as_table ? make_row(report, source, result) : make_json(source, result);
}

struct strvec grade_report_remarks(const struct grade_report *report,
                                   const struct grade_source *source, const struct result *result)
{
    struct strvec remarks = STRVEC_INIT;

    for (size_t i = 0; report->as_table && i < result->warnings.count; i++)
        strvec_pushf(&remarks, "warning: %s", result->warnings.items[i]);
    if (source->options->verbose && result->tests.grades)
        strvec_push(&remarks, "verdict and score are by the grader of the package");
    if (source->options->verbose)
        strvec_pushf(&remarks, "container %s of image %s",
                     result->container ? result->container : "none",
                     result->image ? result->image : "none");
    return remarks;
}
