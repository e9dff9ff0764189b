#include "test.h"

#include "mcp/host_install.h"

/* Prepares the installation for lm-studio, whose file is .lmstudio/mcp.json in the directory. */
static int prepare(const char *directory, struct host_install *install, struct error *error)
{
    const struct host_config_options options = {.ssh = "me@server", .max_timeout = 45};
    CLEANUP(host_config_release) struct host_config made = HOST_CONFIG_INIT;
    const struct host *host = hosts_find("lm-studio", "--install", error);

    setenv("HOME", directory, 1);
    assert_int_equal(host_config_make(host, &options, &made, error), 0);
    return host_install_prepare(install, host, &made, error);
}

/* Makes a home directory with the directory of the file. */
static char *make_home(void)
{
    char *home = temp_create();
    CLEANUP_FREE char *directory = path_in(home, ".lmstudio");

    assert_int_equal(mkdir(directory, 0755), 0);
    return home;
}

CASE(host_install__changed_by_another_program)
{
    CLEANUP(host_install_release) struct host_install install = HOST_INSTALL_INIT;
    CLEANUP_FREE char *got = NULL;
    CLEANUP_FREE char *message = NULL;
    struct error error = ERROR_INIT;
    char *home = make_home();

    write_in(home, ".lmstudio/mcp.json", "{}");
    assert_int_equal(prepare(home, &install, &error), 0);
    write_in(home, ".lmstudio/mcp.json", "{\"other\": 1}");
    assert_int_equal(host_install_write(&install, &error), -1);
    message = string_format("'%s' was changed by another program; try again", install.path);
    assert_error(&error, ERROR_CONFIG, message);
    got = read_in(home, ".lmstudio/mcp.json");
    assert_string_equal(got, "{\"other\": 1}");
    temp_remove(home);
}

CASE(host_install__created_by_another_program)
{
    CLEANUP(host_install_release) struct host_install install = HOST_INSTALL_INIT;
    CLEANUP_FREE char *got = NULL;
    struct error error = ERROR_INIT;
    char *home = make_home();

    assert_int_equal(prepare(home, &install, &error), 0);
    assert_text_or_null(install.backup, NULL);
    write_in(home, ".lmstudio/mcp.json", "{\"other\": 1}");
    assert_int_equal(host_install_write(&install, &error), -1);
    assert_int_equal(error.kind, ERROR_CONFIG);
    error_release(&error);
    got = read_in(home, ".lmstudio/mcp.json");
    assert_string_equal(got, "{\"other\": 1}");
    temp_remove(home);
}

CASE(host_install__file_size_is_bounded)
{
    CLEANUP(host_install_release) struct host_install install = HOST_INSTALL_INIT;
    CLEANUP_FREE char *message = NULL;
    CLEANUP_FREE char *path = NULL;
    struct error error = ERROR_INIT;
    char *home = make_home();

    write_in(home, ".lmstudio/mcp.json", "{}");
    path = path_in(home, ".lmstudio/mcp.json");
    assert_int_equal(truncate(path, HOST_FILE_MAX + 1), 0);
    assert_int_equal(prepare(home, &install, &error), -1);
    message = string_format("'%s' is larger than 16 MiB", install.path);
    assert_error(&error, ERROR_CONFIG, message);
    temp_remove(home);
}

CASE(host_install__home_is_missing)
{
    CLEANUP(host_install_release) struct host_install install = HOST_INSTALL_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(prepare("relative", &install, &error), -1);
    assert_error(&error, ERROR_CONFIG,
                 "cannot find the file of lm-studio: HOME is not an absolute path");
}
