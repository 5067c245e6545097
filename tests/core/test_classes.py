"""Classes of tensors, sizes, parts of complex numbers, and what stands on the other side of an operator."""

import operator

import pytest

import rushlight as torch


class One(torch.Tensor):
    pass


class Other(torch.Tensor):
    pass


class Slotted(torch.Tensor):
    __slots__ = ("note",)


def test_a_tensor_changes_its_class_to_one_of_the_same_form():
    x = torch.ones(2)
    for kind in (One, Other, torch.Tensor):
        x.__class__ = kind
        assert type(x) is kind and x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("start", "end"), [(Slotted, One), (One, Slotted), (torch.Tensor, int)])
def test_a_class_of_another_form_is_refused(start, end):
    x = torch.ones(2).as_subclass(start)
    with pytest.raises(TypeError):
        x.__class__ = end
    assert type(x) is start


def test_sizes_join_tuples_only():
    size = torch.Size([1, 2])
    for joined in (size + (3,), size + torch.Size([3]), (3,) + size, size * 2):  # noqa: RUF005
        assert type(joined) is torch.Size
    for other in ([3], 3, None, range(2), "a"):
        with pytest.raises(TypeError):
            size + other
        with pytest.raises(TypeError):
            other + size


def test_sizes_are_taken_apart():
    match torch.Size([4, 5, 6]):
        case (4, *rest):
            assert rest == [5, 6]
    first, *rest = torch.Size([4, 5, 6])
    assert first == 4 and rest == [5, 6]
    with pytest.raises(TypeError, match=r"torch.Size\(\) takes an iterable of 'int' \(item 0 is 'NoneType'\)"):
        torch.Size([None])


def test_parts_of_complex_numbers_are_assigned():
    x = torch.tensor([1 + 2j, 3 + 4j])
    x.real = 3
    x.imag = torch.tensor([5.0, 6.0])
    assert x.tolist() == [3 + 5j, 3 + 6j]
    x.conj().imag.fill_(1.0)
    assert x.tolist() == [3 - 1j, 3 - 1j]
    number = torch.tensor([1.0, 2.0])
    number.real = 3
    assert number.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        number.imag = 3
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        torch.ones(2, dtype=torch.complex64, requires_grad=True).real = 3


def test_an_assigned_part_has_no_gradient_any_more():
    z = torch.tensor([1 + 1j], requires_grad=True)
    w = z * 1
    w.real = torch.tensor([5.0])
    w.imag.sum().backward()
    assert z.grad.tolist() == [1j]


class Answers:
    """Has the other half of every operator."""


for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
    setattr(Answers, f"__r{_name}__", lambda self, other, name=_name: name)
for _name in "eq ne lt gt le ge".split():
    setattr(Answers, f"__{_name}__", lambda self, other, name=_name: name)


@pytest.mark.parametrize("name", "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split())
def test_an_unknown_operand_answers_for_itself(name):
    x = torch.ones(2, dtype=torch.int64)
    short = f"{name}_" if name in ("and", "or") else name
    assert getattr(operator, short)(x, Answers()) == name
    assert getattr(operator, f"i{name}")(x.clone(), Answers()) == name
    with pytest.raises(TypeError):
        getattr(operator, short)(x, object())
    with pytest.raises(TypeError):
        getattr(operator, short)(object(), x)


@pytest.mark.parametrize(("name", "turned"), [("eq", "eq"), ("ne", "ne"), ("lt", "gt"), ("ge", "le")])
def test_an_unknown_operand_compares_itself(name, turned):
    assert getattr(operator, name)(torch.ones(2), Answers()) == turned


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("add", (True, True), True),
        ("add", (1, 2), 3),
        ("mul", (1.5, 2), 3.0),
        ("mul", (True, False), False),
        ("sub", (1, 2), -1),
        ("div", (1, 2), 0.5),
        ("true_divide", (True, True), 1.0),
    ],
)
def test_two_numbers_make_a_tensor(name, given, expected):
    found = getattr(torch, name)(*given)
    assert isinstance(found, torch.Tensor) and found.item() == expected and type(found.item()) is type(expected)
    assert found.dtype in (torch.bool, torch.int64, torch.float32)


def test_two_bools_are_not_subtracted():
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors is not supported"):
        torch.sub(True, True)


def test_a_kind_of_tensors_knows_where_and_how_they_are_kept():
    for kind in (torch.FloatTensor, torch.BoolTensor):
        assert (kind.is_cuda, kind.is_sparse, kind.layout) == (False, False, torch.strided)
