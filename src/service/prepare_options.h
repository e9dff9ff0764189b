/*
 * What a preparation (service/prepare.h) is asked to do, and where its output goes.
 */
#ifndef SERVICE_PREPARE_OPTIONS_H
#define SERVICE_PREPARE_OPTIONS_H

#include "base/notifier.h"
#include "base/process.h"
#include "base/strvec.h"
#include "docker/docker.h"

struct prepare {
    const struct docker *docker;
    const struct notifier *cancel; /* or NULL */
    const char *network;           /* instead of the preparation's; NULL: that */
    const char *tag;               /* one more tag for the image; NULL: none */
    process_sink *output;          /* takes what the steps write, as it comes */
    void *context;
    struct strvec
        *warnings; /* takes what went wrong besides: a container that is left behind, say */
};

#endif
