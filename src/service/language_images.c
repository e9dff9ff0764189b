#include "service/language_images.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "docker/budget.h"
#include "docker/image_store.h"

/* Whether a version, "24.1.0" or "v24.1", is at least this one. Parts that are left out are 0. */
static bool is_at_least(const char *version, const char *minimum)
{
    version += *version == 'v';
    while (*version || *minimum) {
        char *end;
        const unsigned long part = strtoul(version, &end, 10);
        const unsigned long needed = strtoul(minimum, (char **)&minimum, 10);

        if (part != needed)
            return part > needed;
        version = *end == '.' ? end + 1 : "";
        minimum += *minimum == '.';
    }
    return true;
}

/* Whether the image states a lower version than the language needs. */
static bool is_too_old(const struct docker *docker, const struct language *language,
                       const struct notifier *cancel)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* then it is not known to be old */
    CLEANUP(strvec_release) struct strvec environment = STRVEC_INIT;

    if (image_store_environment(docker, language->image, cancel, &environment, &ignored) != 0)
        return false;
    for (size_t i = 0; i < language->image_versions.count; i++) {
        const char *needed = language->image_versions.items[i];
        const size_t name = strcspn(needed, "=") + 1;

        for (size_t k = 0; k < environment.count; k++)
            if (strncmp(environment.items[k], needed, name) == 0 &&
                !is_at_least(environment.items[k] + name, needed + name))
                return true;
    }
    return false;
}

int language_images_inspect(const struct docker *docker, const struct config *config,
                            const struct notifier *cancel, struct language_images *images,
                            struct error *error)
{
    const long long deadline = budget_deadline(docker, BUDGET_QUERY);
    CLEANUP(strvec_release) struct strvec references = STRVEC_INIT;
    CLEANUP_FREE struct image_facts *facts = NULL;
    int result;

    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];

        strvec_push(&references, language->image);
        if (language->preparation.tag)
            strvec_push(&references, language->preparation.tag);
    }
    facts = memory_allocate(references.count * sizeof *facts);
    result = image_inspect(docker, &references, deadline, cancel, facts, error);
    for (size_t i = 0, at = 0; result == 0 && i < config->language_count; i++) {
        images[i] = (struct language_images){.base = facts[at++]};
        if (config->languages[i].preparation.tag)
            images[i].prepared = facts[at++];
        if (images[i].base.present && config->languages[i].image_versions.count > 0)
            images[i].too_old = is_too_old(docker, &config->languages[i], cancel);
    }
    return result;
}

bool language_images_suffice(const struct language_images *images)
{
    return (images->base.present && !images->too_old) || images->prepared.present;
}
