"""The package lives inside other people's interpreters: its standard-library parts run on every Python from 3.8 on that this machine has."""
import glob
import os
import shutil
import subprocess
import sys

import pytest
from repository import FIXTURES, PACKAGE

VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]


def interpreter(version):
    if "%d.%d" % sys.version_info[:2] == version:
        return sys.executable
    pyenv = sorted(glob.glob(os.path.join(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")), "versions", version + ".*", "bin", "python")))
    found = pyenv[-1] if pyenv else shutil.which("python" + version)
    # A shim of pyenv is on the PATH also for versions it then refuses to run.
    if found and subprocess.run([found, "-c", ""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
        return found
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_the_pure_parts_run(version):
    found = interpreter(version)
    if not found:
        pytest.skip("no Python %s on this machine" % version)
    command = [found, "-I", str(PACKAGE / "tests" / "pure_parts.py"), str(PACKAGE), str(FIXTURES)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "%d fixtures on %s" % (len(list(FIXTURES.glob("*.json"))), version)
