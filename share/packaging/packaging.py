"""What share/packaging/npm, bundles and wheels have in common: the arguments, the description, and archives.

A tree of files is a dictionary {PATH: (BYTES, MODE)}. The same input gives the same bytes: archives are sorted, belong
to root, and all times in them are SOURCE_DATE_EPOCH, by default the time of the Makefile, which in an unpacked
`make dist` is that of the commit.
"""

import gzip
import io
import json
import os
import re
import sys
import tarfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MACHINES = {'x86_64': 'x64', 'aarch64': 'arm64'}  # as uname and as Node.js name them
PROGRAMS = ('isolator', 'isolator-mcp')
LICENSES = 'LICENSES'  # those of the libraries in the programs
ZIP_EPOCH = 315532800  # 1980: a zip has no earlier time


def fail(message):
    sys.exit(f'share/packaging/{os.path.basename(sys.argv[0])}: {message}')


def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError as error:
        fail(f"cannot read '{path}': {error.strerror}")


def own(name):
    """The bytes of a file in this directory."""
    return read(os.path.join(HERE, name))


def arguments():
    """Returns the tree of the programs, the machines that are there, the version and the output directory."""
    if len(sys.argv) != 4:
        name = os.path.basename(sys.argv[0])
        sys.exit(f'usage: share/packaging/{name} PROGRAMS_DIRECTORY VERSION OUTPUT_DIRECTORY')
    directory, version, output = sys.argv[1:]
    if not re.fullmatch(r'\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?', version):
        fail(f"'{version}' is not a version like 0.1.0")
    machines = [machine for machine in MACHINES if os.path.isdir(os.path.join(directory, machine))]
    if not machines:
        fail(f"there are no programs in '{directory}': build them with `make static`")
    return {machine: programs_of(directory, machine) for machine in machines}, version, output


def programs_of(directory, machine):
    files = {**dict.fromkeys(PROGRAMS, 0o755), LICENSES: 0o644}
    return {name: (read(os.path.join(directory, machine, name)), mode) for name, mode in files.items()}


def below(directory, tree):
    return {f'{directory}/{path}': file for path, file in tree.items()}


def with_launchers(programs):
    """The tree of the launchers and the programs of several machines, as both npm and plugins have them."""
    tree = {f'bin/{name}': (own('launcher.sh'), 0o755) for name in PROGRAMS}
    for machine, files in programs.items():
        tree.update(below(f'programs/{machine}', files))
    return tree


def description():
    """The description, with the name for the registry of MCP that MCP_NAME gives."""
    about = json.loads(own('description.json'))
    about['mcp_name'] = os.environ.get('MCP_NAME') or about['mcp_name']
    return about


def documents(about):
    """README.md and LICENSE of a package."""
    readme = f"# {about['title']}\n\n{about['long_description']}\n"
    return {'README.md': text(readme), 'LICENSE': (read(os.path.join(ROOT, 'LICENSE')), 0o644)}


def text(content):
    return content.encode(), 0o644


def json_file(value):
    return text(json.dumps(value, indent=2, ensure_ascii=False) + '\n')


def source_date():
    epoch = os.environ.get('SOURCE_DATE_EPOCH') or str(int(os.stat(os.path.join(ROOT, 'Makefile')).st_mtime))
    if not epoch.isdigit():
        fail(f"SOURCE_DATE_EPOCH is '{epoch}', not a number of seconds")
    return int(epoch)


def tgz(tree):
    """The bytes of an archive for npm, which expects everything below package/."""
    archive = io.BytesIO()
    with gzip.GzipFile(filename='', mode='wb', fileobj=archive, mtime=source_date()) as packed, \
            tarfile.open(fileobj=packed, mode='w', format=tarfile.USTAR_FORMAT) as tar:
        for path, (content, mode) in sorted(tree.items()):
            entry = tarfile.TarInfo(f'package/{path}')
            entry.size, entry.mode, entry.mtime = len(content), mode, source_date()
            tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def zip_archive(tree):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, 'w') as packed:
        for path, (content, mode) in sorted(tree.items()):
            entry = zipfile.ZipInfo(path, time.gmtime(max(source_date(), ZIP_EPOCH))[:6])
            entry.create_system = 3  # Unix, so that the mode counts
            entry.external_attr = (0o100000 | mode) << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return archive.getvalue()


def write(path, content, mode=0o644):
    try:
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)
        os.chmod(path, mode)
    except OSError as error:
        fail(f"cannot write '{path}': {error.strerror}")


def announce(path):
    print(f'  PACKAGE {path}')
