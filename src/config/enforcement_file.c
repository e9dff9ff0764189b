#include "config/enforcement_file.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_replace.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "config/config_files.h"
#include "config/state_files.h"

static char *path_of(const char *identity)
{
    CLEANUP_FREE char *name = NULL;
    char hex[SHA256_HEX_SIZE];
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, identity, strlen(identity));
    sha256_hex(&hash, hex);
    name = string_format("enforced/%s", hex);
    return config_state(name);
}

bool enforcement_file_exists(const char *identity)
{
    CLEANUP_FREE char *path = path_of(identity);

    return access(path, F_OK) == 0;
}

int enforcement_file_write(const char *identity, struct error *error)
{
    CLEANUP_FREE char *path = path_of(identity);
    CLEANUP_FREE char *line = string_format("%s\n", identity);
    CLEANUP_FD const int directory = state_file_directory(path, true);

    return directory >= 0 && file_replace(path, line, strlen(line), NULL) == 0
               ? 0
               : error_set_errno(error, ERROR_SYSTEM, "cannot write '%s'", path);
}

void enforcement_file_remove(const char *identity)
{
    CLEANUP_FREE char *path = path_of(identity);

    unlink(path);
}
