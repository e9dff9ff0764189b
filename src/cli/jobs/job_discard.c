#include "cli/jobs/job_discard.h"

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "service/jobs.h"

void job_discard(const struct docker *docker, const char *id)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    if (job_note_lock(&note, id, &error) != 0 ||
        jobs_remove(docker, &note, true, NULL, &error) != 0)
        diagnostics_line("warning: cannot remove %s: %s", id, error.message);
}
