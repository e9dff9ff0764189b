#include "config/prepare_notes_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file_replace.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/config_files.h"

/* How long to wait for another process that writes the notes, which takes milliseconds. */
enum { LOCK_MS = 2000 };

char *prepare_notes_path(void)
{
    return config_home("prepared.json");
}

json_t *prepare_notes_load(const char *path, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_MAX(CONFIG_FILE_MAX);
    json_error_t where;
    json_t *root;

    if (access(path, F_OK) != 0) /* as with configuration files, also if it cannot be reached */
        return json_object();
    if (config_read_file(path, &text, error) != 0)
        return NULL;
    root = json_loadb(strbuf_string(&text), text.length, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        CLEANUP_FREE char *shown = text_escape(where.text);
        error_set(error, ERROR_CONFIG, "%s:%d:%d: %s", path, where.line, where.column, shown);
    }
    return root;
}

int prepare_notes_lock(const char *path)
{
    static const struct timespec pause = {0, 10 * 1000000L};
    CLEANUP_FREE char *directory = string_format("%.*s", (int)(strrchr(path, '/') - path), path);
    CLEANUP_FD int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const long long deadline = clock_now_ms() + LOCK_MS;

    while (fd >= 0 && clock_now_ms() < deadline) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return steal_fd(&fd);
        nanosleep(&pause, NULL);
    }
    return -1;
}

int prepare_notes_replace(const char *path, const json_t *root, struct error *error)
{
    CLEANUP_FREE char *text = json_dumps(root, JSON_INDENT(2));

    if (!text)
        abort();
    if (strlen(text) > CONFIG_FILE_MAX)
        return error_set(error, ERROR_SYSTEM,
                         "'%s' would be larger than 1 MiB; run: isolator prepare --remove --unused",
                         path);
    return file_replace(path, text, strlen(text), NULL) == 0
               ? 0
               : error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", path);
}
