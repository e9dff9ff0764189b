#include "cli/doctor/findings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/print.h"
#include "cli/safe_json.h"
#include "cli/terminal.h"

/* The widths of the first two columns: the longest status, and most names of checks. */
enum { STATUS_WIDTH = 4, CHECK_WIDTH = 16 };

static const char *const status_words[FINDING_STATUSES] = {
    [FINDING_OK] = "ok", [FINDING_WARN] = "warn", [FINDING_FAIL] = "fail"};

static const char *const colours[FINDING_STATUSES] = {
    [FINDING_OK] = "\033[32m", [FINDING_WARN] = "\033[33m", [FINDING_FAIL] = "\033[31m"};

void findings_init(struct findings *findings, bool json)
{
    *findings = (struct findings){
        .list = json ? json_array() : NULL,
        .colour = terminal_has_colours(STDOUT_FILENO),
    };
    progress_begin(&findings->progress);
}

static void print_finding(struct findings *findings, enum finding status, const char *check,
                          const char *detail, const char *advice)
{
    progress_clear(&findings->progress);
    print_format("%s%-*s%s  %-*s  %s\n", findings->colour ? colours[status] : "", STATUS_WIDTH,
                 status_words[status], findings->colour ? "\033[0m" : "", CHECK_WIDTH, check,
                 detail);
    if (advice)
        print_format("%*s  %*s  -> %s\n", STATUS_WIDTH, "", CHECK_WIDTH, "", advice);
}

void findings_add(struct findings *findings, enum finding status, const char *check,
                  const char *detail, const char *advice)
{
    CLEANUP_FREE char *escaped_check = text_escape(check);
    CLEANUP_FREE char *escaped_detail = text_escape(detail);
    CLEANUP_FREE char *escaped_advice = advice ? text_escape(advice) : NULL;

    findings->failed |= status == FINDING_FAIL;
    if (findings->list)
        json_array_append_new(findings->list,
                              json_pack("{s:s, s:s, s:s, s:s?}", "check", escaped_check, "status",
                                        status_words[status], "detail", escaped_detail, "advice",
                                        escaped_advice));
    else
        print_finding(findings, status, escaped_check, escaped_detail, escaped_advice);
}

void findings_add_values(struct findings *findings, json_t *values)
{
    const size_t count = json_array_size(findings->list);

    if (count > 0)
        json_object_set(json_array_get(findings->list, count - 1), "values", values);
    json_decref(values);
}

void findings_finish(struct findings *findings)
{
    progress_end(&findings->progress);
    if (findings->list)
        safe_json_print(findings->list, isatty(STDOUT_FILENO));
    json_decref(findings->list);
    findings->list = NULL;
}
