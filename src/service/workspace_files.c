#include "service/workspace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "container/delivery.h"
#include "container/program_request.h"
#include "run/collector.h"
#include "run/pack_input.h"
#include "service/workspaces.h"
#include "supervisor/protocol.h"

enum { CHUNK = 65536 };

/* ---- the visit */

/* The plan of `FILE FILES_OPTION VERB WORD...`, with these files of this host. */
static int make_plan(const struct workspace_files *files, const char *verb,
                     const struct strvec *words, const struct strvec *sources, struct plan *plan,
                     struct error *error)
{
    const double most = files->config->maximums.limits.number[LIMIT_TIMEOUT];
    CLEANUP(request_release) struct request request;

    request_init(&request);
    request.no_program = true;
    strvec_push_each(&request.arguments, DELIVERY_VOLUME_PATH, FILES_OPTION, verb, NULL);
    strvec_push_all(&request.arguments, words);
    if (sources)
        strvec_push_all(&request.paths, sources);
    if (most > 0) /* not NAN */
        request.policy.limits.number[LIMIT_TIMEOUT] = most;
    workspaces_complete(files->note, &request);
    return plan_resolve(plan, files->config, &request, error);
}

/* Why the visit failed, for people. */
static void explain(struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const char *said = strbuf_string(&result->text[1]);

    if (result->reason == REASON_OUTPUT_LIMIT)
        error_set(&error, ERROR_INPUT,
                  "these are more than %d MiB, which one command cannot copy; copy a part of them",
                  OUTPUT_HARD_MAX >> 20);
    else if (result->reason == REASON_EXIT && *said)
        error_set(&error, ERROR_INPUT, "%.*s", (int)strcspn(said, "\n"), said);
    else
        return;
    result_fail(result, &error);
}

/* Runs the plan; `out`, a file, gets what is written to stdout. */
static bool visit(const struct workspace_files *files, const struct plan *plan, int out,
                  struct result *result)
{
    struct run_observer observer = RUN_OBSERVER_INIT;

    observer.live[0] = out;
    workspaces_exec(files->service, files->note, plan, &observer, files->cancel, result);
    if (result_success(result))
        return true;
    explain(result);
    return false;
}

static bool fail(struct result *result, const struct error *error)
{
    result_fail(result, error);
    return false;
}

/* Runs `verb` with words, and opens a file with what it has written; -1: the result says why. */
static int read_visit(const struct workspace_files *files, const char *verb,
                      const struct strvec *words, struct plan *plan, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FD int out = -1;

    if (make_plan(files, verb, words, NULL, plan, &error) == 0 &&
        (out = linux_unnamed_disk_file()) < 0)
        error_set_errno(&error, ERROR_SYSTEM, "cannot create an unnamed file");
    if (out < 0) {
        result_fail(result, &error);
        return -1;
    }
    return visit(files, plan, out, result) ? steal_fd(&out) : -1;
}

/* ---- lists */

void workspace_list_release(struct workspace_list *list)
{
    free(list->items);
    free(list->text);
    *list = (struct workspace_list)WORKSPACE_LIST_INIT;
}

static int compare_names(const void *a, const void *b)
{
    const struct workspace_entry *left = a, *right = b;

    return strcmp(left->name, right->name);
}

/* Reads a number and the space after it. */
static bool take_number(char **text, int base, unsigned long long *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &end, base);
    if (*end != ' ')
        return false;
    *text = end + 1;
    return true;
}

/* False: that is none. */
static bool take_entry(char *text, struct workspace_entry *entry)
{
    static const char letters[] = "fdlo";
    const char *letter = *text ? strchr(letters, *text) : NULL;
    unsigned long long mode, modified;

    if (!letter || text[1] != ' ')
        return false;
    text += 2;
    if (!take_number(&text, 8, &mode) || mode > 07777 || !take_number(&text, 10, &entry->bytes) ||
        !take_number(&text, 10, &modified) || !*text)
        return false;
    entry->type = (enum workspace_entry_type)(letter - letters);
    entry->mode = (unsigned)mode;
    entry->modified = (long long)modified;
    entry->name = text;
    return true;
}

bool workspace_list_read(struct workspace_list *list, char *text, size_t length)
{
    size_t room = 0;

    list->text = text;

    for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
        if (list->count == room) {
            room = room > 0 ? 2 * room : 64;
            list->items = memory_resize(list->items, room * sizeof *list->items);
        }
        if (!take_entry(text + at, &list->items[list->count++]))
            return false;
    }
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, compare_names);
    return length == 0 || text[length - 1] == '\0';
}

/* The text, with a NUL after it; NULL: errno says why. */
static char *read_text(int file, size_t *length)
{
    struct stat status;
    char *text;

    if (fstat(file, &status) != 0 || status.st_size > OUTPUT_HARD_MAX)
        return NULL;
    text = memory_allocate((size_t)status.st_size + 1);
    *length = (size_t)status.st_size;
    for (size_t done = 0; done < *length;) {
        const ssize_t count = pread(file, text + done, *length - done, (off_t)done);

        if (count <= 0) {
            free(text);
            return NULL;
        }
        done += (size_t)count;
    }
    text[*length] = '\0';
    return text;
}

bool workspace_files_list(const struct workspace_files *files, const char *path,
                          struct workspace_list *list, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    CLEANUP_FD int out = -1;
    size_t length;
    char *text;

    strvec_push(&words, path);
    out = read_visit(files, "list", &words, &plan, result);
    if (out < 0)
        return false;
    text = read_text(out, &length);
    if (text && workspace_list_read(list, text, length))
        return true;
    error_set(&error, ERROR_ENGINE, "what came from the workspace is no list");
    return fail(result, &error);
}

/* ---- copies */

static bool is_contents(const char *source)
{
    return strcmp(text_file_name(source), ".") == 0;
}

bool workspace_files_put(const struct workspace_files *files, const struct strvec *sources,
                         const char *path, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    const bool many = sources->count > 1 || is_contents(sources->items[0]);
    bool good;

    strvec_pushf(&words, "%s%s", path, many ? "/" : "");
    if (make_plan(files, "unpack", &words, sources, &plan, &error) != 0 ||
        archive_open_on_disk(&archive, 0, 0, NULL, &error) != 0 ||
        pack_input(&plan, &archive, &warnings, files->cancel, &error) != 0)
        return fail(result, &error);
    strvec_release(&plan.paths); /* they are no files of the program, but its stdin */
    plan.input.stdin_file = fcntl(archive_file(&archive), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (plan.input.stdin_file < 0 || lseek(plan.input.stdin_file, 0, SEEK_SET) != 0) {
        error_set_errno(&error, ERROR_SYSTEM, "cannot read the archive");
        return fail(result, &error);
    }
    good = visit(files, &plan, -1, result);
    strvec_push_all(&result->warnings, &warnings);
    return good;
}

/* The last name of a path, which may have slashes at its end; borrowed. */
static const char *last_name(char *path)
{
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    return text_file_name(path);
}

/* Reads the archive in the file. */
static void collect(int file, const struct plan *plan, const struct strvec *names,
                    struct result *result)
{
    static const struct manifest sent = MANIFEST_INIT;
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    CLEANUP(collector_release) struct collector collector;
    off_t at = 0;
    ssize_t length;

    collector_init(&collector, plan, &sent, result);
    collector.names = names;
    while ((length = pread(file, chunk, CHUNK, at)) > 0 &&
           collector_feed(&collector, chunk, (size_t)length))
        at += length;
    collector_finish(&collector, length < 0 ? strerror(errno) : "the archive has no end");
}

bool workspace_files_get(const struct workspace_files *files, struct strvec *paths,
                         struct result *result)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FD int out = read_visit(files, "archive", paths, &plan, result);

    if (out < 0)
        return false;
    for (size_t i = 0; i < paths->count; i++)
        strvec_push(&names, last_name(paths->items[i]));
    plan.artifacts_optional = true;
    collect(out, &plan, &names, result);
    return true;
}
