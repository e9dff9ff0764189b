/*
 * What a process remembers of one engine while it runs: whether it may have reached it at all,
 * the version of its API, images without a shell, OCI runtimes that enforce limits, the users of
 * its containers, whether the engine has only few users, and how many CPUs it has. Nothing of it is
 * kept on disk. Several threads may share one.
 */
#ifndef DOCKER_ENGINE_MEMORY_H
#define DOCKER_ENGINE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "docker/docker.h"

/* The users of an engine. */
enum engine_users {
    ENGINE_USERS_UNKNOWN,
    ENGINE_USERS_ALL,   /* those of its machine */
    ENGINE_USERS_MAPPED /* 0-65535: it is rootless, or maps the users of containers to others */
};

/* The largest user of an engine that has only few. */
enum { ENGINE_USERS_MAPPED_MAX = 65535 };

/* "DOCKER_API_VERSION=1.41", with the NUL. */
enum { API_VARIABLE_SIZE = 32 };

struct engine_memory {
    pthread_mutex_t lock;
    struct strvec without_shell; /* names of images, as they were given; bounded */
    /* Names of OCI runtimes, "" for the engine's own choice; bounded. */
    struct strvec known, gvisor, enforcing;
    unsigned *held; /* the users of containers, owned */
    size_t held_count, held_size;
    enum engine_users users;
    long cpus;           /* 0: not known */
    bool reached;        /* a docker command may have reached the engine */
    size_t interrupted;  /* creations of containers */
    int silences;        /* questions in a row that it did not answer in time */
    long long silent_at; /* clock_now_ms() of the last of them; 0: none */
    char api_variable[API_VARIABLE_SIZE];
};

void engine_memory_init(struct engine_memory *memory);
void engine_memory_release(struct engine_memory *memory);

/*
 * Remember and tell that a docker command may have reached the engine; see docker_never_reached().
 * `memory` NULL: nothing is remembered, and one may have.
 */
void engine_memory_set_reached(struct engine_memory *memory);
bool engine_memory_reached(struct engine_memory *memory);

/*
 * Remember and tell how many questions in a row the engine did not answer in time. Those of several
 * threads at the same time are one: `begin` is the clock_now_ms() of the question. `memory` NULL:
 * it is the first.
 */
void engine_memory_note_silence(struct engine_memory *memory, long long begin);
void engine_memory_note_answer(struct engine_memory *memory);
int engine_memory_silences(struct engine_memory *memory);

/*
 * Remember that the creation of a container was interrupted. Returns how often that was so far.
 * `memory` NULL: it is the first.
 */
size_t engine_memory_note_interrupted(struct engine_memory *memory);

/*
 * Remember the version of the engine's API, a line of docker's (NULL or another line: none), and
 * tell it as a variable for docker commands. They ask for it first, and if that is lost, as one of
 * many connections by ssh, they take their own version, which the engine may refuse. False: none is
 * known, or our environment has one. `memory` NULL: nothing is remembered.
 */
void engine_memory_set_api(struct engine_memory *memory, const char *answer);
bool engine_memory_api(struct engine_memory *memory, char variable[API_VARIABLE_SIZE]);

/* Remember and tell that an image has no shell. `memory` NULL: nothing is remembered. */
void engine_memory_set_without_shell(struct engine_memory *memory, const char *image);
bool engine_memory_is_without_shell(struct engine_memory *memory, const char *image);

/*
 * Remember and tell what an OCI runtime is (NULL: the engine's own choice). `memory` NULL: nothing
 * is remembered.
 */
void engine_memory_set_runtime(struct engine_memory *memory, const char *oci_runtime,
                               bool is_gvisor);
bool engine_memory_knows_runtime(struct engine_memory *memory, const char *oci_runtime);
bool engine_memory_is_gvisor(struct engine_memory *memory, const char *oci_runtime);

/*
 * Remember and tell that the engine enforces limits with an OCI runtime (NULL: its own choice).
 * `memory` NULL: nothing is remembered.
 */
void engine_memory_set_enforcing(struct engine_memory *memory, const char *oci_runtime);
bool engine_memory_is_enforcing(struct engine_memory *memory, const char *oci_runtime);

/*
 * Remember and tell which users and how many CPUs (0: not known) the engine has. It is asked only
 * after a container could not start. `memory` NULL: nothing is remembered.
 */
void engine_memory_set_engine(struct engine_memory *memory, enum engine_users users, long cpus);
enum engine_users engine_memory_users(struct engine_memory *memory);
long engine_memory_cpus(struct engine_memory *memory);

/*
 * Draws at random a user that no living container of this process has, and holds it until the
 * release. It is one of the range, or of 10000-59999 if the range goes beyond what the engine has.
 * -1: all of them are held. `memory` NULL: none is held.
 */
int engine_memory_draw_user(struct engine_memory *memory, struct user_range range, unsigned *user,
                            struct error *error);

/* Releases a user that was drawn. 0: does nothing. */
void engine_memory_release_user(struct engine_memory *memory, unsigned user);

#endif
