#include "docker/engine_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/thread.h"

#define API_VARIABLE "DOCKER_API_VERSION"

/* More names than a configuration has; what is forgotten is found out again. */
enum { NAMES_MAX = 1000 };

/* On an engine that has only few users: clear of those that images and distributions use. */
static const struct user_range mapped_users = {10000, 59999};

void engine_memory_init(struct engine_memory *memory)
{
    *memory = (struct engine_memory){.without_shell = STRVEC_INIT,
                                     .known = STRVEC_INIT,
                                     .gvisor = STRVEC_INIT,
                                     .enforcing = STRVEC_INIT};
    pthread_mutex_init(&memory->lock, NULL);
}

void engine_memory_release(struct engine_memory *memory)
{
    strvec_release(&memory->without_shell);
    strvec_release(&memory->known);
    strvec_release(&memory->gvisor);
    strvec_release(&memory->enforcing);
    free(memory->held);
    pthread_mutex_destroy(&memory->lock);
}

void engine_memory_set_reached(struct engine_memory *memory)
{
    if (!memory)
        return;
    THREAD_LOCK(&memory->lock);
    memory->reached = true;
}

bool engine_memory_reached(struct engine_memory *memory)
{
    if (!memory)
        return true;
    THREAD_LOCK(&memory->lock);
    return memory->reached;
}

int engine_memory_silences(struct engine_memory *memory)
{
    if (!memory)
        return 1;
    THREAD_LOCK(&memory->lock);
    return memory->silences;
}

void engine_memory_note_silence(struct engine_memory *memory, long long begin)
{
    if (!memory)
        return;
    THREAD_LOCK(&memory->lock);
    if (begin >= memory->silent_at) {
        memory->silences++;
        memory->silent_at = clock_now_ms();
    }
}

void engine_memory_note_answer(struct engine_memory *memory)
{
    if (!memory)
        return;
    THREAD_LOCK(&memory->lock);
    memory->silences = 0;
}

size_t engine_memory_note_interrupted(struct engine_memory *memory)
{
    if (!memory)
        return 1;
    THREAD_LOCK(&memory->lock);
    return ++memory->interrupted;
}

/* Bytes of the version, digits with a dot between them, that the line has; 0: none. */
static int api_version_length(const char *line)
{
    static const char digits[] = "0123456789";
    const size_t major = strspn(line, digits);
    const size_t minor = line[major] == '.' ? strspn(line + major + 1, digits) : 0;
    const size_t length = major + 1 + minor;

    return major > 0 && major <= 3 && minor > 0 && minor <= 3 &&
                   strspn(line + length, "\r\n") == strlen(line + length)
               ? (int)length
               : 0;
}

void engine_memory_set_api(struct engine_memory *memory, const char *answer)
{
    const int length = answer ? api_version_length(answer) : 0;

    if (!memory)
        return;
    THREAD_LOCK(&memory->lock);
    *memory->api_variable = '\0';
    if (length > 0)
        snprintf(memory->api_variable, sizeof memory->api_variable, API_VARIABLE "=%.*s", length,
                 answer);
}

bool engine_memory_api(struct engine_memory *memory, char variable[API_VARIABLE_SIZE])
{
    *variable = '\0';
    if (!memory || getenv(API_VARIABLE))
        return false;
    THREAD_LOCK(&memory->lock);
    memcpy(variable, memory->api_variable, API_VARIABLE_SIZE);
    return *variable != '\0';
}

static void add_name(struct engine_memory *memory, struct strvec *names, const char *name)
{
    THREAD_LOCK(&memory->lock);
    if (names->count >= NAMES_MAX)
        strvec_release(names);
    strvec_push_once(names, name);
}

static bool has_name(struct engine_memory *memory, const struct strvec *names, const char *name)
{
    THREAD_LOCK(&memory->lock);
    return strvec_contains(names, name);
}

void engine_memory_set_without_shell(struct engine_memory *memory, const char *image)
{
    if (memory)
        add_name(memory, &memory->without_shell, image);
}

bool engine_memory_is_without_shell(struct engine_memory *memory, const char *image)
{
    return memory && has_name(memory, &memory->without_shell, image);
}

static const char *name_of(const char *oci_runtime)
{
    return oci_runtime ? oci_runtime : "";
}

void engine_memory_set_runtime(struct engine_memory *memory, const char *oci_runtime,
                               bool is_gvisor)
{
    if (!memory)
        return;
    if (is_gvisor)
        add_name(memory, &memory->gvisor, name_of(oci_runtime));
    add_name(memory, &memory->known, name_of(oci_runtime));
}

bool engine_memory_knows_runtime(struct engine_memory *memory, const char *oci_runtime)
{
    return memory && has_name(memory, &memory->known, name_of(oci_runtime));
}

bool engine_memory_is_gvisor(struct engine_memory *memory, const char *oci_runtime)
{
    return memory && has_name(memory, &memory->gvisor, name_of(oci_runtime));
}

void engine_memory_set_enforcing(struct engine_memory *memory, const char *oci_runtime)
{
    if (memory)
        add_name(memory, &memory->enforcing, name_of(oci_runtime));
}

bool engine_memory_is_enforcing(struct engine_memory *memory, const char *oci_runtime)
{
    return memory && has_name(memory, &memory->enforcing, name_of(oci_runtime));
}

void engine_memory_set_engine(struct engine_memory *memory, enum engine_users users, long cpus)
{
    if (!memory)
        return;
    THREAD_LOCK(&memory->lock);
    memory->users = users;
    memory->cpus = cpus;
}

enum engine_users engine_memory_users(struct engine_memory *memory)
{
    if (!memory)
        return ENGINE_USERS_UNKNOWN;
    THREAD_LOCK(&memory->lock);
    return memory->users;
}

long engine_memory_cpus(struct engine_memory *memory)
{
    if (!memory)
        return 0;
    THREAD_LOCK(&memory->lock);
    return memory->cpus;
}

static bool is_held(const struct engine_memory *memory, unsigned user)
{
    for (size_t i = 0; i < memory->held_count; i++)
        if (memory->held[i] == user)
            return true;
    return false;
}

static void hold(struct engine_memory *memory, unsigned user)
{
    if (memory->held_count == memory->held_size) {
        memory->held_size = memory->held_size * 2 + 16;
        memory->held = memory_resize(memory->held, memory->held_size * sizeof *memory->held);
    }
    memory->held[memory->held_count++] = user;
}

/* The first user that is not held, from a random one on; 0: there is none. */
static unsigned find_free(const struct engine_memory *memory, struct user_range range)
{
    const unsigned count = range.first > 0 ? range.last - range.first + 1 : 0;
    unsigned long long start;

    linux_random(&start, sizeof start);
    for (unsigned i = 0; i < count; i++) {
        const unsigned user = range.first + (unsigned)((start % count + i) % count);

        if (!memory || !is_held(memory, user))
            return user;
    }
    return 0;
}

int engine_memory_draw_user(struct engine_memory *memory, struct user_range range, unsigned *user,
                            struct error *error)
{
    if (memory)
        pthread_mutex_lock(&memory->lock);
    if (memory && memory->users == ENGINE_USERS_MAPPED && range.last > ENGINE_USERS_MAPPED_MAX)
        range = mapped_users;
    *user = find_free(memory, range);
    if (memory && *user > 0)
        hold(memory, *user);
    if (memory)
        pthread_mutex_unlock(&memory->lock);
    if (*user > 0)
        return 0;
    return error_set(error, ERROR_SYSTEM,
                     "cannot create a container: all users from %u to %u are in use by others; set "
                     "a larger userRange in the configuration",
                     range.first, range.last);
}

void engine_memory_release_user(struct engine_memory *memory, unsigned user)
{
    if (!memory)
        return;
    THREAD_LOCK(&memory->lock);
    for (size_t i = 0; i < memory->held_count; i++)
        if (memory->held[i] == user) {
            memory->held[i] = memory->held[--memory->held_count];
            break;
        }
}
