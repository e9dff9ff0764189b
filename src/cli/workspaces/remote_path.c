#include "cli/workspaces/remote_path.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/exit_status.h"
#include "cli/run_request.h"
#include "service/workspaces.h"

const char *remote_path_of(const char *word)
{
    const char *colon = word + strcspn(word, ":/");

    if (*colon != ':' || colon == word)
        return NULL;
    return colon[1] ? colon + 1 : ".";
}

/* The exit status, after what the result has to say. */
static int report(const struct result *result, bool done)
{
    run_request_print_messages(result, result->error != NULL);
    if (!done)
        return exit_status_of_result(result, signals_caught());
    return result->error || result->artifacts.missing.count > 0 ? EXIT_STATUS_PROGRAM
                                                                : EXIT_STATUS_SUCCESS;
}

int remote_path_visit(const char *word, const struct config *config, remote_path_work *work,
                      void *context, char *const *operands, struct error *error)
{
    const struct service_options options = {.limits = {.max_active = 1}};
    CLEANUP_FREE char *name = string_format("%.*s", (int)strcspn(word, ":"), word);
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct service service;
    bool done;

    if (workspaces_open(&note, name, error) != 0 || signals_catch(error) != 0 ||
        service_open(&service, config, &options, error) != 0)
        return -1;
    done =
        work(context,
             &(struct workspace_files){
                 .service = &service, .config = config, .note = &note, .cancel = signals_cancel()},
             operands, &result);
    service_close(&service, 0);
    signals_release();
    return report(&result, done);
}
