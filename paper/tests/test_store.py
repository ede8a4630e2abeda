"""Runs in files: each whole or not there, whenever the writer is killed."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from paper import store as module
from paper.data import IRIS
from paper.run import K_MEANS, Run
from paper.store import Store

RUN = Run(IRIS, None, K_MEANS, 4, 0, None)
N_KILLS = 10
# Each writer writes four runs over and over, until it is killed; forked from one process, they start quickly.
# Nothing is forced to the disk, as files outlive a process without: so most of the time goes to the writing.
WRITERS = """
import os, random, signal, sys, time
from pathlib import Path
from paper.store import Store, write

os.fsync = lambda file: None
chance = random.Random(0)
record = b'{"text": "%s"}' % (b"0123456789" * 200_000)
for number in range(int(sys.argv[2])):
    store = Store(Path(sys.argv[1]) / str(number))
    store.open()
    paths = [store.folder / "runs" / f"{key}.json" for key in sys.argv[3:]]
    writer = os.fork()
    if not writer:
        while True:
            for path in paths:
                write(path, record)
    time.sleep(chance.uniform(0, 0.05))
    os.kill(writer, signal.SIGKILL)
    assert os.waitpid(writer, 0)[1] == signal.SIGKILL
"""


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "deep" / "folder")
    store.open()
    return store


def files(store):
    return sorted((store.folder / "runs").iterdir())


def test_what_is_kept_is_got(store):
    record = {"cost": 0.1 + 0.2, "status": "optimal", "groups": [{"group": "Ñandú", "size": 3}], "gap": None}
    assert store.get(RUN) is None
    store.keep(RUN, record)
    assert store.get(RUN) == record
    assert Store(store.folder).get(RUN) == record
    assert store.get(replace(RUN, seed=1)) is None
    store.keep(RUN, {"cost": 1.0})
    assert store.get(RUN) == {"cost": 1.0}
    assert [path.name for path in files(store)] == [f"{RUN.key}.json"]
    store.open()
    assert store.get(RUN) == {"cost": 1.0}


def test_conditions(store):
    assert store.conditions() is None
    store.keep_conditions({"machine": "a", "data": {"iris": "0123"}})
    assert store.conditions() == {"machine": "a", "data": {"iris": "0123"}}
    assert not files(store)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_killed_at_any_moment(tmp_path):
    runs = [replace(RUN, seed=seed) for seed in range(4)]
    command = [sys.executable, "-c", WRITERS, str(tmp_path), str(N_KILLS), *(run.key for run in runs)]
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(command, check=True, timeout=120, env=os.environ | environment)
    n_whole = 0
    for number in range(N_KILLS):
        store = Store(tmp_path / str(number))
        for path in files(store):
            if path.suffix == ".unfinished":
                continue
            assert len(json.loads(path.read_bytes())["text"]) == 2_000_000
            n_whole += 1
        store.open()
        assert all(path.suffix == ".json" for path in files(store))
        for run in runs:
            record = store.get(run)
            assert record is None or len(record["text"]) == 2_000_000
    assert n_whole


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not held on Windows")
def test_one_process_at_a_time(store):
    unfinished = store.folder / "runs" / f"{RUN.key}.json.unfinished"
    with store.opened():
        unfinished.touch()
        with pytest.raises(ValueError, match=f"another process is working in {store.folder}"), store.opened():
            pass
        assert unfinished.exists()  # it is being written
    with store.opened():
        assert not unfinished.exists()
        store.keep(RUN, {"cost": 1.0})
    assert store.get(RUN) == {"cost": 1.0}


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_what_was(store, step, monkeypatch):
    store.keep(RUN, {"cost": 1.0})
    store.keep_conditions({"machine": "a"})

    def full(*_):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.os, step, full)
        with pytest.raises(OSError, match="no space left"):
            store.keep(RUN, {"cost": 2.0})
        with pytest.raises(OSError, match="no space left"):
            store.keep_conditions({"machine": "b"})
    store.open()
    assert store.get(RUN) == {"cost": 1.0}
    assert store.conditions() == {"machine": "a"}
    assert [path.suffix for path in Path(store.folder).rglob("*") if path.is_file()] == [".json"] * 2


WHOLE = json.dumps({"cost": 1.0, "groups": [{"group": "a"}]}).encode()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe{", WHOLE[:-1], WHOLE + WHOLE, b"[]", b"null", b"4"]
)
def test_a_damaged_file_is_named(store, content):
    store.keep(RUN, {"cost": 1.0})
    (path,) = files(store)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} is no record of a run .*: delete it"):
        store.get(RUN)
    path.unlink()
    assert store.get(RUN) is None
