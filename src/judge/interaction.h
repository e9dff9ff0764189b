/*
 * A test whose program talks to an interactor: a checker (judge/checker.h) that runs at the same
 * time in its own container, and is joined with the program by "Interaction" in
 * supervisor/protocol.h. The interactor begins first, in a thread of its own. It reads no end of
 * file before the program has ended well: so what it says before that is its verdict on what the
 * program has said.
 *
 * If FIFOs cannot be shared, or a transcript is wanted, isolator passes on itself what each says,
 * through a pipe for each direction.
 */
#ifndef JUDGE_INTERACTION_H
#define JUDGE_INTERACTION_H

#include <pthread.h>
#include <stdatomic.h>

#include "judge/checker.h"
#include "judge/judgement.h"
#include "run/case_result.h"
#include "run/program_run.h"
#include "run/transcript.h"

struct interaction {
    struct judge *interactor; /* borrowed, like the next three */
    const struct plan *plan;  /* of the program */
    const struct checked_output *given;
    const struct notifier *cancel; /* that of the run */
    struct limits limits;          /* of the interactor: it also has the time of the program */
    long long wait_state_ms;       /* after its beginning each is looked at; 0: never */
    long long begun_ms[2]; /* clock_now_ms() when the program and the interactor have begun */
    bool relayed;
    int to_program[2], to_interactor[2]; /* pipes, if it is relayed; -1: closed */
    struct transcript transcript;
    struct notifier begun;  /* the interactor has begun, or has ended */
    struct notifier ended;  /* the program has ended */
    struct notifier judged; /* the interactor has ended, and nothing more has to be known */
    struct notifier stop;   /* `judged` or `cancel` */
    atomic_bool has_begun, has_ended;
    atomic_bool program_ended_well;
    /* How the interactor has ended. */
    int status; /* -1: `error` says why it did not run to its end */
    struct error error;
    struct result result;
    struct checker_verdict verdict;
    bool has_verdict; /* else `judge_error` says why not */
    struct error judge_error;
    struct frame_wait_state
        wait_state; /* what it waited for shortly before the program's timeout */
};

/*
 * Runs the program with the interactor of the judgement, whose container waits, and fills in how
 * both have ended: -1 as of program_run(). Call interaction_release() in any case.
 */
int interaction_run(struct interaction *interaction, struct judgement *judgement,
                    const struct checked_output *given, struct program_run *program, bool *begun,
                    struct error *error);

/*
 * Decides about a test whose program has ended as `program` and the result of the test say; at the
 * end of its time, `wait_state` says what it waited for. 1: the verdict of the interactor counts,
 * whose message the caller frees. 0: the end of the program counts, which the result may now
 * explain better. -1: the interactor or its container has failed, so there is no verdict:
 * ERROR_JUDGE and the like.
 */
int interaction_decide(struct interaction *interaction, const struct result *program,
                       const struct frame_wait_state *wait_state, struct case_result *result,
                       struct checker_verdict *verdict, struct error *error);

void interaction_release(struct interaction *interaction);

/*
 * Whether isolator has to pass on what the programs of this run say, since their containers cannot
 * share a volume, or should not: what else a program can write to would be shared, too. Asks the
 * engine.
 */
bool interaction_must_relay(const struct run *run);

#endif
