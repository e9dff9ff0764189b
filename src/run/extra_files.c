#include "run/extra_files.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/drivers.h"
#include "request/proxy_variables.h"
#include "run/run_session.h"

/* A module for tools. `alias` is the same with a name that programs may have by chance. */
struct tools_module {
    const char *extensions[3]; /* of the programs that it is for */
    const char *name, *alias, *alias_text;
    const char *(*text)(void);
};

static const struct tools_module modules[] = {
    {{".py"},
     "isolator_tools.py",
     "tools.py",
     "import sys\nimport isolator_tools\n\nsys.modules[__name__] = isolator_tools\n",
     driver_tools_python},
    {{".js", ".ts"},
     "isolator_tools.cjs",
     "tools.cjs",
     "module.exports = require('./isolator_tools.cjs');\n",
     driver_tools_javascript},
};

static bool needs_certificates(const struct run *run)
{
    return run->terminator && !(run->session && run->session->requests > 0);
}

/* The module that the program can use; NULL: none, or it has no tools. */
static const struct tools_module *find_module(const struct plan *plan)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules && plan->tools.count > 0; i++)
        for (const char *const *extension = modules[i].extensions; *extension; extension++)
            if (strvec_contains(&plan->source_extensions, *extension))
                return &modules[i];
    return NULL;
}

/* Adds the directories above the program, next to which modules are found. */
static int add_directories(struct archive *archive, const char *entrypoint, struct error *error)
{
    for (const char *slash = strchr(entrypoint, '/'); slash; slash = strchr(slash + 1, '/')) {
        CLEANUP_FREE char *name = string_format("%.*s", (int)(slash - entrypoint), entrypoint);

        if (archive_add_directory(archive, name, 0, error) != 0)
            return -1;
    }
    return 0;
}

static int add_next_to(struct archive *archive, const char *entrypoint, const char *name,
                       const char *text, struct error *error)
{
    const char *slash = strrchr(entrypoint, '/');
    const int length = slash ? (int)(slash - entrypoint) + 1 : 0;
    CLEANUP_FREE char *path = string_format("%.*s%s", length, entrypoint, name);

    return archive_add_bytes(archive, path, text, strlen(text), error);
}

static int add_module(struct archive *archive, const struct tools_module *module,
                      const char *entrypoint, struct error *error)
{
    if (add_directories(archive, entrypoint, error) != 0 ||
        add_next_to(archive, entrypoint, module->name, module->text(), error) != 0)
        return -1;
    return add_next_to(archive, entrypoint, module->alias, module->alias_text, error);
}

static int add_all(const struct run *run, struct archive *archive, struct error *error)
{
    const struct tools_module *module = find_module(run->plan);

    if (needs_certificates(run) &&
        terminator_add_certificates(run->terminator, archive, PROXY_BUNDLE_NAME, error) != 0)
        return -1;
    if (module && add_module(archive, module, run->plan->entrypoint, error) != 0)
        return -1;
    return archive_finish_with(archive, &run->files, error);
}

int extra_files_begin(struct run *run, struct error *error)
{
    const struct plan *plan = run->plan;
    struct archive *archive = &run->with_extra_files;
    CLEANUP(manifest_release) struct manifest added = MANIFEST_INIT;

    if (!needs_certificates(run) && !find_module(plan))
        return 0;
    if (archive_open_on_disk(archive, plan->policy.uid, plan->policy.gid, &added, error) != 0 ||
        add_all(run, archive, error) != 0)
        return -1;
    archive->manifest = NULL;
    manifest_merge(&added, &run->sent);
    manifest_release(&run->sent);
    run->sent = added;
    added = (struct manifest)MANIFEST_INIT;
    return 0;
}
