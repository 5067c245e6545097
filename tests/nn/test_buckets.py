"""Buckets of gradients: how parameters are put together, and where their gradients lie."""

import numpy as np

import rushlight as torch
from rushlight.nn.parallel.buckets import LARGE, Bucket, GradBucket, assign


def parameters(*counts, kind=torch.float32):
    return [torch.nn.Parameter(torch.zeros(count, dtype=kind)) for count in counts]


def test_small_ones_go_together_until_a_bucket_is_full():
    small = parameters(10, 10, 10, 10, 10)
    assert [[each.numel() for each in some] for some in assign(small, 40, 80)] == [[10], [10, 10], [10, 10]]


def test_a_large_one_stands_alone_and_buckets_are_in_the_order_in_which_they_are_full():
    first, large, second = parameters(5, LARGE // 4, 5)
    made = assign([first, large, second], LARGE, LARGE)
    assert made[0][0] is large and made[1][0] is first and made[1][1] is second


def test_each_dtype_has_buckets_of_its_own():
    one, two, three = *parameters(4), *parameters(4, kind=torch.float64), *parameters(4)
    assert [[each.dtype for each in some] for some in assign([one, two, three], 1000, 1000)] == [
        [torch.float64],
        [torch.float32, torch.float32],
    ]


def test_gradients_are_laid_end_to_end_times_a_factor():
    first, second = parameters(2, 3)
    first.grad, second.grad = torch.ones(2), torch.arange(3.0)
    bucket = Bucket(0, [first, second])
    bucket.put(second, 0.5)
    assert bucket.missing == 1
    bucket.put(first, 0.5)
    assert bucket.memory.tolist() == [0.5, 0.5, 0, 0.5, 1] and bucket.missing == 0
    bucket.put_zeros(second)
    assert bucket.view(second).tolist() == [0, 0, 0]


def test_a_large_gradient_is_sent_from_where_it_is():
    (large,) = parameters(LARGE // 4)
    large.grad = torch.ones(LARGE // 4)
    bucket = Bucket(0, [large])
    bucket.put(large, 0.5)
    assert np.shares_memory(bucket.memory, large.grad.numpy()) and large.grad[0] == 0.5


def test_a_hook_sees_the_gradients_as_views_of_the_buffer():
    first, second = parameters(2, 4)
    bucket = Bucket(1, [first, second])
    seen = GradBucket(bucket, 2)
    seen.buffer()[:] = torch.arange(6.0)
    assert [each.tolist() for each in seen.gradients()] == [[0, 1], [2, 3, 4, 5]] and seen.is_last()
    assert seen.index() == 1 and seen.parameters()[0] is first
    seen.set_buffer(torch.zeros(6))
    assert seen.gradients()[1].tolist() == [0, 0, 0, 0] and bucket.memory[5] == 5
