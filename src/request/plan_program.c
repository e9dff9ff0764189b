#include "request/plan_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/command_template.h"
#include "config/filename_pattern.h"

char *plan_program_path(const struct request *request, const struct language *language)
{
    const struct input *input = &request->input;
    const char *name = request->entrypoint;
    const char *dot = name ? strrchr(name, '.') : NULL;
    char *of_source = NULL;

    if (name && (input->dir || (input->code && !request->entrypoint_of_file)))
        return string_copy(name);
    if (input->code)
        of_source = filename_pattern_find(language->filename_pattern, input->code,
                                          input->code_length, language->default_filename);
    if (of_source)
        return of_source;
    if (name && (input->code || (dot && strvec_contains(&language->extensions, dot))))
        return string_copy(name);
    return string_copy(language->default_filename);
}

const char *plan_main(const struct plan *plan)
{
    return plan->included_main ? plan->included_main : plan->entrypoint;
}

const char *plan_standard(const struct plan *plan, const struct language *language)
{
    return plan->of_package && language->package_standard ? language->package_standard
                                                          : language->standard;
}

void plan_use_included(struct plan *plan, const struct language *language, const char *name)
{
    plan->included_main = string_copy(name);
    plan_program_fill(plan, language);
}

void plan_program_fill(struct plan *plan, const struct language *language)
{
    const char *program = plan_main(plan);
    const char *standard = plan_standard(plan, language);
    const struct call_driver *driver = function_call_driver(&plan->call, &language->extensions);

    strvec_release(&plan->build);
    strvec_release(&plan->command);
    if (plan->no_program && plan->arguments.count > 0) {
        strvec_push_all(&plan->command, &plan->arguments);
        return;
    }
    if (!plan->no_program)
        command_fill(&plan->build, &language->build, program, plan->workdir, standard);
    command_fill(&plan->command, &language->command, driver ? driver->name : program, plan->workdir,
                 standard);
    if (driver)
        function_call_add_words(&plan->call, plan->entrypoint, &plan->command);
    strvec_push_all(&plan->command, &plan->arguments);
}

/* Checks that neither a file that is sent nor one of a test has the path of the entrypoint. */
static int check_files(const struct plan *plan, struct error *error)
{
    if (input_files_check(&plan->input.files, plan->entrypoint, error) != 0)
        return -1;
    for (size_t i = 0; i < plan->tests.count; i++) {
        const struct case_request *test = &plan->tests.items[i];
        CLEANUP_FREE char *shown = text_escape_short(test->name, TEXT_SHOWN_MAX);

        if (input_files_check(&test->files, plan->entrypoint, error) != 0)
            return error_prefix(error, "test '%s'", shown);
    }
    return 0;
}

int plan_set_file(struct plan *plan, const struct config *config, int file, struct error *error)
{
    const struct language *language = config_language(config, plan->language);
    char *name =
        filename_pattern_find_in_file(language->filename_pattern, file, language->default_filename);

    plan->input.file = file;
    if (!name)
        return 0;
    free(plan->entrypoint);
    plan->entrypoint = name;
    plan_program_fill(plan, language);
    return check_files(plan, error);
}
