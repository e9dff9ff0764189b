#include "config/settings.h"

#include <stddef.h>

/*
 * Patterns are for editors. Setters check the same in code; end-to-end tests compare the two with
 * samples. Paragraphs are in the form of man/options.awk.
 */
#define CAPABILITY "(?![Cc][Aa][Pp]_(,|$))[A-Za-z_]+"

const struct setting_rule setting_rules[SETTINGS] = {
    [SETTING_NETWORK] = {{"network", KEY_STRING_OR_OBJECT, 0, 0, NULL, "Network",
                          "none, bridge or the name of a network of the engine, never host; or an "
                          "object with the hosts that programs reach over a proxy.",
                          SETTING_NETWORK_PATTERN},
                         {0, "--network", "NAME", "none, bridge or an engine's network", "none",
                          "*none*, *bridge* or the name of a network of the engine. *host* and "
                          "'container:NAME' would remove the isolation and are refused."}},
    [SETTING_READ_ONLY] =
        {{"readOnly", KEY_BOOLEAN, 0, 0, NULL, "Read-only root",
          "If true, the root file system is read-only.", NULL},
         {0, "--read-only", "[BOOL]", "read-only root file system", "true",
          "Whether the root file system is read-only, *true* or *false*; without a value, *true*. "
          "The working directory and /tmp are always writable. 'isolator test' needs *true*."}},
    [SETTING_CAP_DROP] =
        {{"capDrop", KEY_STRINGS, 1, 0, NULL, "Capabilities to drop",
          "ALL, or names like NET_RAW or CAP_NET_RAW.", "^" CAPABILITY "(," CAPABILITY ")*$"},
         {0, "--cap-drop", "LIST", "capabilities to drop; repeatable", "ALL",
          "Capabilities to drop, separated by commas. This option can be given more than once. The "
          "list replaces the default, so every list without *ALL* drops fewer capabilities."}},
    [SETTING_USER] =
        {{"user", KEY_STRING, 0, 0, NULL, "User",
          "uid or uid:gid of the program, numbers up to 2097151; by default, each container gets a "
          "user of its own from userRange.",
          "^" SETTING_ID_PATTERN "(:" SETTING_ID_PATTERN ")?$"},
         {0, "--user", "UID[:GID]", "user of the program (one of its own)", NULL,
          "The numbers of the user and the group that the program runs as. Without a GID, the "
          "group has the number of the user. By default each container has a user of its own, "
          "drawn at random from *userRange* in isolator_config.json(5), so that programs do not "
          "share what the kernel counts by user. A warning says that the program could forge its "
          "result if this is user 0."}},
    [SETTING_OCI_RUNTIME] =
        {{"ociRuntime", KEY_STRING, 1, 255, NULL, "OCI runtime",
          "The program with which the engine runs containers, by its name on the engine, like "
          "runsc (gVisor) or crun; by default, the engine's own choice.",
          SETTING_OCI_RUNTIME_PATTERN},
         {0, "--oci-runtime", "NAME", "OCI runtime, like runsc (the engine's)", NULL,
          "The OCI runtime, the program with which the engine runs the container: a name that the "
          "engine knows, like *runsc*, which is gVisor, or *crun*. The default is the engine's. "
          "With podman it may be a path. gVisor is refused until 'isolator doctor' has shown that "
          "it keeps the limits."}},
    [SETTING_WORKDIR] =
        {{"containerWorkdir", KEY_STRING, 1, 255, NULL, "Working directory",
          "Working directory in the container, which receives the files: an absolute path outside "
          "the system's directories.",
          "^(?!/+(proc|sys|dev|etc|bin|sbin|lib|lib64|usr)(/|$))(?!.* /*$)"
          "(/+(?!\\.{1,2}(/|$))[^/\\t\\n\\r:,\"'\\\\$`]+)+/*$"},
         {0, "--container-workdir", "PATH", "working directory", "/workspace",
          "The working directory in the container, which receives the files. It must be an "
          "absolute path outside the system directories, at most 255 bytes long. Blanks are "
          "allowed, except at its end; ':', ',', quotes, backslashes and '$' are not. Doubled "
          "slashes and a slash at the end mean nothing."}},
};
