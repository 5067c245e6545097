"""A library's own process in a scan: it makes a call ready, repeats it on command, and tells its time and memory."""

import ctypes
import gc
import os
import pickle
import signal
import sys
import time
import warnings

from benchmarks.scanning.calls import call_of, tensors_of
from benchmarks.scanning.growth import limit_memory
from conformance.libraries import Library, dtype_name

# on a machine that others use, the time of this process alone tells more than the clock on the wall
CLOCK = time.process_time if os.environ.get("SCAN_BUSY") else time.perf_counter
# garbage in circles is collected after this many calls were made ready
COLLECTED = 100


class TookTooLong(BaseException):
    """The time limit of a call is over; no `except Exception` of a library holds it back."""


def main(name, threads):
    """Answer each pickled request on the standard input with a pickled answer on the standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    # what a library prints must not get between the answers
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    library = Library(name)
    library.module.set_num_threads(int(threads))
    limit_memory()
    gc.disable()
    import_late_parts(library.module)
    server = Server(library)
    while True:
        try:
            request, value, limit = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(server.answer(request, value, limit), answers)
        answers.flush()


def import_late_parts(module):
    """What a library imports at its first gradient, before an alarm can leave such an import half done."""
    leaf = module.ones(2, requires_grad=True)
    module.autograd.grad([leaf.exp()], [leaf], [module.ones(2)], allow_unused=True)


def interrupt(number, frame):
    raise TookTooLong


class Server:
    """The call that was made ready last."""

    def __init__(self, library):
        self.library = library
        self.call = None
        self.prepared = 0

    def answer(self, request, value, limit):
        """A dictionary: what was asked for, or why there is none."""
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            # once more around it: the alarm may ring while an answer is made of an error
            return self.attempt(request, value, limit)
        except TookTooLong:
            return {"too_long": limit}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def attempt(self, request, value, limit):
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            return getattr(self, request)(value)
        except Exception as error:
            return {"refused": f"{type(error).__name__}: {error}"[:300]}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def prepare(self, entry):
        """Make a call ready and call it once: its time, and what its results look like."""
        self.call = None
        self.prepared += 1
        if self.prepared % COLLECTED == 0:
            # what is imported late is not looked at again, so that a collection takes no time
            gc.collect()
            gc.freeze()
        self.call = call_of(self.library, entry.subject, entry.arguments, entry.way)
        if self.call.before:
            self.call.before()
        start = CLOCK()
        result = self.call.run()
        seconds = CLOCK() - start
        if entry.way == "in place" and result.stride() != self.call.strides:
            raise TypeError("a view in place cannot be repeated")
        looks = [(tuple(each.shape), dtype_name(each.dtype)) for each in tensors_of(result)]
        return {"seconds": seconds, "looks": looks}

    def run(self, count):
        """Seconds of one of so many calls."""
        run, before, clock = self.call.run, self.call.before, CLOCK
        if before is None:
            calls = range(count)
            start = clock()
            for _ in calls:
                run()
            return {"seconds": (clock() - start) / count}
        seconds = []
        for _ in range(count):
            before()
            start = clock()
            run()
            seconds.append(clock() - start)
        return {"seconds": sum(seconds) / count}

    def memory(self, _):
        """Bytes of what the call reads, and at most in use beyond these while it runs and its result is kept."""
        if self.call.before:
            self.call.before()
        trim()
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = status("VmRSS")
        result = self.call.run()
        peak = status("VmHWM")
        del result
        storages = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in self.call.tensors}
        return {"read": sum(storages.values()), "added": max(0, peak - before)}

    def modules(self, _):
        from benchmarks.scanning.module_database import described_modules

        return {"modules": described_modules()}

    def describe(self, _):
        from benchmarks.serve import describe

        # torch's version is of a class of its own
        return {name: str(value) if name == "version" else value for name, value in describe(self.library.name).items()}


def trim():
    """Give back what the C library keeps of freed memory."""
    function = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if function is not None:
        function(0)


def status(name):
    """A line of /proc/self/status, in bytes. VmHWM is the largest resident size since clear_refs was written to."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) * 1024
