#include "run/run_additions.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/drivers.h"
#include "request/proxy_variables.h"
#include "run/run_session.h"

/* `import tools` is the module with the other name, which no program has by chance. */
#define ALIAS "import sys\nimport isolator_tools\n\nsys.modules[__name__] = isolator_tools\n"

static bool needs_certificates(const struct run *run)
{
    return run->terminator && !(run->session && run->session->requests > 0);
}

static bool needs_python_tools(const struct run *run)
{
    return run->plan->tools.count > 0 && strvec_contains(&run->plan->source_extensions, ".py");
}

/* Where Python looks for modules first: the directory of the program. Adds those above it. */
static int add_directories(struct archive *archive, const char *entrypoint, struct error *error)
{
    for (const char *slash = strchr(entrypoint, '/'); slash; slash = strchr(slash + 1, '/')) {
        CLEANUP_FREE char *name = string_format("%.*s", (int)(slash - entrypoint), entrypoint);

        if (archive_add_directory(archive, name, 0, error) != 0)
            return -1;
    }
    return 0;
}

static int add_python_tools(struct archive *archive, const char *entrypoint, struct error *error)
{
    const char *slash = strrchr(entrypoint, '/');
    const int length = slash ? (int)(slash - entrypoint) + 1 : 0;
    CLEANUP_FREE char *module = string_format("%.*sisolator_tools.py", length, entrypoint);
    CLEANUP_FREE char *alias = string_format("%.*stools.py", length, entrypoint);
    const char *text = driver_tools_python();

    if (add_directories(archive, entrypoint, error) != 0 ||
        archive_add_bytes(archive, module, text, strlen(text), error) != 0)
        return -1;
    return archive_add_bytes(archive, alias, ALIAS, strlen(ALIAS), error);
}

static int add_all(const struct run *run, struct archive *archive, struct error *error)
{
    if (needs_certificates(run) &&
        terminator_add_certificates(run->terminator, archive, PROXY_BUNDLE_NAME, error) != 0)
        return -1;
    if (needs_python_tools(run) && add_python_tools(archive, run->plan->entrypoint, error) != 0)
        return -1;
    return archive_finish_with(archive, &run->files, error);
}

int run_additions_begin(struct run *run, struct error *error)
{
    const struct plan *plan = run->plan;
    struct archive *archive = &run->with_additions;
    CLEANUP(manifest_release) struct manifest added = MANIFEST_INIT;

    if (!needs_certificates(run) && !needs_python_tools(run))
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
