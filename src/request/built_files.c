#include "request/built_files.h"

#include "base/thread.h"

struct shared_file *built_files_find(struct built_files *built, const struct notifier *cancel,
                                     bool *is_first)
{
    THREAD_LOCK(&built->lock);
    while (built->is_awaited && !notifier_raised(cancel))
        pthread_cond_wait(&built->changed, &built->lock);
    *is_first = !built->is_begun;
    built->is_awaited |= *is_first;
    built->is_begun = true;
    return built->archive ? shared_file_share(built->archive) : NULL;
}

void built_files_wake(struct built_files *built)
{
    THREAD_LOCK(&built->lock);
    pthread_cond_broadcast(&built->changed);
}

void built_files_give_up(struct built_files *built)
{
    THREAD_LOCK(&built->lock);
    built->is_awaited = false;
    pthread_cond_broadcast(&built->changed);
}

void built_files_share(struct built_files *built, struct shared_file *archive)
{
    struct shared_file *unused = archive;

    pthread_mutex_lock(&built->lock);
    if (!built->archive) {
        built->archive = archive;
        unused = NULL;
    }
    pthread_mutex_unlock(&built->lock);
    built_files_give_up(built);
    shared_file_release(unused);
}

void built_files_release(struct built_files *built)
{
    shared_file_release(built->archive);
}
