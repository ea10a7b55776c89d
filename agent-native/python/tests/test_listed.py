"""A look at all objects of a process is not felt by its other threads, on every Python from 3.8 on that this machine has."""
import subprocess

import pytest
from repository import PACKAGE
from test_old_pythons import VERSIONS, interpreter


@pytest.mark.parametrize("version", VERSIONS)
def test_a_look_is_not_felt(version):
    found = interpreter(version)
    if not found:
        pytest.skip("no Python %s on this machine" % version)
    command = [found, "-I", str(PACKAGE / "tests" / "beside_threads.py"), str(PACKAGE)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "5 tests on " + version
