"""DataPipes in their simple form."""

import pickle
import sys

import pytest

import rushlight as torch
from rushlight.utils.data import (
    DataChunk,
    DataLoader,
    DFIterDataPipe,
    IterDataPipe,
    MapDataPipe,
    argument_validation,
    dataloader,
    functional_datapipe,
    guaranteed_datapipes_determinism,
    non_deterministic,
    runtime_validation,
)
from rushlight.utils.data.datapipes import datapipe
from rushlight.utils.data.datapipes.iter import Concater, IterableWrapper, Mapper, Sampler, ShardingFilter, Zipper
from rushlight.utils.data.datapipes.map import SequenceWrapper
from rushlight.utils.data.graph import traverse_dps
from rushlight.utils.data.graph_settings import apply_sharding, get_all_graph_pipes


def test_pipes_have_methods_that_make_further_pipes():
    pipe = IterableWrapper(range(6)).map(lambda each: each + 1).filter(lambda each: each % 2 == 0)
    assert list(pipe) == [2, 4, 6]
    batches = IterableWrapper(range(5)).batch(2)
    assert [type(each) for each in batches] == [DataChunk] * 3
    assert (list(batches), len(batches)) == ([[0, 1], [2, 3], [4]], 3)
    assert list(IterableWrapper(range(5)).batch(2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(batches.unbatch()) == list(range(5))
    assert list(IterableWrapper([[[0], 1]]).unbatch(-1)) == [0, 1]
    assert list(IterableWrapper(range(2)).zip(IterableWrapper("ab"))) == [(0, "a"), (1, "b")]
    assert list(IterableWrapper(range(2)).concat(IterableWrapper("a"))) == [0, 1, "a"]
    assert [each.tolist() for each in batches.collate()] == [[0, 1], [2, 3], [4]]
    assert list(Sampler(IterableWrapper("abc"))) == [0, 1, 2]
    assert repr(pipe) == "Filter"


def test_columns_are_mapped():
    pair = IterableWrapper([(1, 2)])
    assert list(Mapper(pair, lambda each: each + 1, input_col=0)) == [(2, 2)]
    assert list(Mapper(pair, lambda left, right: left + right, input_col=[0, 1])) == [(3,)]
    assert list(Mapper(pair, lambda left, right: left + right, input_col=[0, 1], output_col=-1)) == [(1, 2, 3)]
    assert list(pair.filter(lambda each: each > 1, input_col=1)) == [(1, 2)]


def test_pipes_with_keys_have_methods_too():
    pipe = SequenceWrapper([1, 2, 3]).map(lambda each: each * 10)
    assert (pipe[1], len(pipe)) == (20, 3)
    assert list(pipe.batch(2)) == [[10, 20], [30]]
    assert pipe.concat(SequenceWrapper("a"))[3] == "a"
    assert pipe.zip(SequenceWrapper("abc"))[2] == (30, "c")
    assert list(SequenceWrapper(range(6)).shuffle().set_seed(0)) == [4, 2, 1, 0, 5, 3]


def test_shuffling_is_torchs():
    torch.manual_seed(3)
    pipe = IterableWrapper(range(8)).shuffle(buffer_size=4)
    assert list(pipe) == [1, 4, 3, 2, 6, 0, 5, 7]
    assert list(pipe.set_seed(1)) == [1, 0, 2, 5, 3, 4, 6, 7]


def test_an_iterator_ends_those_before_it():
    pipe = IterableWrapper(range(3))
    first = iter(pipe)
    next(first)
    next(iter(pipe))
    with pytest.raises(RuntimeError, match="This iterator has been invalidated because another iterator"):
        next(first)


def test_reset_is_called_before_each_run():
    class Counting(IterDataPipe):
        runs = 0

        def reset(self):
            self.runs += 1

        def __iter__(self):
            yield self.runs

    pipe = Counting()
    assert [list(pipe), list(pipe)] == [[1], [2]]


@pytest.mark.skipif(sys.platform != "linux", reason="needs workers")
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_loaders_share_pipes_among_workers():
    torch.manual_seed(3)
    pipe = IterableWrapper(range(10)).shuffle().sharding_filter()
    list(IterableWrapper(range(8)).shuffle())
    workers = [each.tolist() for each in DataLoader(pipe, 2, num_workers=2)]
    assert workers == [[0, 9], [8, 7], [2, 4], [5, 6], [3], [1]]
    alone = [each.tolist() for each in DataLoader(pipe, 2, shuffle=True)]
    assert alone == [[9, 3], [0, 5], [1, 4], [2, 8], [7, 6]]
    assert torch.rand(1).item() == pytest.approx(0.14984089136123657)
    with pytest.warns(UserWarning, match="`shuffle=True` was set, but the datapipe does not contain a `Shuffler`"):
        loader = DataLoader(IterableWrapper(range(4)), shuffle=True)
    assert sorted(each.item() for each in loader) == list(range(4))


def test_graphs_are_followed():
    pipe = ShardingFilter(Zipper(IterableWrapper(range(4)), Concater(IterableWrapper(range(4)))))
    assert [type(each).__name__ for each in get_all_graph_pipes(traverse_dps(pipe))] == [
        "ShardingFilter",
        "Zipper",
        "IterableWrapper",
        "Concater",
        "IterableWrapper",
    ]
    apply_sharding(pipe, 2, 1)
    assert (list(pipe), len(pipe)) == ([(1, 1), (3, 3)], 2)
    with pytest.raises(RuntimeError, match="Sharding twice on a single pipeline"):
        apply_sharding(ShardingFilter(pipe), 2, 1)
    with pytest.raises(RuntimeError, match="Expected `IterDataPipe` or `MapDataPipe`"):
        traverse_dps([1])


def test_names_are_taken_once():
    @functional_datapipe("twice_for_a_test")
    class Twice(IterDataPipe):
        def __init__(self, source):
            self.source = source

        def __iter__(self):
            for each in self.source:
                yield each
                yield each

    assert list(IterableWrapper([1, 2]).twice_for_a_test()) == [1, 1, 2, 2]
    with pytest.raises(Exception, match="Unable to add DataPipe function name twice_for_a_test"):
        functional_datapipe("twice_for_a_test")(Twice)
    with pytest.raises(TypeError, match="`functional_datapipe` can only decorate"):
        functional_datapipe("other")(int)
    with pytest.raises(AttributeError, match="'IterableWrapper' object has no attribute 'nothing'"):
        IterableWrapper([]).nothing()


def test_promises_about_pipes_are_kept():
    made = non_deterministic(IterableWrapper)
    assert list(made([1])) == [1]
    with guaranteed_datapipes_determinism(), pytest.raises(TypeError, match="is non-deterministic, but you set"):
        made([1])

    @argument_validation
    def length(pipe: IterDataPipe):
        return len(pipe)

    assert length(IterableWrapper([1])) == 1
    with pytest.raises(TypeError, match="Expected argument 'pipe' as a IterDataPipe"):
        length([1])
    with pytest.raises(TypeError, match="Can not decorate function length"):
        runtime_validation(length)


def test_what_is_left_out_says_so():
    with pytest.raises(RuntimeError, match="DFIterDataPipe is not in Rushlight"):
        DFIterDataPipe()
    with pytest.raises(AttributeError, match="DataPipes are there in their simple form"):
        torch.utils.data.datapipes.iter.Forker  # noqa: B018
    assert issubclass(MapDataPipe, torch.utils.data.Dataset)


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (AssertionError, "Batch size is required to be larger than 0", lambda: IterableWrapper([]).batch(0)),
        (AssertionError, "buffer_size should be larger than 0", lambda: IterableWrapper([]).shuffle(buffer_size=0)),
        (ValueError, "unbatch_level must be -1 or >= 0", lambda: list(IterableWrapper([1]).unbatch(-2))),
        (IndexError, "unbatch_level 1 exceeds the depth of the DataPipe", lambda: list(IterableWrapper([1]).unbatch())),
        (ValueError, "Expected at least one DataPipe", lambda: Concater()),
        (TypeError, "Expected all inputs to be `IterDataPipe`", lambda: Concater([1])),
        (TypeError, "All inputs are required to be `IterDataPipe`", lambda: Zipper([1])),
        (ValueError, r"instance_id\(2\) should be smaller", lambda: ShardingFilter(None).apply_sharding(2, 2)),
        (TypeError, "instance doesn't have valid length", lambda: len(IterableWrapper(iter([1])))),
        (IndexError, "Index 2 is out of bound", lambda: SequenceWrapper("abc").batch(2)[2]),
        (ValueError, "`output_col` must be None when", lambda: Mapper(None, len, output_col=1)),
    ],
)
def test_wrong_pipes_are_refused(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


def test_pipes_are_wrapped_for_other_loaders():
    wrap = datapipe._IterDataPipeSerializationWrapper(IterableWrapper([1, 2, 3]).map(abs))
    assert list(pickle.loads(pickle.dumps(wrap))) == [1, 2, 3]
    assert len(wrap) == 3
    by_index = datapipe._MapDataPipeSerializationWrapper(SequenceWrapper([4, 5]))
    assert (by_index[1], len(by_index)) == (5, 2)
    with pytest.raises(TypeError, match="doesn't have valid length"):
        len(datapipe._IterDataPipeSerializationWrapper(iter([])))


def test_a_share_is_that_of_a_worker():
    with pytest.raises(AssertionError, match="Worker info is None"):
        dataloader._sharding_worker_init_fn(None, 2, 0, 0)
