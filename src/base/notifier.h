/*
 * A flag with a descriptor: one thread or signal handler raises it, and another one that waits in
 * poll() sees it at once. It has two uses:
 *
 * - to ask a piece of work to end. Such a notifier is called `cancel` and is never cleared, so that
 *   every thread that looks at it later sees it.
 * - to wake a thread, which clears it and then checks what there is to do. Raising it several times
 *   before it is cleared has the same effect as raising it once.
 */
#ifndef BASE_NOTIFIER_H
#define BASE_NOTIFIER_H

#include <stdbool.h>

#include "base/error.h"

struct notifier {
    int fd; /* an eventfd(2), or epoll(7) of two; never blocks, no child inherits it; -1: not open
             */
};

#define NOTIFIER_INIT                                                                              \
    {                                                                                              \
        -1                                                                                         \
    }

/* ERROR_SYSTEM. */
int notifier_open(struct notifier *notifier, struct error *error);

/*
 * Opens a notifier that is raised while one of two others is, which are borrowed; `one` may be
 * NULL. It is neither raised nor cleared by itself. ERROR_SYSTEM.
 */
int notifier_open_either(struct notifier *notifier, const struct notifier *one,
                         const struct notifier *other, struct error *error);

/* From any thread and from a signal handler: it never blocks and keeps errno. */
void notifier_raise(const struct notifier *notifier);

/* True from notifier_raise() until notifier_clear(); false for NULL. */
bool notifier_raised(const struct notifier *notifier);

void notifier_clear(const struct notifier *notifier);

/*
 * The descriptor that polls readable (POLLIN) while it is raised; -1 for NULL, which poll()
 * ignores.
 */
int notifier_fd(const struct notifier *notifier);

/* Also after NOTIFIER_INIT alone, and more than once. */
void notifier_release(struct notifier *notifier);

#endif
