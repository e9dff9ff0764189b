#include "cli/jobs/job_fetch.h"

#include <signal.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "cli/artifact_files.h"
#include "cli/exit_status.h"
#include "run/hints.h"
#include "service/jobs.h"

json_t *job_fetch_members(const struct job_note *note)
{
    json_t *members = json_object();

    if (note->batch_line > 0) {
        json_object_set_new(members, "id",
                            note->batch_id ? json_incref(note->batch_id) : json_null());
        json_object_set_new(members, "line", json_integer(note->batch_line));
    }
    return members;
}

static void write_artifacts(const struct job_note *note, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FD int directory = -1;

    if (!note->artifacts)
        return;
    directory = artifact_files_open(note->artifacts, &error);
    if (directory < 0)
        strvec_push(&result->warnings, error.message);
    else
        artifact_files_write(directory, NULL, note->force, "move it away, and wait again", result);
}

static int finish(const struct job_fetch *fetch, const struct job_note *note, struct result *result,
                  struct error *error)
{
    const struct hint_program program = hint_program_of(fetch->config, &note->plan);
    const size_t warned = result->warnings.count + result->artifacts.missing.count;
    const bool is_gone = !result->container;
    int status;
    bool is_written;

    write_artifacts(note, result);
    is_written = result->warnings.count + result->artifacts.missing.count == warned;
    hints_add(result, &program, note->batch_line > 0 ? &hint_line : &hint_person);
    status = exit_status_of_result(result, SIGTERM); /* if isolator stop has ended it */
    if (!fetch->print(fetch->context, note, result))
        return EXIT_STATUS_ENGINE;
    if (!fetch->keep && !is_gone && is_written &&
        jobs_remove(fetch->docker, note, true, NULL, error) != 0)
        return -1;
    return status;
}

int job_fetch(const struct job_fetch *fetch, const char *word, struct job_note *note,
              struct error *error)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    bool runs;

    if (job_note_lock(note, word, error) != 0)
        return -1;
    if (jobs_wait(fetch->docker, fetch->audit, note, fetch->deadline, signals_cancel(), &result,
                  &runs, error) == 0)
        return finish(fetch, note, &result, error);
    if (!runs)
        return -1;
    diagnostics_line("the job %s has not ended within the --timeout", note->id);
    error_release(error);
    *error = (struct error)ERROR_INIT;
    return EXIT_STATUS_TIMEOUT;
}
