/*
 * Lets a checker (request/checker_request.h) decide about the output of a test. It runs in a
 * container of its own, which never holds the program of the request, as that of the program never
 * holds the answer: neither can look at the other or write to its files. What a checker leaves is
 * removed before the next test.
 *
 * It has a run of its own (judge/judge.h), in whose container it is built once.
 */
#ifndef JUDGE_CHECKER_H
#define JUDGE_CHECKER_H

#include "base/error.h"
#include "judge/judge.h"
#include "request/checker_request.h"
#include "run/program_run.h"

/* What a checker is given. */
struct checked_output {
    int input;          /* an open file, borrowed: the standard input of the program; -1: none */
    int output;         /* an open file, borrowed: the standard output of the program */
    const char *answer; /* the expected output, borrowed */
    size_t answer_length;
    const struct strvec *arguments; /* more of the checker, for this test; borrowed */
};

/* How the run of an interactor differs from that of a checker. */
struct checker_joint {
    void (*prepare)(void *context, struct program_run *program);
    void *context;
};

enum checker_outcome { CHECKER_RIGHT, CHECKER_WRONG, CHECKER_PARTLY_RIGHT };

struct checker_verdict {
    enum checker_outcome outcome;
    double score;      /* NAN: the checker has given none, like the next one */
    double multiplier; /* from 0 to 1: which part of the points of the test it gets */
    char *message;     /* owned; what it says, one line; NULL: nothing */
};

/* Bytes of a message. */
enum { CHECKER_MESSAGE_MAX = 1000 };

/*
 * Runs the checker, whose container waits. 0 with the verdict, whose message the caller frees. -1:
 * ERROR_JUDGE if the checker has failed, or the error of its container.
 */
int checker_decide(struct judge *judge, enum checker_convention convention,
                   const struct checked_output *checked, struct checker_verdict *verdict,
                   struct error *error);

/*
 * The two parts of that: runs it, joined with the program if `joint` is not NULL, and fills in the
 * empty result; says what that means, `name` being the checker in messages. The first fails as its
 * container does, the second with ERROR_JUDGE or ERROR_CANCELLED.
 */
int checker_execute(struct judge *judge, enum checker_convention convention,
                    const struct checked_output *checked, const struct checker_joint *joint,
                    struct result *result, struct error *error);
int checker_judge(enum checker_convention convention, const char *name, const struct result *result,
                  struct checker_verdict *verdict, struct error *error);

/* The first steps of the second: that it has exited; -1 that it has, with a wrong status. */
int checker_check_end(const char *name, const struct result *result, struct error *error);
int checker_refuse_status(const char *name, const struct result *result, struct error *error);

/* The status of a test with this outcome. */
enum case_status checker_test_status(enum checker_outcome outcome);

/* What the checker has said of an output that is not right; owned by the caller. */
char *checker_explain(const struct checker_verdict *verdict, bool outcome_only);

#endif
