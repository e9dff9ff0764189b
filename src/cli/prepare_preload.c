#include "cli/prepare_preload.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/table.h"
#include "run/result.h"

/* A program that imports them one after the other, and says which one cannot be imported. */
static char *program_of(const struct language *language)
{
    CLEANUP_FREE char *names = strvec_join(&language->preload, "', '");

    return string_format("for name in ['%s']:\n"
                         "    try: __import__(name)\n"
                         "    except Exception as error:\n"
                         "        raise SystemExit(f'{name}: {type(error).__name__}: {error}')\n",
                         names);
}

static int make_plan(const struct config *config, const struct language *language,
                     struct plan *plan, struct error *error)
{
    CLEANUP(request_release) struct request request;

    request_init(&request);
    request.language = string_copy(language->name);
    request.input.code = program_of(language);
    request.input.code_length = strlen(request.input.code);
    return plan_resolve(plan, config, &request, error);
}

/* Runs the program in a new container, or in a warm one. */
static int run_program(struct service *service, const struct config *config,
                       const struct language *language, bool warm, struct result *result,
                       struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    const struct run_observer none = RUN_OBSERVER_INIT;

    if (make_plan(config, language, &plan, error) != 0)
        return -1;
    if (warm)
        service_prewarm(service, &plan, signals_cancel());
    service_run(service, &plan, &none, signals_cancel(), result);
    return 0;
}

static int report_failure(const struct language *language, const struct result *result)
{
    enum { LINE_WIDTH = 1000 };
    CLEANUP_FREE char *shown = result->reason == REASON_EXIT
                                   ? table_last_line(&result->text[1], LINE_WIDTH)
                                   : text_escape(result->error);
    const int status = exit_status_of_result(result, signals_caught());

    diagnostics_line("%s: cannot import the modules of \"preload\": %s", language->name, shown);
    return status == EXIT_STATUS_TIMEOUT ? EXIT_STATUS_PROGRAM : status;
}

static int report_unready(const struct language *language, const struct result *warm)
{
    diagnostics_line(warm->warm ? "%s: the interpreter cannot be started in advance; see "
                                  "\"preload\" and \"warmMemoryMB\" in isolator_config.json(5)"
                                : "%s: no warm container could be created",
                     language->name);
    return warm->warm ? EXIT_STATUS_PROGRAM : EXIT_STATUS_ENGINE;
}

int prepare_try_preload(struct service *service, const struct config *config,
                        const struct language *language, struct error *error)
{
    CLEANUP(result_release) struct result cold = RESULT_INIT;
    CLEANUP(result_release) struct result warm = RESULT_INIT;
    CLEANUP_FREE char *names = strvec_join(&language->preload, ", ");

    if (language->preload.count == 0 || language->warm == 0 || !language->ready)
        return error_set(error, ERROR_USAGE,
                         "'%s' imports nothing in advance; it needs %s in the configuration",
                         language->name,
                         language->preload.count == 0 ? "\"preload\""
                         : language->warm == 0        ? "\"warm\""
                                                      : "\"ready\"");
    if (run_program(service, config, language, false, &cold, error) != 0)
        return -1;
    if (!result_success(&cold))
        return report_failure(language, &cold);
    if (run_program(service, config, language, true, &warm, error) != 0)
        return -1;
    if (!result_success(&warm))
        return report_failure(language, &warm);
    if (!warm.ready)
        return report_unready(language, &warm);
    print_format("%s imports %s in advance: a program with them takes %lld ms, not %lld; a warm "
                 "container has %lld MB\n",
                 language->name, names, warm.duration_ms, cold.duration_ms,
                 (warm.ready_bytes + (1 << 20) - 1) >> 20);
    return EXIT_STATUS_SUCCESS;
}
