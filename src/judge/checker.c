#include "judge/checker.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/signal_name.h"
#include "base/text.h"
#include "docker/budget.h"
#include "judge/checker_text.h"
#include "run/pack_tree.h"
#include "run/run_steps.h"

#define INPUT  CHECKER_DIRECTORY "/input"
#define OUTPUT CHECKER_DIRECTORY "/output"
#define ANSWER CHECKER_DIRECTORY "/answer"

/* ---- what it is given */

/* Adds what is in an open file, or an empty file. */
static int add_file(struct archive *archive, const char *name, int fd, struct error *error)
{
    CLEANUP_FD int copy = -1;
    struct file_range range;
    struct stat status;
    int result;

    if (fd < 0)
        return archive_add_bytes(archive, name, "", 0, error);
    copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* several runs may share the offset */
    if (copy < 0 || fstat(copy, &status) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot read a file of a test");
    range = (struct file_range){shared_file_new(steal_fd(&copy)), 0, status.st_size};
    result = archive_add_range(archive, name, &range, error);
    shared_file_release(range.file);
    return result;
}

static long long size_of(int fd)
{
    struct stat status;

    return fd >= 0 && fstat(fd, &status) == 0 ? status.st_size : 0;
}

static int check_size(const struct pack_tree *sizes, const struct plan *plan, struct error *error)
{
    CLEANUP_FREE char *room = string_format("%.10g MB of the working directory of the checker",
                                            plan->policy.limits.number[LIMIT_WORKDIR]);

    return pack_tree_check_size(sizes, room, error);
}

static int open_archive(struct archive *archive, const struct plan *plan,
                        enum checker_convention convention, const struct checked_output *checked,
                        struct error *error)
{
    CLEANUP(pack_tree_release)
    struct pack_tree sizes = {.max_bytes = limits_bytes(&plan->policy.limits, LIMIT_WORKDIR)};

    pack_tree_has_room(&sizes, INPUT, size_of(checked->input));
    pack_tree_has_room(&sizes, ANSWER, (long long)checked->answer_length);
    if (convention == CHECKER_TESTLIB)
        pack_tree_has_room(&sizes, OUTPUT, size_of(checked->output));
    if (check_size(&sizes, plan, error) != 0)
        return -1;
    return (sizes.bytes > ARCHIVE_IN_MEMORY_MAX ? archive_open_on_disk : archive_open)(
        archive, plan->policy.uid, plan->policy.gid, NULL, error);
}

/* An interactor of testlib writes the output file itself. */
static int pack(struct archive *archive, const struct plan *plan,
                enum checker_convention convention, const struct checked_output *checked,
                bool interactive, struct error *error)
{
    if (open_archive(archive, plan, convention, checked, error) != 0 ||
        archive_add_directory(archive, CHECKER_DIRECTORY, 0, error) != 0 ||
        add_file(archive, INPUT, checked->input, error) != 0 ||
        archive_add_bytes(archive, ANSWER, checked->answer, checked->answer_length, error) != 0)
        return -1;
    if (convention == CHECKER_KATTIS &&
        archive_add_directory(archive, CHECKER_FEEDBACK, 0, error) != 0)
        return -1;
    if (convention == CHECKER_TESTLIB && !interactive &&
        add_file(archive, OUTPUT, checked->output, error) != 0)
        return -1;
    return archive_finish(archive, error);
}

/* The arguments of the request, and of the test, come last. */
static void make_command(struct strvec *command, const struct plan *plan,
                         enum checker_convention convention, const struct strvec *arguments)
{
    const size_t own = plan->command.count - plan->arguments.count;

    for (size_t i = 0; i < own; i++)
        strvec_push(command, plan->command.items[i]);
    if (convention == CHECKER_TESTLIB)
        strvec_push_each(command, INPUT, OUTPUT, ANSWER, NULL);
    else if (convention == CHECKER_KATTIS)
        strvec_push_each(command, INPUT, ANSWER, CHECKER_FEEDBACK "/", NULL);
    strvec_push_all(command, &plan->arguments);
    strvec_push_all(command, arguments);
}

/* ---- what it says */

/* A file of the feedback directory; NULL: the checker has written none. */
static const struct artifact *find_feedback(const struct result *result, const char *name)
{
    CLEANUP_FREE char *path = string_format(CHECKER_FEEDBACK "/%s", name);

    for (size_t i = 0; i < result->artifacts.count; i++)
        if (strcmp(result->artifacts.items[i].name, path) == 0)
            return &result->artifacts.items[i];
    return NULL;
}

/* The start of such a file, owned; NULL: there is none. */
static char *read_feedback(const struct result *result, const char *name)
{
    const struct artifact *file = find_feedback(result, name);
    const size_t length = !file                                ? 0
                          : file->length < CHECKER_MESSAGE_MAX ? file->length
                                                               : CHECKER_MESSAGE_MAX;
    char text[CHECKER_MESSAGE_MAX];

    return file && artifact_read(file, 0, text, length) == 0 ? checker_text_line(text, length)
                                                             : NULL;
}

static int refuse_score(const char *text, struct error *error)
{
    return error_set(error, ERROR_JUDGE, "the checker has given no number as score: '%s'", text);
}

/* Reads a score, the first word of the text. */
static int read_score(const char *text, double *score, struct error *error)
{
    const char *start = strncmp(text, "points ", 7) == 0 ? text + 7 : text;
    const size_t length = strcspn(start, " \t");

    return decimal_read(start, length, score) ? 0 : refuse_score(text, error);
}

static int judge_testlib(const char *name, const struct result *result,
                         struct checker_verdict *verdict, struct error *error)
{
    CLEANUP_FREE char *exception = checker_text_exception(result->exit_code, &result->text[1]);

    if (exception)
        return error_set(error, ERROR_JUDGE, "%s exited with status 1: %s", name, exception);
    verdict->message = checker_text_first_line(&result->text[1]);
    if (checker_text_part(result->exit_code, verdict->message, &verdict->multiplier)) {
        verdict->outcome = CHECKER_PARTLY_RIGHT;
        return 0;
    }
    switch (result->exit_code) {
    case 0:
        verdict->outcome = CHECKER_RIGHT;
        return 0;
    case 1:
    case 2:
    case 4:
    case 8:
        verdict->outcome = CHECKER_WRONG;
        return 0;
    case 7:
        verdict->outcome = CHECKER_PARTLY_RIGHT;
        return read_score(verdict->message ? verdict->message : "", &verdict->score, error);
    default:
        return error_set(error, ERROR_JUDGE, "%s exited with status %d%s%s", name,
                         result->exit_code, verdict->message ? ": " : "",
                         verdict->message ? verdict->message : "");
    }
}

/* Why the score may be one of the files that were not collected; NULL: it is not. */
static const char *why_no_score(const struct artifacts *feedback)
{
    if (feedback->incomplete)
        for (size_t i = 0; i < feedback->missing.count; i++)
            if (!strstr(feedback->missing.items[i], "message.txt'"))
                return feedback->missing.items[i];
    return NULL;
}

/* At most one of the files can be there. */
static int read_scores(const struct result *result, struct checker_verdict *verdict,
                       struct error *error)
{
    CLEANUP_FREE char *score = read_feedback(result, "score.txt");
    CLEANUP_FREE char *multiplier = read_feedback(result, "score_multiplier.txt");

    if (score && multiplier)
        return error_set(error, ERROR_JUDGE,
                         "the validator has written both score.txt and score_multiplier.txt");
    if (score)
        return read_score(score, &verdict->score, error);
    return multiplier ? read_score(multiplier, &verdict->multiplier, error) : 0;
}

int checker_refuse_status(const char *name, const struct result *result, struct error *error)
{
    CLEANUP_FREE char *said = checker_text_exception(result->exit_code, &result->text[1]);

    if (!said)
        said = checker_text_first_line(&result->text[1]);
    return error_set(error, ERROR_JUDGE, "%s exited with status %d%s%s", name, result->exit_code,
                     said ? ": " : "", said ? said : "");
}

static int judge_kattis(const char *name, const struct result *result,
                        struct checker_verdict *verdict, struct error *error)
{
    const char *missing = why_no_score(&result->artifacts);

    verdict->message = read_feedback(result, "judgemessage.txt");
    if (!verdict->message)
        verdict->message = read_feedback(result, "teammessage.txt");
    if (result->exit_code != 42 && result->exit_code != 43)
        return checker_refuse_status(name, result, error);
    verdict->outcome = result->exit_code == 42 ? CHECKER_RIGHT : CHECKER_WRONG;
    if (verdict->outcome == CHECKER_WRONG) /* its score is 0, whatever the validator says */
        return 0;
    if (missing)
        return error_set(error, ERROR_JUDGE, "no score can be read: %s", missing);
    return read_scores(result, verdict, error);
}

/* ---- its run */

int checker_check_end(const char *name, const struct result *result, struct error *error)
{
    if (result->reason == REASON_CANCELLED)
        return error_set(error, ERROR_CANCELLED, "cancelled while %s ran", name);
    if (result->reason == REASON_SIGNAL)
        return error_set(error, ERROR_JUDGE, "%s was ended by %s", name,
                         signal_name(result->signal));
    if (result->reason != REASON_EXIT)
        return error_set(error, ERROR_JUDGE, "%s",
                         result->error ? result->error : result_reason(result));
    return 0;
}

int checker_judge(enum checker_convention convention, const char *name, const struct result *result,
                  struct checker_verdict *verdict, struct error *error)
{
    *verdict = (struct checker_verdict){.score = NAN, .multiplier = NAN};
    if (checker_check_end(name, result, error) != 0)
        return -1;
    return convention == CHECKER_TESTLIB ? judge_testlib(name, result, verdict, error)
                                         : judge_kattis(name, result, verdict, error);
}

static int run_checker(struct judge *judge, enum checker_convention convention,
                       const struct checked_output *checked, const struct archive *files,
                       const struct checker_joint *joint, struct result *result,
                       struct error *error)
{
    const struct run_observer observer = RUN_OBSERVER_INIT;
    struct run *checker = &judge->run;
    const struct plan *plan = checker->plan;
    CLEANUP(strvec_release) struct strvec command = STRVEC_INIT;
    struct output_sink output;
    struct program_run program;
    bool begun;
    int status;

    make_command(&command, plan, convention, checked->arguments);
    output_sink_init(&output, (size_t)plan->policy.limits.number[LIMIT_OUTPUT], &observer);
    checker->result = result;
    program = run_program_of(checker, judge->role, &output, result);
    program.request.spec.command = &command;
    program.request.archive = archive_file(files);
    program.request.spec.input = convention == CHECKER_TESTLIB ? -1 : checked->output;
    program.request.restore_ms = budget_ms(checker->docker, BUDGET_RESTORE);
    if (joint)
        joint->prepare(joint->context, &program);
    status = run_main_program(checker, &program, run_restore_deadline(checker), &begun, error);
    checker->result = &judge->result;
    output_sink_finish(&output, result);
    return status;
}

int checker_execute(struct judge *judge, enum checker_convention convention,
                    const struct checked_output *checked, const struct checker_joint *joint,
                    struct result *result, struct error *error)
{
    CLEANUP(archive_release) struct archive files = ARCHIVE_INIT;
    int status = pack(&files, judge->run.plan, convention, checked, joint != NULL, error);

    result->image = string_copy(judge->run.plan->image);
    if (status == 0)
        status = run_checker(judge, convention, checked, &files, joint, result, error);
    strvec_push_all_once(&judge->result.warnings, &result->warnings);
    if (result->artifacts.incomplete)
        strvec_push_all_once(&judge->result.warnings, &result->artifacts.missing);
    return status == 0 ? 0 : judge_blame(error);
}

enum case_status checker_test_status(enum checker_outcome outcome)
{
    static const enum case_status statuses[] = {[CHECKER_RIGHT] = TEST_PASSED,
                                                [CHECKER_WRONG] = TEST_WRONG_ANSWER,
                                                [CHECKER_PARTLY_RIGHT] = TEST_PARTLY_RIGHT};

    return statuses[outcome];
}

char *checker_explain(const struct checker_verdict *verdict, bool outcome_only)
{
    if (outcome_only || !verdict->message)
        return string_copy("the output is not right");
    return string_copy(verdict->message);
}

int checker_decide(struct judge *judge, enum checker_convention convention,
                   const struct checked_output *checked, struct checker_verdict *verdict,
                   struct error *error)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;

    *verdict = (struct checker_verdict){.score = NAN, .multiplier = NAN};
    if (checker_execute(judge, convention, checked, NULL, &result, error) == 0 &&
        checker_judge(convention, convention == CHECKER_KATTIS ? "the validator" : "the checker",
                      &result, verdict, error) == 0)
        return 0;
    free(steal_pointer(&verdict->message));
    return -1;
}
