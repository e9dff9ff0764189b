#include "judge/grader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "judge/checker.h"
#include "judge/scoring.h"

/* Bytes of what the grader has printed that a message shows. */
enum { SHOWN_MAX = 100 };

/* From the worst on, by the default grader. Memory and output are no verdicts of the format. */
static const struct {
    const char *code;
    enum case_status verdict;
} codes[] = {{"RTE", TEST_RUNTIME_ERROR}, {"MLE", TEST_RUNTIME_ERROR}, {"OLE", TEST_RUNTIME_ERROR},
             {"TLE", TEST_TIMEOUT},       {"WA", TEST_WRONG_ANSWER},   {"AC", TEST_PASSED}};

enum { CODES = sizeof codes / sizeof *codes };

/* A test or group in a group. */
struct part {
    const char *name;
    enum case_status verdict; /* one of `codes`; TEST_NOT_RUN: not known */
    double score;
};

struct parts {
    struct part *items; /* owned; in their order */
    size_t count;
};

static void parts_release(struct parts *parts)
{
    free(parts->items);
}

/* ---- what is in a group */

static enum case_status verdict_of(enum case_status status)
{
    switch (status) {
    case TEST_PASSED:
    case TEST_PARTLY_RIGHT:
        return TEST_PASSED;
    case TEST_WRONG_ANSWER:
        return TEST_WRONG_ANSWER;
    case TEST_TIMEOUT:
    case TEST_CPU_TIME:
        return TEST_TIMEOUT;
    case TEST_OOM:
    case TEST_OUTPUT_LIMIT:
    case TEST_RUNTIME_ERROR:
        return TEST_RUNTIME_ERROR;
    case TEST_NOT_RUN:
    case TEST_ENGINE:
    case TEST_JUDGE_ERROR:
        break;
    }
    return TEST_NOT_RUN;
}

static int compare_parts(const void *one, const void *other)
{
    return strcmp(text_file_name(((const struct part *)one)->name),
                  text_file_name(((const struct part *)other)->name));
}

/* What is in a group, up to the first that is not accepted if it breaks there. */
static struct parts list_parts(const struct case_requests *requests,
                               const struct case_results *results, size_t place)
{
    const struct score_groups *groups = requests->groups;
    const struct score_group *group = &groups->items[place];
    struct parts parts = {memory_allocate((group->tests + group->groups) * sizeof *parts.items), 0};
    size_t end = 0;

    for (size_t i = 0; i < requests->count; i++)
        if (requests->items[i].group_place == place)
            parts.items[parts.count++] =
                (struct part){requests->items[i].name, verdict_of(results->items[i].status),
                              results->items[i].score};
    for (size_t i = 1; i < groups->count; i++)
        if (groups->items[i].parent == place && !groups->items[i].is_ignored)
            parts.items[parts.count++] = (struct part){
                groups->items[i].name, results->grades[i].verdict, results->groups[i].score};
    qsort(parts.items, parts.count, sizeof *parts.items, compare_parts);
    while (end < parts.count && (parts.items[end++].verdict == TEST_PASSED || !group->breaks))
        ;
    parts.count = end;
    return parts;
}

/* The place among the codes, by which a smaller one is worse; CODES: not known. */
static size_t rank_of(enum case_status verdict)
{
    size_t i = 0;

    while (i < CODES && codes[i].verdict != verdict)
        i++;
    return i;
}

static bool are_known(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (rank_of(parts->items[i].verdict) == CODES)
            return false;
    return true;
}

/* The verdict of a group that has no grader of its own. */
static enum case_status default_verdict(enum group_grading grading, const struct parts *parts)
{
    enum case_status found = TEST_PASSED;
    bool any = false;

    for (size_t i = 0; i < parts->count; i++) {
        const enum case_status verdict = parts->items[i].verdict;
        const bool is_worse =
            grading == GRADE_FIRST ? found == TEST_PASSED : rank_of(verdict) < rank_of(found);

        any = any || verdict == TEST_PASSED;
        if (is_worse)
            found = verdict;
    }
    return grading == GRADE_ALWAYS || (grading == GRADE_ANY && any) ? TEST_PASSED : found;
}

static void add_lines(const struct parts *parts, struct strbuf *lines)
{
    for (size_t i = 0; i < parts->count; i++) {
        const double score = parts->items[i].score;

        strbuf_addf(lines, "%s %.15g\n", codes[rank_of(parts->items[i].verdict)].code,
                    isnan(score) ? 0 : score);
    }
}

bool grader_input(const struct case_requests *requests, const struct case_results *results,
                  size_t place, struct strbuf *lines)
{
    CLEANUP(parts_release) struct parts parts = list_parts(requests, results, place);

    if (!are_known(&parts))
        return false;
    add_lines(&parts, lines);
    return true;
}

/* ---- its program */

/* Reads "AC 10" and white space after it. */
static bool read_grade(const char *text, struct group_grade *grade, bool *is_judge_error)
{
    static const char space[] = " \t\r\n";
    const size_t length = strcspn(text, space);
    const char *score = text + length + strspn(text + length, space);
    const size_t digits = strcspn(score, space);
    size_t i = 0;

    while (i < CODES &&
           (strlen(codes[i].code) != length || strncmp(codes[i].code, text, length) != 0))
        i++;
    *is_judge_error = length == 2 && strncmp(text, "JE", 2) == 0;
    if ((i == CODES && !*is_judge_error) || score[digits + strspn(score + digits, space)] ||
        !decimal_read(score, digits, &grade->score) || fabs(grade->score) > SCORE_MAX)
        return false;
    grade->verdict = *is_judge_error ? TEST_NOT_RUN : codes[i].verdict;
    return true;
}

int grader_judge(const struct result *result, struct group_grade *grade, struct error *error)
{
    const char *text = strbuf_string(&result->text[0]);
    struct group_grade found = {TEST_NOT_RUN, NAN};
    CLEANUP_FREE char *shown = NULL;
    bool is_judge_error;

    if (checker_check_end("the grader", result, error) != 0)
        return -1;
    if (result->exit_code != 0)
        return checker_refuse_status("the grader", result, error);
    if (result->truncated[0] || strlen(text) != result->text[0].length ||
        !read_grade(text, &found, &is_judge_error)) {
        shown = text_escape_short(text, SHOWN_MAX);
        return error_set(error, ERROR_JUDGE,
                         "the grader has printed '%s', and not one line with a verdict and a "
                         "score, such as AC 10",
                         shown);
    }
    if (is_judge_error)
        return error_set(error, ERROR_JUDGE, "the grader has given the verdict JE");
    *grade = found;
    return 0;
}

/* Lets the grader decide about a group. */
static int decide(struct judge *grader, const struct score_group *group, const struct strbuf *lines,
                  struct group_grade *grade, struct error *error)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FD const int input = linux_unnamed_file_of(strbuf_string(lines), lines->length);
    const struct checked_output checked = {
        .input = -1, .output = input, .answer = "", .arguments = &group->grader_flags};

    if (input < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    if (checker_execute(grader, CHECKER_GRADER, &checked, NULL, &result, error) != 0)
        return -1;
    return grader_judge(&result, grade, error);
}

/* Grades a group, whose groups are graded. */
static int grade_group(struct judgement *judgement, size_t place, struct error *error)
{
    const struct run *run = &judgement->run;
    struct case_results *results = &run->result->tests;
    const struct score_group *group = &run->plan->tests.groups->items[place];
    CLEANUP(parts_release) struct parts parts = {NULL, 0};
    CLEANUP(strbuf_release) struct strbuf lines = STRBUF_INIT;

    scoring_compute(&run->plan->tests, results);
    parts = list_parts(&run->plan->tests, results, place);
    if (!are_known(&parts))
        return 0;
    if (group->grading != GRADE_CUSTOM) {
        results->grades[place].verdict = default_verdict(group->grading, &parts);
        return 0;
    }
    add_lines(&parts, &lines);
    if (decide(judgement->grader, group, &lines, &results->grades[place], error) == 0)
        return 0;
    CLEANUP_FREE char *shown = text_escape(*group->name ? group->name : "data");

    return error->kind == ERROR_JUDGE ? error_prefix(error, "group '%s'", shown) : -1;
}

int grader_run(struct judgement *judgement, struct error *error)
{
    const struct run *run = &judgement->run;
    const struct score_groups *groups = run->plan->tests.groups;
    struct case_results *results = &run->result->tests;

    results->grades = memory_allocate(groups->count * sizeof *results->grades);
    for (size_t i = 0; i < groups->count; i++)
        results->grades[i] = (struct group_grade){TEST_NOT_RUN, NAN};
    for (size_t i = 0; i < groups->count; i++)
        if (grade_group(judgement, groups->order[i], error) != 0)
            return -1;
    return 0;
}
