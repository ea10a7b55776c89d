"""The id of a launch: the same in all its processes, another in the next, and none where that cannot be known."""
import pytest

from lamella.launch import run_id

TORCHRUN = {"TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_RESTART_COUNT": "0", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}


def torchrun(rank, attempt=0, folder="/tmp/torchelastic_k3x/none_9f2"):
    return dict(TORCHRUN, RANK=str(rank), TORCHELASTIC_RESTART_COUNT=str(attempt), TORCHELASTIC_ERROR_FILE="%s/attempt_%d/%d/error.json" % (folder, attempt, rank))


def test_ranks_of_one_machine_share_torchruns_folder_and_a_restart_of_them_has_another():
    ids = {run_id(2, torchrun(rank)) for rank in (0, 1)}
    assert len(ids) == 1 and all(len(one) == 32 and int(one, 16) >= 0 for one in ids)
    assert run_id(2, torchrun(0, attempt=1)) not in ids
    assert run_id(2, torchrun(0, folder="/tmp/torchelastic_p0q/none_1aa")) not in ids


def test_on_several_machines_only_a_name_that_was_given_to_all_tells():
    two_machines = dict(torchrun(0), WORLD_SIZE="4")
    assert run_id(2, two_machines) == ""
    named = [run_id(2, dict(torchrun(rank, folder="/tmp/torchelastic_%d/job_x" % rank), WORLD_SIZE="4", TORCHELASTIC_RUN_ID="job-17")) for rank in (0, 3)]
    assert named[0] == named[1] != ""


def test_a_slurm_step_is_a_launch_and_a_requeued_one_another():
    step = {"SLURM_JOB_ID": "81", "SLURM_STEP_ID": "0", "SLURM_PROCID": "3"}
    assert run_id(4, step) == run_id(4, dict(step, SLURM_PROCID="0")) != ""
    assert len({run_id(4, step), run_id(4, dict(step, SLURM_STEP_ID="1")), run_id(4, dict(step, SLURM_RESTART_COUNT="1"))}) == 3
    assert run_id(4, {"SLURM_JOB_ID": "81"}) == "", "a batch script is no step"


def test_what_is_said_goes_first():
    assert run_id(2, dict(torchrun(0), LAMELLA_RUN_ID="2026-11-30 a")) == run_id(2, dict(torchrun(1), LAMELLA_RUN_ID="2026-11-30 a")) != run_id(2, torchrun(0))


@pytest.mark.parametrize("environment", [{}, {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}, {"TORCHELASTIC_RUN_ID": "none"}])
def test_where_nothing_tells_there_is_none(environment):
    assert run_id(2, environment) == ""


def test_a_model_in_one_piece_needs_none():
    assert run_id(1, torchrun(0)) == ""
