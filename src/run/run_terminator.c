#include "run/run_terminator.h"

#include "base/clock.h"
#include "run/run_session.h"

int run_terminator_begin(struct run *run, struct error *error)
{
    const struct network_rules *rules = &run->plan->policy.network_rules;
    struct run_session *session = run->session;
    const long long start = clock_now_ms();

    if (!network_rules_terminate(rules))
        return 0;
    run->terminator = session ? session->terminator : NULL;
    if (!run->terminator) {
        run->terminator = terminator_new(rules, run->cancel, error);
        docker_traced(run->docker, "tls", start);
    }
    if (!run->terminator)
        return -1;
    if (session)
        session->terminator = run->terminator;
    return 0;
}

void run_terminator_end(struct run *run)
{
    if (!run->session)
        terminator_free(run->terminator);
    run->terminator = NULL;
}
