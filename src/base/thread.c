#include "base/thread.h"

#include <errno.h>

int thread_start(pthread_t *thread, void *(*work)(void *), void *argument)
{
    pthread_attr_t attributes;

    errno = pthread_attr_init(&attributes);
    if (errno == 0) {
        errno = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
        if (errno == 0)
            errno = pthread_create(thread, &attributes, work, argument);
        pthread_attr_destroy(&attributes);
    }
    return errno == 0 ? 0 : -1;
}
