#include "cli/session/session_shell.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/run_inputs.h"
#include "run/hints.h"

static const char DEFAULT_LANGUAGE[] = "python";

/* ---- a cell becomes a plan */

/* Reads a regular file. */
static int read_file(int fd, struct strbuf *data, struct error *error)
{
    char chunk[16384];
    ssize_t length;

    while ((length = read(fd, chunk, sizeof chunk)) > 0)
        strbuf_add(data, chunk, (size_t)length);
    return length == 0 ? 0 : error_set_errno(error, ERROR_INPUT, "cannot read the file");
}

/* Adds a file of this host to the request. */
static int add_file(struct request *request, const char *file, long long max, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf data = STRBUF_INIT;
    CLEANUP_FD int fd = run_inputs_open_file(file, max, error);
    size_t length;

    if (fd < 0 || read_file(fd, &data, error) != 0)
        return -1;
    length = data.length;
    input_files_add(&request->input.files, text_file_name(file), strbuf_steal(&data), length);
    return 0;
}

static int fill_request(const struct session_shell *shell, const struct session_cell *cell,
                        struct request *request, struct error *error)
{
    const struct request *options = &shell->options->request;
    const double workdir_mb = shell->config->defaults.limits.number[LIMIT_WORKDIR];
    const long long max = (long long)workdir_mb << 20;

    request->language = string_copy(shell->language);
    request->image = options->image ? string_copy(options->image) : NULL;
    request->workdir = options->workdir ? string_copy(options->workdir) : NULL;
    sandbox_policy_overlay(&request->policy, &options->policy);
    strvec_push_all(&request->environment, &options->environment);
    strvec_push_all(&request->arguments, &options->arguments);
    strvec_push_all(&request->tools, &options->tools);
    request->input.code = memory_allocate(cell->length + 1);
    memcpy(request->input.code, cell->code, cell->length);
    request->input.code[cell->length] = '\0';
    request->input.code_length = cell->length;
    if (!shell->id[0])
        strvec_push_all(&request->paths, &options->paths);
    if (cell->line > 0 && session_shell_keeps_state(shell)) {
        request->entrypoint = string_copy(text_file_name(shell->options->file));
        request->session.line = cell->line;
    }
    memcpy(request->session.id, shell->id, sizeof request->session.id);
    request->session.open = !shell->id[0];
    request->session.keep_processes = shell->options->keep_processes;
    request->session.names = cell->names;
    request->session.all_files = cell->wanted != NULL;
    if (!cell->wanted)
        strvec_push_all(&request->artifacts, &options->artifacts);
    else if (request_add_artifact(request, cell->wanted, error) != 0)
        return -1;
    for (size_t i = 0; cell->files && i < cell->files->count; i++)
        if (add_file(request, cell->files->items[i], max, error) != 0)
            return -1;
    return 0;
}

/* Checks the options, before there is a service. */
static int check_options(const struct session_shell *shell, struct error *error)
{
    const struct session_cell empty = {.code = ""};
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    request_init(&request);
    if (fill_request(shell, &empty, &request, error) == 0 &&
        plan_resolve(&plan, shell->config, &request, error) == 0)
        return 0;
    error_name_subject(error, run_options_namer);
    return -1;
}

static int make_plan(struct session_shell *shell, const struct session_cell *cell,
                     struct plan *plan, struct error *error)
{
    CLEANUP(request_release) struct request request;

    request_init(&request);
    if (fill_request(shell, cell, &request, error) != 0)
        return -1;
    if (service_find_session(&shell->service, &request, error) != 0) {
        shell->id[0] = '\0'; /* it has ended; the next cell opens another one */
        return -1;
    }
    if (plan_resolve(plan, shell->config, &request, error) != 0 ||
        (plan->session.open && shell->options->pull &&
         run_inputs_pull(&shell->service.docker, plan, error) != 0))
        return -1;
    memcpy(shell->id, plan->session.id, sizeof shell->id);
    return 0;
}

/* ---- the session */

void session_shell_run(struct session_shell *shell, const struct session_cell *cell,
                       const struct run_observer *observer, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    struct hint_program program;

    if (make_plan(shell, cell, &plan, &error) != 0) {
        error_name_subject(&error, run_options_namer);
        result_fail(result, &error);
        return;
    }
    program = hint_program_of(shell->config, &plan);
    service_run(&shell->service, &plan, observer, signals_cancel(), result);
    hints_add(result, &program, &hint_person);
    result_name_subject(result, run_options_namer);
    if (!result->session || result->session->ended)
        session_shell_reset(shell);
}

void session_shell_reset(struct session_shell *shell)
{
    CLEANUP(error_release) struct error ended = ERROR_INIT;

    if (shell->id[0])
        service_close_session(&shell->service, shell->id, &ended); /* it may have ended */
    shell->id[0] = '\0';
}

bool session_shell_keeps_state(const struct session_shell *shell)
{
    return config_language_called(shell->config, shell->language)->session_command.count > 0;
}

/* The language of the options, else that of the file's extension, else the default; owned. */
static char *choose_language(const struct run_options *options, const struct config *config)
{
    const struct language *of_file =
        options->file ? config_language_of_file(config, options->file) : NULL;

    if (options->request.language)
        return string_copy(options->request.language);
    return string_copy(of_file ? of_file->name : DEFAULT_LANGUAGE);
}

int session_shell_open(struct session_shell *shell, const struct run_options *options,
                       const struct config *config, struct error *error)
{
    const struct service_options service_options = {.limits = {.max_active = 1},
                                                    .has_tools = options->request.tools.count > 0,
                                                    .trace = options->verbose ? docker_print_trace
                                                                              : NULL};

    *shell = (struct session_shell){
        .options = options,
        .config = config,
        .language = choose_language(options, config),
    };
    if (check_options(shell, error) == 0 &&
        service_open(&shell->service, config, &service_options, error) == 0)
        return 0;
    free(shell->language);
    return -1;
}

void session_shell_close(struct session_shell *shell)
{
    service_close(&shell->service, 0);
    free(shell->language);
}
