/*
 * What a preparation (prepare/prepare.h) is asked to do, and where its output goes.
 */
#ifndef PREPARE_PREPARE_OPTIONS_H
#define PREPARE_PREPARE_OPTIONS_H

#include "base/notifier.h"
#include "base/process.h"
#include "base/strvec.h"
#include "config/prepare_network.h"
#include "docker/docker.h"

struct prepare {
    const struct docker *docker;
    const struct notifier *cancel;         /* or NULL */
    const struct prepare_network *network; /* nothing given: that of the preparation */
    const char *tag;                       /* an additional tag for the image; NULL: none */
    const char *prepared_for;              /* config_prepared_for() of the language */
    const char *config_file;               /* the file of the configuration; NULL: there is none */
    process_sink *output;                  /* takes the output of the steps as it arrives */
    void *context;
    struct strvec *warnings; /* non-fatal problems, such as a container that may still exist */
};

#endif
