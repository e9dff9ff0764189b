#include "request/built_files.h"

#include "base/thread.h"

struct shared_file *built_files_find(struct built_files *built)
{
    THREAD_LOCK(&built->lock);
    return built->archive ? shared_file_share(built->archive) : NULL;
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
    shared_file_release(unused);
}

void built_files_release(struct built_files *built)
{
    shared_file_release(built->archive);
}
