"""What the observer sees of loaders, random generators and writers, and that it leaves nothing behind."""

import subprocess
import sys

import rushlight as torch
from rushlight import doctor
from rushlight.doctor.events import Restored, Seeded
from rushlight.utils.data import DataLoader, TensorDataset


def test_a_loader_remembers_the_line_that_made_it():
    with doctor.watch() as watch:
        loader = DataLoader(TensorDataset(torch.arange(4)))
        place = watch.lives.loaders[loader]
    assert place is not None
    assert place[0].co_name == "test_a_loader_remembers_the_line_that_made_it"


def test_seeds_and_restored_generators_are_told():
    with doctor.watch() as watch:
        seen = []
        watch.tell = seen.append
        torch.manual_seed(3)
        with torch.random.fork_rng():
            torch.manual_seed(4)
    assert [type(each) for each in seen[:3]] == [Seeded, Seeded, Restored]
    assert [each.seed for each in seen[:2]] == [3, 4]


def test_watching_does_not_import_tensorboard_and_takes_its_finder_away():
    code = (
        "import sys\n"
        "from rushlight import doctor\n"
        "before = list(sys.meta_path)\n"
        "with doctor.watch():\n"
        "    pass\n"
        "assert sys.meta_path == before\n"
        "assert 'rushlight.utils.tensorboard' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).returncode == 0
