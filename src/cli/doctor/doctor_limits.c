#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/doctor/doctor.h"
#include "run/enforcement_probe.h"

/* Adds the finding: of enforcement_probe(), which gave this status and error. */
static void report(struct doctor *doctor, const struct plan *plan, int status,
                   const struct error *error)
{
    const char *runtime = plan->policy.oci_runtime;
    CLEANUP_FREE char *which =
        runtime ? string_format(" with the OCI runtime %s", runtime) : string_copy("");

    if (status == 0) {
        doctor_find(doctor, FINDING_OK, "tried limits",
                    string_format("a program could not exceed memory and processes%s", which),
                    NULL);
        findings_add_values(&doctor->findings, doctor_tried_values(runtime));
    } else if (status > 0)
        doctor_find(doctor, doctor->docker.allow_unenforced ? FINDING_WARN : FINDING_FAIL,
                    "tried limits", string_format("%s%s", error->message, which),
                    string_copy("give the engine the cgroup controllers memory and pids, and its "
                                "OCI runtime no option to ignore them"));
    else
        doctor_find(doctor, FINDING_WARN, "tried limits", string_copy(error->message),
                    string_copy("isolator doctor, when that is fixed"));
}

void doctor_try_limits(struct doctor *doctor, const struct plan *plan)
{
    const char *runtime = plan->policy.oci_runtime ? plan->policy.oci_runtime : "";
    CLEANUP(error_release) struct error error = ERROR_INIT;
    int status;

    if (strvec_contains(&doctor->tried, runtime))
        return;
    strvec_push(&doctor->tried, runtime);
    doctor_say(doctor, "trying to exceed limits");
    status = enforcement_probe(&doctor->service->docker, plan, signals_cancel(), &error);
    if (!notifier_raised(signals_cancel()))
        report(doctor, plan, status, &error);
}
