"""Trees: flattened, built again and mapped over."""

import copy
import enum
import pickle
import time
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import FrozenInstanceError, dataclass

import pytest

import rushlight as torch
from rushlight.utils import _pytree as pytree

Point = namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1


class Box:
    def __init__(self, *parts):
        self.parts = list(parts)

    def __eq__(self, other):
        return type(other) is Box and self.parts == other.parts

    __hash__ = None


@dataclass
class Pair:
    first: object
    second: object = None


@dataclass(frozen=True)
class Setting:
    name: str


@pytest.fixture
def box():
    pytree.register_pytree_node(
        Box, lambda box: (box.parts, "lid"), lambda parts, _: Box(*parts), serialized_type_name="tests.Box"
    )
    yield
    pytree._deregister_pytree_node(Box)


@pytest.fixture
def dataclasses():
    pytree.register_dataclass(Pair, serialized_type_name="tests.Pair")
    pytree.register_constant(Setting)
    yield
    pytree._deregister_pytree_node(Pair)
    pytree._deregister_pytree_node(Setting)


@pytest.mark.parametrize(
    "tree",
    [
        1,
        None,
        [],
        {"b": [1, (2, 3)], "a": None},
        OrderedDict(x=1, y=[2]),
        Point(1, (2, 3)),
        deque([1, 2], maxlen=3),
        defaultdict(list, a=1),
    ],
)
def test_a_tree_is_built_again(tree):
    leaves, spec = pytree.tree_flatten(tree)
    again = pytree.tree_unflatten(leaves, spec)
    assert again == tree
    assert type(again) is type(tree)
    assert spec.num_leaves == len(leaves)
    assert spec == pytree.tree_structure(tree)
    assert hash(spec) == hash(pytree.tree_structure(tree))
    assert pickle.loads(pickle.dumps(spec)) == spec == copy.deepcopy(spec)


def test_functions_of_leaves():
    assert pytree.tree_map(lambda x: x * 2, {"a": [1, (2,)]}) == {"a": [2, (4,)]}
    assert pytree.tree_map(max, [1, 5], [3, 4]) == [3, 5]
    assert pytree.tree_map(lambda x, y: [x, *y], [5, 6], [[7, 9], [1, 2]]) == [[5, 7, 9], [6, 1, 2]]
    assert pytree.tree_map_only(int, str, [1, 2.0]) == ["1", 2.0]
    assert pytree.tree_map_only(lambda x: x is None, lambda x: 0, [None, 2.0]) == [0, 2.0]
    assert pytree.tree_leaves([1, [2]], is_leaf=lambda x: x == [2]) == [1, [2]]
    assert pytree.arg_tree_leaves([1], key=(2, {"a": 3})) == [1, 2, 3]
    assert next(pytree.tree_iter([1, [2]])) == 1
    assert pytree.tree_all(bool, [1, [2]])
    assert not pytree.tree_any(bool, [0, []])
    assert pytree.tree_all_only(int, bool, [1, [0.0]])
    assert not pytree.tree_any_only((str, float), bool, [1, [0.0]])
    seen: list = []
    tree = {"a": 1, "b": [2]}
    assert pytree.tree_map_(lambda x, y: seen.append((x, y)), tree, {"b": [4], "a": 3}) is tree
    assert seen == [(1, 3), (2, 4)]
    assert pytree.tree_map_only_(int, seen.append, [7.0, 8]) == [7.0, 8]
    assert seen[-1] == 8


def test_a_description_prints_as_in_torch():
    tree = {"a": [1, (2, Point(3, 4))], "b": torch.Size([5, 6]), "c": ()}
    assert repr(pytree.tree_structure(tree)) == (
        "TreeSpec(dict, ['a', 'b', 'c'], [TreeSpec(list, None, [*,\n"
        "    TreeSpec(tuple, None, [*,\n"
        f"      TreeSpec(namedtuple, {Point}, [*,\n"
        "        *])])]),\n"
        "  TreeSpec(Size, None, [*,\n"
        "    *]),\n"
        "  TreeSpec(tuple, None, [])])"
    )
    assert pytree.treespec_pprint(pytree.tree_structure(tree)) == (
        "{'a': [*, (*, Point(x=*, y=*))], 'b': (*, *), 'c': ()}"
    )
    assert repr(pytree.treespec_leaf()) == "*"


def test_a_description_answers_questions():
    spec = pytree.tree_structure([1, {"a": 2}])
    assert (spec.type, spec.context, spec.num_nodes, spec.num_leaves, spec.num_children) == (list, None, 4, 2, 2)
    assert spec.child(0).is_leaf()
    assert not spec.is_leaf()
    assert spec.children() == [pytree.treespec_leaf(), pytree.treespec_dict(a=pytree.treespec_leaf())]
    with pytest.warns(FutureWarning, match="`treespec.children_specs` is deprecated"):
        assert spec.children_specs == spec.children()
    assert spec != pytree.tree_structure([1, {"b": 2}])
    assert spec != pytree.tree_structure((1, {"a": 2}))
    assert spec != 3
    assert pytree.treespec_tuple([spec]) == pytree.tree_structure(([1, {"a": 2}],))
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'type'"):
        spec.type = tuple
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'type'"):
        del spec.type
    with pytest.warns(FutureWarning, match="LeafSpec"):
        assert pytree.LeafSpec() == pytree.treespec_leaf()


def test_leaves_have_paths():
    tree = {"layers": [Point(1, 2)], 3: deque([4])}
    found, spec = pytree.tree_flatten_with_path(tree)
    assert [pytree.keystr(path) for path, _ in found] == ["['layers'][0].x", "['layers'][0].y", "[3][0]"]
    assert [pytree.key_get(tree, path) for path, _ in found] == [1, 2, 4] == [leaf for _, leaf in found]
    assert found[0][0] == (pytree.MappingKey("layers"), pytree.SequenceKey(0), pytree.GetAttrKey("x"))
    assert repr(found[2][0]) == "(MappingKey(key=3), SequenceKey(idx=0))"
    assert spec == pytree.tree_structure(tree)
    assert pytree.tree_leaves_with_path(5) == [((), 5)]
    joined = pytree.tree_map_with_path(lambda path, x, y: pytree.keystr(path) + f"={x}+{y}", [1, (2,)], [3, (4,)])
    assert joined == ["[0]=1+3", ("[1][0]=2+4",)]


def test_named_results_are_nodes():
    result = torch.max(torch.tensor([[1.0, 3.0]]), 1)
    leaves, spec = pytree.tree_flatten(result)
    assert repr(spec) == "TreeSpec(max, None, [*,\n  *])"
    assert type(pytree.tree_unflatten(leaves, spec)) is type(result)
    assert pytree.is_structseq(result)
    assert not pytree.is_namedtuple(result)
    assert pytree.keystr(pytree.tree_leaves_with_path(result)[1][0]) == "[1]"
    # CPython's own are leaves
    assert pytree.is_structseq_instance(time.gmtime(0))
    assert pytree.is_structseq_class(time.struct_time)
    assert pytree.tree_is_leaf(time.gmtime(0))
    assert pytree.is_namedtuple(Point)
    assert pytree.is_namedtuple_instance(Point(1, 2))


def test_types_are_registered(box):
    assert pytree.tree_map(lambda x: x + 1, [Box(1, Box(2))]) == [Box(2, Box(3))]
    assert pytree.tree_structure(Box(1)).context == "lid"
    with pytest.raises(ValueError, match="is already registered as pytree node"):
        pytree.register_pytree_node(Box, None, None)
    with pytest.raises(ValueError, match="Did not find a flatten_with_keys_fn for type: <class"):
        pytree.tree_flatten_with_path(Box(1))
    with pytest.raises(ValueError, match="Both to_dumpable_context and from_dumpable_context for"):
        pytree.register_pytree_node(int, None, None, to_dumpable_context=str)
    pytree._deregister_pytree_node(Box)
    assert pytree.tree_is_leaf(Box(1))
    with pytest.warns(FutureWarning) as told:
        pytree._register_pytree_node(Box, lambda box: (box.parts, {1}), lambda parts, _: Box(*parts), str)
    assert len(told) == 2
    with pytest.warns(UserWarning, match="Overwriting the previous registration"):
        pytree._private_register_pytree_node(Box, lambda box: (box.parts, None), lambda parts, _: Box(*parts))
    del pytree.SUPPORTED_NODES[int]


def test_dataclasses_and_constants_are_registered(dataclasses):
    found, spec = pytree.tree_flatten_with_path(Pair(1, [2, Setting("s")]))
    assert [(pytree.keystr(path), leaf) for path, leaf in found] == [(".first", 1), (".second[0]", 2)]
    assert pytree.tree_unflatten([5, 6], spec) == Pair(5, [6, Setting("s")])
    leaves, spec = pytree.tree_flatten(Pair(1))
    assert leaves == [1]
    assert spec.unflatten([3]) == Pair(3, None)
    assert pytree.is_constant_class(Setting)
    constant = pytree.tree_structure(Setting("s"))
    assert pytree._retrieve_constant(constant) == Setting("s")
    assert constant != pytree.tree_structure(Setting("t"))
    assert hash(constant) == hash(pytree.tree_structure(Setting("s")))
    with pytest.raises(AssertionError, match="does not correspond to a registered constant"):
        pytree._retrieve_constant(spec)


def test_dataclasses_and_constants_that_are_refused():
    with pytest.raises(ValueError, match="field_names must be specified with a list of all fields used to initialize"):
        pytree.register_dataclass(Box)
    with pytest.raises(ValueError, match=r"Missing fields in `field_names`: \{'second'\}"):
        pytree.register_dataclass(Pair, field_names=["first"])
    with pytest.raises(ValueError, match=r"Unexpected fields in `field_names`: \{'third'\}"):
        pytree.register_dataclass(Pair, field_names=["first", "third"], drop_field_names=["second"])
    with pytest.raises(TypeError, match="non-default `__eq__`"):
        pytree.register_constant(type("Plain", (), {}))
    with pytest.raises(TypeError, match="non-default `__hash__`"):
        pytree.register_constant(Box)


def test_a_field_may_be_dropped():
    pytree.register_dataclass(Pair, field_names=["first"], drop_field_names=["second"])
    assert pytree.tree_map(lambda x: x + 1, Pair(1, 2)) == Pair(2, None)
    pytree._deregister_pytree_node(Pair)


def test_descriptions_are_written_and_read(box, dataclasses):
    assert pytree.treespec_dumps(pytree.tree_structure([1, {"a": 2}])) == (
        '[1, {"type": "builtins.list", "context": "null", "children_spec": '
        '[{"type": null, "context": null, "children_spec": []}, '
        '{"type": "builtins.dict", "context": "[\\"a\\"]", "children_spec": '
        '[{"type": null, "context": null, "children_spec": []}]}]}]'
    )
    for tree in (
        Box(1, Pair(2)),
        OrderedDict({Colour.RED: 3}),
        defaultdict(list, a=[1]),
        deque([1], maxlen=4),
        torch.Size([1]),
    ):
        spec = pytree.tree_structure(tree)
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    with pytest.raises(NotImplementedError, match="Please register using `_register_namedtuple`"):
        pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))
    pytree._register_namedtuple(Point, serialized_type_name="tests.Point")
    assert '"context": "tests.Point"' in pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))
    pytree._deregister_pytree_node(Point)
    with pytest.raises(NotImplementedError, match="No registered serialization name for <class"):
        pytree.treespec_dumps(pytree.tree_structure(Setting("s")))
    with pytest.raises(NotImplementedError, match="Can't deserialize TreeSpec of namedtuple class gone"):
        pytree._namedtuple_deserialize("gone")


def test_descriptions_that_cannot_be_written_or_read():
    leaf = '{"type": null, "context": null, "children_spec": []}'
    with pytest.raises(TypeError, match="Expected `treespec` to be an instance of PyTreeSpec but got item of type"):
        pytree.treespec_dumps([])
    with pytest.raises(ValueError, match=r"Unknown protocol 7\. Available protocols: \[1\]"):
        pytree.treespec_dumps(pytree.treespec_leaf(), protocol=7)
    with pytest.raises(ValueError, match="Unknown protocol 7"):
        pytree.treespec_loads(f"[7, {leaf}]")
    with pytest.raises(NotImplementedError, match="Deserializing nobody in pytree is not registered"):
        pytree.treespec_loads('[1, {"type": "nobody", "context": "null", "children_spec": []}]')
    with pytest.raises(NotImplementedError, match="Serializing <class 'int'> in pytree is not registered"):
        pytree.treespec_dumps(pytree.TreeSpec(int, None, []))
    with pytest.raises(TypeError, match="Unable to serialize context"):
        pytree.treespec_dumps(pytree.tree_structure({torch: 1}))
    with pytest.raises(TypeError, match="Unable to deserialize context"):
        pytree.treespec_loads('[1, {"type": "builtins.list", "context": 3, "children_spec": []}]')
    for wrong in ([], {"a": 1}, {"default_factory_module": 1, "default_factory_name": "int", "dict_context": []}):
        with pytest.raises(AssertionError, match=r"must be"):
            pytree._defaultdict_deserialize(wrong)
    with pytest.warns(FutureWarning, match="`pytree_to_str` is deprecated"):
        text = pytree.pytree_to_str(pytree.treespec_leaf())
    with pytest.warns(FutureWarning, match="`str_to_pytree` is deprecated"):
        assert pytree.str_to_pytree(text) == pytree.treespec_leaf()


def test_a_tree_is_broadcast_to_a_description():
    spec = pytree.tree_structure([1, (2, 3), {"a": 4}])
    assert pytree._broadcast_to_and_flatten(0, spec) == [0, 0, 0, 0]
    assert pytree._broadcast_to_and_flatten([0, 1, 2], spec) == [0, 1, 1, 2]
    assert pytree._broadcast_to_and_flatten([0, (1, None), {"a": 2}], spec) == [0, 1, None, 2]
    assert pytree._broadcast_to_and_flatten([0, 1], spec) is None
    assert pytree._broadcast_to_and_flatten((0, 1, 2), spec) is None


@pytest.mark.parametrize(
    ("tree", "other", "words"),
    [
        ([1], (1,), "Node type mismatch; expected <class 'list'>, but got <class 'tuple'>."),
        ([1], [1, 2], "Node arity mismatch; expected 1, but got 2."),
        ({"a": 1}, {"b": 1}, "Node keys mismatch; missing key(s): {'a'}; extra key(s): {'b'}."),
        (Point(1, 2), namedtuple("Other", "x y")(1, 2), "Node context mismatch for node type"),
        (Box(1), [1], "Type mismatch; expected"),
        (Box(1), Box(1, 2), "Node arity mismatch; expected 1, but got 2."),
    ],
)
def test_trees_of_different_forms(box, tree, other, words):
    with pytest.raises(ValueError) as told:
        pytree.tree_map(max, tree, other)
    assert str(told.value).startswith(words)


def test_some_differences_of_form_do_not_matter():
    assert pytree.tree_map(max, OrderedDict(a=1, b=2), {"b": 5, "a": 0}) == OrderedDict(a=1, b=5)
    assert pytree.tree_map(max, deque([1], maxlen=2), deque([2], maxlen=9)) == deque([2])


def test_a_context_has_to_be_the_same():
    pytree.register_pytree_node(Box, lambda box: ([], box.parts), lambda _, parts: Box(*parts))
    with pytest.raises(ValueError, match="Node context mismatch for custom node type"):
        pytree.tree_map(max, Box(1), Box(2))
    pytree._deregister_pytree_node(Box)


def test_trees_that_do_not_fit():
    with pytest.raises(ValueError, match=r"the spec refers to a pytree that holds 2 items \(TreeSpec\(list"):
        pytree.tree_unflatten([1], pytree.tree_structure([1, 2]))
    assert pytree.tree_unflatten(pytree.tree_structure([1]), [7]) == [7]
    with pytest.raises(TypeError, match="Expected `treespec` to be an instance of PyTreeSpec but got item of type"):
        pytree.tree_unflatten([1], [2])
    with pytest.raises(TypeError, match="Argument must be a type, a tuple of types, or a callable"):
        pytree.map_only(3)
    with pytest.raises(AssertionError, match="leaf node should not have a context"):
        pytree.TreeSpec(None, 1, [])
    with pytest.raises(AssertionError, match="leaf node should not have children"):
        pytree.TreeSpec(None, None, [pytree.treespec_leaf()])
    for made, given in ((pytree.treespec_tuple, [1]), (pytree.treespec_dict, {"a": 1})):
        with pytest.raises(ValueError, match="of TreeSpec values, got"):
            made(given)


def test_older_names_warn():
    with pytest.warns(FutureWarning, match="_is_leaf is private"):
        assert pytree._is_leaf(1)
    with pytest.warns(FutureWarning, match="_is_namedtuple_instance is private"):
        assert pytree._is_namedtuple_instance(Point(1, 2))


def test_dlpack_goes_there_and_back():
    x = torch.arange(3.0)
    y = torch.utils.dlpack.from_dlpack(x)
    y[0] = 5
    assert x[0] == 5
    assert "dltensor" in repr(torch.utils.dlpack.to_dlpack(x))
