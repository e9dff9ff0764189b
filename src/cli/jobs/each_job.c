#include "cli/jobs/each_job.h"

#include <stddef.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "cli/exit_status.h"

int each_job(char *const *operands, const char *kind,
             int (*work)(void *context, const char *word, struct error *error), void *context,
             struct error *error)
{
    int status = EXIT_STATUS_SUCCESS;

    if (!operands[0])
        return error_set(error, ERROR_USAGE, "no %s is named; isolator ps lists them", kind);
    if (signals_catch(error) != 0)
        return -1;
    for (size_t i = 0; operands[i] && signals_caught() == 0; i++) {
        CLEANUP(error_release) struct error failure = ERROR_INIT;
        int one = work(context, operands[i], &failure);

        if (one < 0 && signals_caught() == 0)
            one = exit_status_report(&failure);
        if (one != EXIT_STATUS_SUCCESS)
            status = one;
    }
    signals_release();
    return signals_caught() != 0 ? EXIT_STATUS_INTERRUPTED + signals_caught() : status;
}
