#include "run/run_terminator.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "request/proxy_variables.h"
#include "run/run_session.h"

/* Puts the certificates in front of the files of the request: a file of that name replaces them. */
static int add_certificates(struct run *run, struct error *error)
{
    const struct plan *plan = run->plan;
    CLEANUP(manifest_release) struct manifest certificates = MANIFEST_INIT;

    if (archive_open_on_disk(&run->with_certificates, plan->policy.uid, plan->policy.gid,
                             &certificates, error) != 0 ||
        terminator_add_certificates(run->terminator, &run->with_certificates, PROXY_BUNDLE_NAME,
                                    error) != 0 ||
        archive_finish_with(&run->with_certificates, &run->files, error) != 0)
        return -1;
    run->with_certificates.manifest = NULL;
    manifest_merge(&certificates, &run->sent);
    manifest_release(&run->sent);
    run->sent = certificates;
    certificates = (struct manifest)MANIFEST_INIT;
    return 0;
}

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
    return session && session->requests > 0 ? 0 : add_certificates(run, error);
}

void run_terminator_end(struct run *run)
{
    if (!run->session)
        terminator_free(run->terminator);
    run->terminator = NULL;
    archive_release(&run->with_certificates);
}
