"""The reader of leak reports: it tells our losses from those of Python and NumPy."""

from tools import leaks

THEIRS = """Direct leak of 280 byte(s) in 5 object(s) allocated from:
    #0 0x7fb3 in malloc asan_malloc_linux.cpp:69
    #1 0x7fb3 in PyTuple_Pack Objects/tupleobject.c:166
    #2 0x7fb3 in initumath (/lib/numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so+0x2e875e)"""
OURS = """Indirect leak of 24 byte(s) in 1 object(s) allocated from:
    #0 0x7fe8 in operator new(unsigned long) asan_new_delete.cpp:95
    #1 0x7fe8 in rushlight::prepare_attributes() rushlight/native/attributes.cpp:298"""

CALLED = """Indirect leak of 64 byte(s) in 1 object(s) allocated from:
    #0 0x7fe7 in malloc asan_malloc_linux.cpp:69
    #1 0x7fe7 in dict_new Objects/dictobject.c:3760
    #2 0x7fe7 in _PyEval_EvalFrameDefault Python/ceval.c:4984
    #3 0x7fe7 in rushlight::tensor_compare(_object*, _object*, int) rushlight/native/operators.cpp:141"""


def test_only_what_passed_through_native_code_is_ours():
    assert leaks.lost_by_us(f"===\n\n{THEIRS}\n\n{OURS}\n\n{CALLED}\n\n") == (3, [OURS])


def test_a_run_that_reports_nothing_has_not_looked(tmp_path):
    assert leaks.main(str(tmp_path)) == 1
    (tmp_path / "leaks.17").write_text(f"===\n\n{THEIRS}\n\n")
    assert leaks.main(str(tmp_path)) == 0
    (tmp_path / "leaks.18").write_text(f"\n\n{OURS}\n\n")
    assert leaks.main(str(tmp_path)) == 1
