"""torch.utils.tensorboard: what is logged is what TensorBoard's own reader finds."""

import io
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tensorboard")
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.util.tensor_util import make_ndarray

import rushlight as torch
from rushlight import nn
from rushlight.utils.tensorboard import FileWriter, SummaryWriter
from tests.utils.event_files import events, values

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def log(tmp_path):
    with SummaryWriter(tmp_path / "log") as writer:
        yield writer


def read(log):
    log.flush()
    return values(log.get_logdir())


def picture_of(value):
    return np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string)))


def test_scalars_keep_their_steps(log):
    for step in range(3):
        log.add_scalar("loss", torch.tensor(1.0 / (step + 1)), step)
    log.flush()
    logged = [(event.step, event.summary.value[0].simple_value) for event in events(log.get_logdir())["."][1:]]
    assert logged == [(0, 1.0), (1, 0.5), (2, pytest.approx(1 / 3))]


def test_a_scalar_of_several_numbers_is_refused_with_what_to_do(log):
    with pytest.raises(AssertionError, match=r"Tensor should contain one element.*add_histogram"):
        log.add_scalar("loss", torch.ones(3))


def test_scalars_of_one_chart_go_to_folders_of_their_own(log):
    log.add_scalars("run/both", {"sin": 0.5, "cos": 0.25}, 1)
    log.flush()
    found = events(log.get_logdir())
    assert found["run_both_sin"][1].summary.value[0].simple_value == 0.5
    assert found["run_both_cos"][1].summary.value[0].tag == "run/both"


# TensorBoard's reader sets the dtype of an array, which NumPy 2.5 warns about
@pytest.mark.filterwarnings("ignore:Setting the dtype:DeprecationWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool", "complex64"])
def test_a_tensor_comes_back_as_it_was(log, dtype):
    tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    log.add_tensor("x", tensor)
    back = make_ndarray(read(log)["x"].tensor)
    assert back.dtype == dtype and np.array_equal(back, tensor.numpy())


def test_a_histogram_counts_every_number_once(log):
    log.add_histogram("x", torch.linspace(-3, 3, 1001, requires_grad=True))
    found = read(log)["x"].histo
    assert (found.min, found.max, found.num, sum(found.bucket)) == (-3, 3, 1001, 1001)
    assert len(found.bucket) == len(found.bucket_limit)


def test_a_histogram_of_nothing_is_refused(log):
    with pytest.raises(ValueError, match="The input has no element"):
        log.add_histogram("x", torch.zeros(0))


@pytest.mark.parametrize("formats", ["CHW", "HWC", "WHC"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_an_image_in_any_order_of_axes(log, formats, dtype):
    wanted = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3) * 4
    tensor = torch.tensor(wanted) if dtype == "uint8" else torch.tensor(wanted / np.float32(255) + np.float32(1e-4))
    log.add_image("x", tensor.permute(*["HWC".index(axis) for axis in formats]), dataformats=formats)
    assert np.array_equal(picture_of(read(log)["x"]), wanted)


def test_images_stand_in_rows_of_eight(log):
    log.add_images("x", torch.ones(11, 1, 4, 3))
    shown = picture_of(read(log)["x"])
    assert shown.shape == (8, 24, 3) and shown[5:, 9:].max() == 0 and shown[:4].min() == 255


@pytest.mark.parametrize(
    "tensor, formats, error, words",
    [
        (torch.zeros(4, 4), "CHW", AssertionError, "say dataformats='HW'"),
        (torch.zeros(3, 4, 4, dtype=torch.int64), "CHW", ValueError, "uint8 from 0 to 255 or float from 0 to 1"),
        (torch.zeros(3, 4, 4), "CHH", AssertionError, "You can not use the same dimension"),
        (torch.zeros(3, 4, 4), "XYZ", AssertionError, "made of N, C, H and W"),
    ],
)
def test_what_is_no_image_is_refused_with_what_to_do(log, tensor, formats, error, words):
    with pytest.raises(error, match=words):
        log.add_image("x", tensor, dataformats=formats)


def test_boxes_are_drawn_in_red(log):
    log.add_image_with_boxes("x", torch.zeros(3, 20, 20), torch.tensor([[2, 2, 10, 10]]))
    shown = picture_of(read(log)["x"])
    assert shown[2, 5].tolist() == [255, 0, 0] and shown[15, 15].tolist() == [0, 0, 0]


def test_a_video_moves(log):
    log.add_video("x", torch.stack([torch.zeros(1, 3, 8, 8), torch.ones(1, 3, 8, 8)], 1), fps=2)
    film = Image.open(io.BytesIO(read(log)["x"].image.encoded_image_string))
    assert film.n_frames == 2 and film.info["duration"] == 500


def test_a_figure_is_drawn_and_closed(log):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = plt.figure(figsize=(2, 1), dpi=50)
    log.add_figure("x", figure)
    assert picture_of(read(log)["x"]).shape == (50, 100, 3) and not plt.fignum_exists(figure.number)


def test_a_sound_out_of_range_is_clipped_with_a_warning(log):
    with pytest.warns(UserWarning, match="audio amplitude out of range"):
        log.add_audio("x", torch.tensor([[0.5, 2.0]]), sample_rate=8000)
    found = read(log)["x"].audio
    assert (found.sample_rate, found.length_frames) == (8000, 2)


def test_precision_and_recall_of_a_perfect_classifier(log):
    log.add_pr_curve("x", torch.tensor([0, 0, 1, 1]), torch.tensor([0.1, 0.2, 0.8, 0.9]), num_thresholds=11)
    tp, fp, tn, fn, precision, recall = make_ndarray(read(log)["x"].tensor)
    assert (tp[5], fp[5], tn[5], fn[5], precision[5], recall[5]) == (2, 0, 2, 0, 1, 1)


def test_hyperparameters_are_a_run_of_their_own(log):
    log.add_hparams({"lr": 0.1, "name": "mlp", "on": True}, {"best": 0.5}, run_name="one")
    log.flush()
    found = values(log.get_logdir(), "one")
    assert found["best"].simple_value == 0.5
    assert {"_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info"} < set(found)


def test_what_is_no_hyperparameter_is_refused(log):
    with pytest.raises(ValueError, match="value should be one of int, float, str, bool, or torch"):
        log.add_hparams({"layers": [1, 2]}, {})


def test_embeddings_are_files_for_the_projector(log):
    log.add_embedding(torch.eye(2), ["a", "b"], torch.ones(2, 3, 4, 4), global_step=7, tag="here/now")
    place = log.log_dir / "00007" / "here%2fnow"
    assert (place / "tensors.tsv").read_text() == "1.0\t0.0\n0.0\t1.0\n"
    assert (place / "metadata.tsv").read_text() == "a\nb\n"
    with Image.open(place / "sprite.png") as sprite:
        assert sprite.size == (8, 8)
    assert "00007/here%2fnow/tensors.tsv" in (log.log_dir / "projector_config.pbtxt").read_text()


def test_a_mesh_has_its_parts(log):
    points = torch.rand(1, 4, 3)
    log.add_mesh("x", points, colors=torch.zeros(1, 4, 3, dtype=torch.int32), faces=torch.tensor([[[0, 1, 2]]]))
    assert {"x_VERTEX", "x_FACE", "x_COLOR"} <= set(read(log))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        hidden = self.body(x)
        return self.head(hidden) + hidden.mean()


def test_a_graph_is_that_of_a_recorded_run(log):
    model = Net().train()
    log.add_graph(model, torch.ones(5, 3))
    log.flush()
    drawn = GraphDef.FromString(next(event.graph_def for event in events(log.get_logdir())["."] if event.graph_def))
    nodes = {each.name: each for each in drawn.node}
    assert nodes["Net/body/0/linear"].input == ["input/input.0", "Net/body/0/weight", "Net/body/0/bias"]
    assert nodes["Net/body/1/relu"].input == ["Net/body/0/linear"]
    assert [each.size for each in nodes["Net/head/linear"].attr["_output_shapes"].list.shape[0].dim] == [5, 2]
    assert nodes["output/output.0"].input == ["Net/add"]
    assert model.training


def test_a_closed_writer_opens_again(log):
    log.add_scalar("x", 1, 0)
    log.close()
    log.add_scalar("x", 2, 1)
    log.flush()
    assert len(list(log.log_dir.glob("*tfevents*"))) >= 1 and read(log)["x"].simple_value == 2


def test_without_a_folder_there_is_one_in_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_mine") as log:
        assert log.log_dir.startswith("runs/") and log.log_dir.endswith("_mine")
        assert isinstance(log.file_writer, FileWriter)


def test_without_the_package_the_import_says_what_to_install():
    code = (
        "import sys; sys.modules['tensorboard'] = None\n"
        "try: import rushlight.utils.tensorboard\n"
        "except ImportError as error: print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'rushlight[tensorboard]'" in printed
