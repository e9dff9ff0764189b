#include "request/built_files.h"

#include "base/thread.h"

struct shared_file *built_files_find(struct built_files *built)
{
    THREAD_LOCK(&built->lock);
    while (built->is_awaited)
        pthread_cond_wait(&built->changed, &built->lock);
    if (built->archive)
        return shared_file_share(built->archive);
    built->is_awaited = !built->is_begun;
    built->is_begun = true;
    return NULL;
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
