#include "service/language_images.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "docker/budget.h"

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
    }
    return result;
}

bool language_images_suffice(const struct language_images *images)
{
    return images->base.present || images->prepared.present;
}
