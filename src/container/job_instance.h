/*
 * The instances of a job, which have no connection to their container. The first one is there when
 * the job starts: it writes the script, and takes each program to succeed. The second one reads
 * what the supervisor has written: the beginning while the job starts, and everything whenever its
 * result is wanted. What runs programs in an instance (src/run) works with them as with any other.
 */
#ifndef CONTAINER_JOB_INSTANCE_H
#define CONTAINER_JOB_INSTANCE_H

#include "container/instance.h"

/* All are freed with instance_free(), which leaves the container alone. Scripts and logs are
 * borrowed. `extra_mb`: see struct instance. */

/* An instance that writes this script. */
struct instance *job_instance_of_script(const struct docker *docker, long extra_mb,
                                        struct job_script *file);

/*
 * An instance that starts this container, which has these limits and more memory, and is attached
 * to it until it is freed. NULL with the error of docker_start().
 */
struct instance *job_instance_start(const struct docker *docker, const char *container,
                                    const struct container_limits *limits, long extra_mb,
                                    struct job_log *log, struct error *error);

/* An instance that reads the log of this container, which has ended. NULL as above. */
struct instance *job_instance_of_log(const struct docker *docker, const char *container,
                                     struct job_log *log, struct error *error);

#endif
