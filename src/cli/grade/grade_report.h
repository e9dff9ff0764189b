/*
 * What is printed about each of several solutions (cli/grade/grade.h): a row of a table or a line
 * of JSON, and lines for stderr. Prints nothing itself.
 */
#ifndef CLI_GRADE_REPORT_H
#define CLI_GRADE_REPORT_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/grade/grade_plan.h"
#include "cli/grade/grade_table.h"
#include "cli/problem/problem_table.h"
#include "run/result.h"

struct grade_report {
    bool as_table;
    struct grade_table table;
    struct problem_table problem_table; /* in place of the other, of submissions of a package */
};

/* The report of options->files, or of the submissions of the package unless that is NULL. */
void grade_report_init(struct grade_report *report, const struct run_options *options,
                       const struct problem_package *package);

/* The names of the columns of the table, after the time limit of the package. Owned. */
char *grade_report_heading(const struct grade_report *report,
                           const struct problem_package *package);

/* The row, or the line of JSON, which takes the texts out of the result. */
struct strbuf grade_report_text(const struct grade_report *report,
                                const struct grade_source *source, struct result *result);

/* The lines for stderr, not escaped. In JSON, warnings are members of the result. */
struct strvec grade_report_remarks(const struct grade_report *report,
                                   const struct grade_source *source, const struct result *result);

#endif
