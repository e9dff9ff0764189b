#include "cli/prepare_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/table.h"
#include "prepare/prepare.h"
#include "prepare/prepared_images.h"

/* ---- the languages */

enum { LANGUAGE_COLUMNS = 7 };

static int add_prepared_row(struct strvec *cells, const struct docker *docker,
                            const struct language *language, struct error *error)
{
    static const char *const states[] = {[PREPARE_MISSING] = "missing",
                                         [PREPARE_OLD_BASE] = "outdated",
                                         [PREPARE_OLD_FILES] = "outdated",
                                         [PREPARE_READY] = "ready"};
    const struct preparation *preparation = &language->preparation;
    CLEANUP_FREE char *steps = strvec_join(&preparation->steps, "; ");
    CLEANUP_FREE char *size = NULL;
    struct prepare_view view;
    bool exists;

    if (prepare_inspect(docker, language, signals_cancel(), &view, error) != 0)
        return -1;
    exists = view.state != PREPARE_MISSING;
    size = string_format("%lld MB", view.size / 1000000);
    strvec_push_each(cells, language->name, states[view.state], preparation->tag, language->image,
                     exists ? size : "-", exists ? view.created : "-", NULL);
    strvec_push_owned(cells, text_escape(steps));
    return 0;
}

/* Whether the language is listed: it has steps, and is an operand if there are operands. */
static bool is_listed(const struct language *language, char *const *operands)
{
    bool named = !operands[0];

    for (; *operands && !named; operands++)
        named = strcmp(*operands, language->name) == 0;
    return named && language->preparation.steps.count > 0;
}

int prepare_list_languages(const struct docker *docker, char *const *operands,
                           const struct config *config, struct error *error)
{
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;

    strvec_push_each(&cells, "NAME", "STATE", "IMAGE", "BASE", "SIZE", "CREATED", "STEPS", NULL);
    for (size_t i = 0; i < config->language_count; i++)
        if (is_listed(&config->languages[i], operands) &&
            add_prepared_row(&cells, docker, &config->languages[i], error) != 0)
            return -1;
    table_print(&cells, LANGUAGE_COLUMNS);
    return EXIT_STATUS_SUCCESS;
}

/* ---- the images */

enum { IMAGE_COLUMNS = 8 };

/* Bytes that a cell shows of a label, which may be of any length. */
enum { LABEL_SHOWN_MAX = 200 };

static void push_label(struct strvec *cells, const char *text)
{
    strvec_push_owned(cells, *text ? text_escape_short(text, LABEL_SHOWN_MAX) : string_copy("-"));
}

static void add_image_row(struct strvec *cells, const struct prepared_image *image)
{
    static const char *const uses[] = {[PREPARED_USED] = "used",
                                       [PREPARED_UNUSED] = "unused",
                                       [PREPARED_BUSY] = "busy",
                                       [PREPARED_FOREIGN] = "foreign"};

    push_label(cells, image->language);
    strvec_push(cells, uses[image->use]);
    push_label(cells, image->tags.count > 0 ? image->tags.items[0] : "");
    push_label(cells, image->base);
    strvec_push_owned(cells, image->bytes < 0 ? string_copy("-")
                                              : string_format("%lld MB", image->bytes / 1000000));
    push_label(cells, image->created);
    push_label(cells, image->config);
    push_label(cells, image->steps);
}

/* Whether the image is listed: it is of one of the languages, if there are any. */
static bool image_is_listed(const struct prepared_image *image, char *const *operands,
                            const struct config *config, bool unused)
{
    bool named = !operands[0];

    for (; *operands && !named; operands++)
        named = strcmp(config_language_called(config, *operands)->name, image->language) == 0;
    return named && (!unused || image->use == PREPARED_UNUSED || image->use == PREPARED_BUSY);
}

/* Removes the image, or says why it stays. Returns an exit status. */
static int remove_image(const struct docker *docker, const struct prepared_image *image)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *shown = text_escape(image->tags.items[0]);

    if (image->use == PREPARED_BUSY) {
        print_format("kept %s: there are containers of it\n", shown);
        return EXIT_STATUS_SUCCESS;
    }
    if (prepared_image_remove(docker, image, signals_cancel(), &error) == 0) {
        print_format("removed %s\n", shown);
        return EXIT_STATUS_SUCCESS;
    }
    if (error.kind != ERROR_CANCELLED)
        diagnostics_line("%s: %s", shown, error.message);
    return EXIT_STATUS_ENGINE;
}

/* Also removes the notes of configurations that are gone. */
static int remove_images(const struct docker *docker, const struct prepared_images *images,
                         char *const *operands, const struct config *config, struct error *error)
{
    int status = EXIT_STATUS_SUCCESS;

    for (size_t i = 0; i < images->count && !notifier_raised(signals_cancel()); i++)
        if (image_is_listed(&images->items[i], operands, config, true) &&
            remove_image(docker, &images->items[i]) != EXIT_STATUS_SUCCESS)
            status = EXIT_STATUS_ENGINE;
    if (status != EXIT_STATUS_SUCCESS)
        return status;
    if (!operands[0])
        return prepared_images_forget(NULL, error) == 0 ? status : -1;
    for (; *operands; operands++)
        if (prepared_images_forget(config_language_called(config, *operands)->name, error) != 0)
            return -1;
    return status;
}

int prepare_list_images(const struct docker *docker, char *const *operands,
                        const struct config *config, bool unused, bool remove, struct error *error)
{
    CLEANUP(prepared_images_release) struct prepared_images images = PREPARED_IMAGES_INIT;
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT, warnings = STRVEC_INIT;

    if (prepared_images_list(docker, config, signals_cancel(), &images, &warnings, error) != 0)
        return -1;
    for (size_t i = 0; i < warnings.count; i++)
        diagnostics_line("warning: %s", warnings.items[i]);
    strvec_push_each(&cells, "NAME", "STATE", "IMAGE", "BASE", "SIZE", "CREATED", "CONFIGURATION",
                     "STEPS", NULL);
    for (size_t i = 0; i < images.count; i++)
        if (image_is_listed(&images.items[i], operands, config, unused))
            add_image_row(&cells, &images.items[i]);
    table_print(&cells, IMAGE_COLUMNS);
    return remove ? remove_images(docker, &images, operands, config, error) : EXIT_STATUS_SUCCESS;
}
