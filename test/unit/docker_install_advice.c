#include "test.h"

#include "docker/install_advice.h"

static void check(const char *os_release, const char *expected)
{
    const char *found = install_advice_for(ENGINE_DOCKER, os_release);

    assert_string_equal(found ? found : "none", expected);
}

CASE(install_advice__by_id)
{
    check("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n",
          "sudo apt-get install docker.io");
    check("NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.20.1\n", "apk add docker");
    check("NAME='Fedora Linux'\nID='fedora'", "sudo dnf install moby-engine");
    check("ID=arch", "sudo pacman -S docker");
    check("ID=\"amzn\"\nID_LIKE=\"fedora\"\n", "sudo dnf install docker");
}

CASE(install_advice__by_what_it_is_like)
{
    check("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "sudo apt-get install docker.io");
    check("ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "sudo zypper install docker");
    check("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "none");
}

CASE(install_advice__of_podman)
{
    assert_string_equal(install_advice_for(ENGINE_PODMAN, "ID=debian\n"),
                        "sudo apt-get install podman");
    assert_string_equal(
        install_advice_for(ENGINE_PODMAN, "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"),
        "sudo dnf install podman");
    assert_null(install_advice_for(ENGINE_PODMAN, "ID=\"amzn\"\nID_LIKE=\"fedora\"\n"));
}

CASE(install_advice__of_what_is_not_known)
{
    char text[1000];

    check("", "none");
    check("ID=", "none");
    check("ID=\"\"\nID_LIKE=\n", "none");
    check("ID=nothing\n", "none");
    check("VERSION_ID=debian\nXID=debian\n ID=debian\n", "none");
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "ID=", 3);
    text[sizeof text - 1] = '\0';
    check(text, "none");
}
