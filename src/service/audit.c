#include "service/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/json_make.h"
#include "base/sha256.h"
#include "base/signal_name.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/thread.h"
#include "docker/image_store.h"

enum { IMAGE_ID_MS = 60000, CHUNK = 16384 };

/* Returns the descriptor of the file, or -1 with errno: EINVAL if it is not a regular one. */
static int open_file(const char *path)
{
    CLEANUP_FD int fd =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return -1;
    if (S_ISREG(status.st_mode))
        return steal_fd(&fd);
    errno = EINVAL;
    return -1;
}

int audit_open(struct audit *audit, const char *file, struct error *error)
{
    CLEANUP_FD const int fd = file ? open_file(file) : -1;
    const int reason = errno;
    CLEANUP_FREE char *shown = text_escape(file ? file : "");

    *audit = (struct audit){.file = file};
    pthread_mutex_init(&audit->lock, NULL);
    if (!file || fd >= 0)
        return 0;
    audit_close(audit);
    if (reason == EINVAL)
        return error_set(error, ERROR_CONFIG, "the audit file '%s' is not a regular file", shown);
    errno = reason;
    return error_set_errno(error, ERROR_CONFIG, "cannot write the audit file '%s'", shown);
}

void audit_close(struct audit *audit)
{
    for (size_t i = 0; i < AUDIT_IMAGES; i++) {
        free(audit->images[i].name);
        free(audit->images[i].id);
    }
    pthread_mutex_destroy(&audit->lock);
    *audit = (struct audit){.file = NULL};
}

/* ---- what is known of a run */

static json_t *time_of_day(void)
{
    struct timespec time;
    struct tm parts;
    char date[32];
    CLEANUP_FREE char *text = NULL;

    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    text = string_format("%s.%03ldZ", date, time.tv_nsec / 1000000);
    return json_string(text);
}

static json_t *caller(void)
{
    char buffer[4096];
    struct passwd entry, *found = NULL;

    getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found);
    return json_pack("{s:I, s:o, s:I, s:s}", "uid", (json_int_t)getuid(), "user",
                     json_make_text(found && text_is_utf8(found->pw_name) ? found->pw_name : NULL),
                     "pid", (json_int_t)getpid(), "program", diagnostics_program());
}

static json_t *digest_of_file(int fd)
{
    char data[CHUNK], digits[SHA256_HEX_SIZE];
    struct sha256 hash;
    ssize_t length;

    sha256_init(&hash);
    for (off_t at = 0; (length = pread(fd, data, sizeof data, at)) > 0; at += length)
        sha256_update(&hash, data, (size_t)length);
    sha256_hex(&hash, digits);
    return length == 0 ? json_string(digits) : json_null();
}

static json_t *digest_of_code(const struct plan *plan)
{
    const struct input *input = &plan->input;
    char digits[SHA256_HEX_SIZE];
    CLEANUP_FD int directory = -1, file = -1;
    struct stat status;

    if (input->code) {
        sha256_of(input->code, input->code_length, digits);
        return json_string(digits);
    }
    if (input->file >= 0)
        return digest_of_file(input->file);
    directory = input->dir ? open(input->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    file = directory < 0 ? -1
                         : openat(directory, plan->entrypoint,
                                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return json_null();
    return digest_of_file(file);
}

/* Has the lock. Returns the id, borrowed, or NULL. */
static const char *remembered_id(const struct audit *audit, const char *image)
{
    for (size_t i = 0; i < AUDIT_IMAGES; i++)
        if (audit->images[i].name && strcmp(audit->images[i].name, image) == 0 &&
            clock_now_ms() - audit->images[i].asked < IMAGE_ID_MS)
            return audit->images[i].id;
    return NULL;
}

/* Has the lock. Takes over the id. */
static void remember_id(struct audit *audit, const char *image, char *id)
{
    struct audit_image *place = &audit->images[audit->oldest++ % AUDIT_IMAGES];

    free(place->name);
    free(place->id);
    *place = (struct audit_image){string_copy(image), id, clock_now_ms()};
}

static json_t *image_id(struct audit *audit, const struct docker *docker, const char *image,
                        const struct notifier *cancel)
{
    CLEANUP(image_details_release) struct image_details details = IMAGE_DETAILS_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    json_t *id;

    pthread_mutex_lock(&audit->lock);
    id = json_make_text(remembered_id(audit, image));
    pthread_mutex_unlock(&audit->lock);
    if (!json_is_null(id) || notifier_raised(cancel) ||
        image_store_details(docker, image, cancel, &details, &ignored) != 1 || !details.id)
        return id;
    id = json_make_text(details.id);
    THREAD_LOCK(&audit->lock);
    remember_id(audit, image, steal_pointer(&details.id));
    return id;
}

static json_t *limits_of(const struct limits *limits)
{
    json_t *object = json_object();

    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const double number = limits->number[i];

        json_object_set_new(object, limit_rules[i].key.name,
                            !isfinite(number)         ? json_null()
                            : number == floor(number) ? json_integer((json_int_t)number)
                                                      : json_real(number));
    }
    return object;
}

/* As a request names them: NETWORK_HOSTS_MAX at most. */
static json_t *hosts_of(const struct network_selection *selection)
{
    json_t *names = json_array();

    for (size_t i = 0; i < selection->count; i++) {
        CLEANUP_FREE char *name = network_item_text(&selection->items[i]);

        json_array_append_new(names, json_make_text(name));
    }
    return names;
}

/* ---- the line */

/* What is known when a program starts. */
static json_t *entry_of(struct audit *audit, const struct docker *docker, const struct plan *plan,
                        const char *container, const char *image, const struct notifier *cancel)
{
    const struct network_selection *hosts = &plan->policy.network_rules.selection;
    json_t *entry = json_object();

    json_object_set_new(entry, "time", time_of_day());
    json_object_set_new(entry, "caller", caller());
    json_object_set_new(entry, "container", json_make_text(container));
    json_object_set_new(entry, "language", json_make_text(plan->language));
    json_object_set_new(entry, "codeSha256", digest_of_code(plan));
    json_object_set_new(entry, "image", json_make_text(image));
    json_object_set_new(entry, "imageId",
                        image && container ? image_id(audit, docker, image, cancel) : json_null());
    json_object_set_new(entry, "limits", limits_of(&plan->policy.limits));
    json_object_set_new(entry, "network", json_make_text(plan->policy.network));
    if (hosts->given)
        json_object_set_new(entry, "hosts", hosts_of(hosts));
    json_object_set_new(entry, "tests", json_integer((json_int_t)plan->tests.count));
    return entry;
}

static void add_outcome(json_t *entry, const struct result *result)
{
    json_object_set_new(entry, "status", json_string(result_status(result)));
    json_object_set_new(entry, "reason", json_string(result_reason(result)));
    json_object_set_new(entry, "exitCode", json_integer(result->exit_code));
    json_object_set_new(entry, "signal", json_make_text(signal_name(result->signal)));
    json_object_set_new(entry, "durationMs", json_integer(result->duration_ms));
    json_object_set_new(entry, "cpuMs",
                        json_make_count(result->cpu_us < 0 ? -1 : result->cpu_us / 1000));
    json_object_set_new(entry, "peakMemoryBytes", json_make_count(result->peak_bytes));
    if (result->network)
        json_object_set_new(entry, "network", network_log_to_json(result->network));
    if (result->checker_image)
        json_object_set_new(entry, "checker",
                            json_pack("{s:o, s:o}", "image", json_make_text(result->checker_image),
                                      "container", json_make_text(result->checker_container)));
    if (result->tools)
        json_object_set_new(entry, "toolCalls", tool_log_calls(result->tools));
}

/* A job has no outcome yet. */
static void add_no_outcome(json_t *entry)
{
    static const char *const names[] = {"reason",     "exitCode", "signal",
                                        "durationMs", "cpuMs",    "peakMemoryBytes"};

    json_object_set_new(entry, "status", json_string("started"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set_new(entry, names[i], json_null());
}

/* Appends the line by one write. A line that could not be written whole gets an end of its own. */
static int append(struct audit *audit, const struct strbuf *line, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(audit->file);
    CLEANUP_FD const int fd = open_file(audit->file);
    const char *data = line->data + (audit->torn ? 0 : 1);
    const size_t length = line->length - (audit->torn ? 0 : 1);
    ssize_t written;

    do
        written = fd < 0 ? -1 : write(fd, data, length);
    while (written < 0 && fd >= 0 && errno == EINTR);
    if (written >= 0 && (size_t)written < length) {
        audit->torn = true;
        errno = ENOSPC;
    } else if (written >= 0) {
        audit->torn = false;
        return 0;
    }
    return error_set_errno(error, ERROR_SYSTEM, "cannot write the audit file '%s'", shown);
}

/* Takes over the entry. */
static int add_line(struct audit *audit, json_t *entry, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
    CLEANUP_FREE char *text = NULL;

    text = json_dumps(entry, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    json_decref(entry);
    strbuf_addf(&line, "\n%s\n", text);
    THREAD_LOCK(&audit->lock);
    return append(audit, &line, error);
}

int audit_add_start(struct audit *audit, const struct docker *docker, const struct plan *plan,
                    const char *container, const char *image, const struct notifier *cancel,
                    struct error *error)
{
    json_t *entry;

    if (!audit || !audit->file)
        return 0;
    entry = entry_of(audit, docker, plan, container, image, cancel);
    add_no_outcome(entry);
    return add_line(audit, entry, error);
}

int audit_add(struct audit *audit, const struct docker *docker, const struct plan *plan,
              const struct result *result, const struct notifier *cancel, struct error *error)
{
    json_t *entry;

    if (!audit || !audit->file)
        return 0;
    entry = entry_of(audit, docker, plan, result->container, result->image, cancel);
    add_outcome(entry, result);
    return add_line(audit, entry, error);
}
