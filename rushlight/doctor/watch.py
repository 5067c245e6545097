"""A watch: a program under observation, the checks that listen, and what they have found."""

from __future__ import annotations

import functools
import gc
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, TypeVar

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.overriding import modes
from rushlight.doctor.catalogue import Check, all_checks, listening
from rushlight.doctor.events import (
    AttributeSet,
    Backward,
    BackwardStarting,
    Call,
    Cleared,
    Event,
    Finished,
    GradientRead,
    Raised,
    Stepping,
)
from rushlight.doctor.finding import RANK, Finding
from rushlight.doctor.finite import Finite
from rushlight.doctor.health import Health
from rushlight.doctor.ignoring import is_ignored
from rushlight.doctor.lives import Lives
from rushlight.doctor.names import Names
from rushlight.doctor.places import line_of_error, user_line
from rushlight.doctor.second_pass import Kept
from rushlight.doctor.trace import Record, Trace, tensors_in
from rushlight.errors.location import Location

Function = TypeVar("Function", bound=Callable[..., Any])
# findings are told most important first, and no more than so many unless all are asked for
SHOWN = 5
# the first steps are seen whole, later ones from time to time: so many in a row, and how often
SEEN_FIRST, SEEN_LATER, PERIOD = 60, 6, 60
# to look again must not make the whole run longer than so many times what it would take alone
PATIENCE = 3.0
# the seconds after which a program rests among its first steps too, to learn how fast it would be alone
LONG = 3.0
# of one round no more than so many blocks of calls are seen
BLOCKS_SEEN = 10
# so many backwards since the last step are kept with their graphs
KEPT_BACKWARDS = 3
# consequences, which are not told beside a cause
FALLBACK = "nothing-learned"
CONSEQUENCES = {FALLBACK, "optim-step-no-grad"}
# what follows from certain others only
EXPLAINED_BY = {
    "dead-relu": {"symmetric-init", "diverged", "nan-forward", "nan-backward"},
    "saturated-activation": {"diverged", "nan-forward", "nan-backward"},
    "vanishing-gradient": {"dead-relu", "saturated-activation", "symmetric-init", "diverged"},
}


class Pace:
    """How long rounds take that are seen, and those that are not."""

    def __init__(self) -> None:
        self.last: float | None = None
        self.seen = self.unseen = 0.0
        self.rounds = self.alone = 0

    def note(self, awake: bool) -> None:
        """A round is over. The first is not counted: it holds the program's imports and its data."""
        now = perf_counter()
        if self.last is None:
            self.last = now
            return
        if awake:
            self.seen += now - self.last
        else:
            self.unseen += now - self.last
            self.alone += 1
        self.rounds += 1
        self.last = now

    @property
    def is_long(self) -> bool:
        """Whether the rounds that were seen took so long that someone waits for them."""
        return self.seen > LONG

    @property
    def has_time(self) -> bool:
        """Whether the run took a few times as long at most as it would have alone, as the rounds at rest tell."""
        return self.alone > 0 and self.seen + self.unseen <= PATIENCE * self.unseen / self.alone * self.rounds


class Enough(BaseException):
    """Ends a program after the number of steps that was asked for; no error, so programs do not catch it."""


class Watch:
    """Observes what happens inside `with`, and has findings afterwards.

    `all` adds the checks of tier 3, `ignore` leaves out ids, `steps` ends the program after so many optimizer steps.
    """

    def __init__(self, *, all: bool = False, ignore: Iterable[str] = (), steps: int | None = None):
        from rushlight.doctor.observer import Observer

        ignored = set(ignore)
        known = all_checks()
        unknown = sorted(ignored - known.keys())
        if unknown:
            raise ValueError(f"there is no finding with the id {unknown[0]!r}; the ids are {', '.join(sorted(known))}")
        self.all = all
        self.wanted = [each for each in known.values() if each.id not in ignored and (all or each.tier < 3)]
        self.limit = steps
        self.steps = 0
        self.backwards = 0
        self.trace = Trace()
        self.lives = Lives()
        self.names = Names(self.lives)
        self.health = Health()
        self.pace = Pace()
        self.finite = Finite()
        # the round since which calls are seen
        self.woken = 0
        # the blocks of calls seen in this round
        self.blocks = 0
        self.loaders: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.handles: list = []
        self.failed: tuple | None = None
        self.running: Backward | None = None
        # the backwards since the last step, which may still be looked at whole
        self.recent: list[Backward] = []
        self.error: BaseException | None = None
        # checks that failed themselves, and how
        self.broken: list[tuple[str, Exception]] = []
        # at the end nothing is waited for
        self.ended = False
        # what each check remembers, by its id
        self.memory: dict[str, dict[Any, Any]] = defaultdict(dict)
        self.found: dict[tuple, Finding] = {}
        # what is waited for: at which step it was last seen, how often, and itself if a short run is enough
        self.pending: dict[tuple, tuple[int, int, Finding | None]] = {}
        self.heard: dict[type, list[Check]] = defaultdict(list)
        self.calls_heard: dict[str, list[Check]] = defaultdict(list)
        self.all_calls_heard: list[Check] = []
        self.listen()
        self.observer = Observer(self)

    def listen(self) -> None:
        """Sort the checks by what they listen to."""
        for kind, each in listening(self.wanted):
            if kind is not Call:
                self.heard[kind].append(each)
            elif each.names is None:
                self.all_calls_heard.append(each)
            else:
                for name in each.names:
                    self.calls_heard[name].append(each)
        self.names_heard = set(self.calls_heard)

    def __enter__(self) -> Watch:
        self.notice_what_is_there()
        self.observer.start()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        try:
            self.end(error)
        finally:
            self.observer.stop()

    def end(self, error: BaseException | None) -> None:
        """The last look, once: at the error that ended the program, or at the whole run."""
        if self.ended:
            return
        self.ended = True
        with self.observer.unseen():
            if error is None or isinstance(error, (Enough, SystemExit)):
                self.settle()
                self.tell(Finished())
            elif isinstance(error, Exception):
                self.error = error
                call = self.failed if self.failed is not None and self.failed[0] is error else None
                self.tell(Raised(error, line_of_error(error), None if call is None else call[1:4]))

    def settle(self) -> None:
        """In a run that is shorter than the wait, what was seen at every step is told."""
        for identity, (_, times, finding) in self.pending.items():
            if finding is not None and times >= self.steps:
                self.found.setdefault(identity, finding)

    def notice_what_is_there(self) -> None:
        """Modules and optimizers that were made before."""
        from rushlight.core.memory.living import every_kind_of
        from rushlight.nn.modules.module import Module
        from rushlight.optim.optimizer import Optimizer

        # to look a type up is ten times as fast as to ask for its bases
        kinds = {Module, *every_kind_of(Module), *every_kind_of(Optimizer)}
        for each in [each for each in gc.get_objects() if type(each) in kinds]:
            if "_parameters" in each.__dict__:
                self.lives.add_module(each, None)
            elif "param_groups" in each.__dict__:
                self.lives.add_optimizer(each, None)

    def tell(self, event: Event) -> None:
        """Let every check that listens look at an event."""
        if isinstance(event, Stepping):
            event.optimizer.step_place = event.place
        listeners = self.heard.get(type(event))
        if listeners:
            self.ask(listeners, event)

    def tell_call(self, event: Call) -> None:
        listeners = self.calls_heard.get(event.name)
        if listeners:
            self.ask(listeners, event)
        if self.all_calls_heard:
            self.ask(self.all_calls_heard, event)

    def ask(self, listeners: list[Check], event: Event) -> None:
        """Let checks look; one that fails must not end the program that it looks at."""
        # unseen(), written out: a context manager for each check was a third of the time of a watched step
        before, modes.observer = modes.observer, None
        try:
            for check in listeners:
                try:
                    for finding in check.body(self, event) or ():
                        self.offer(check, finding)
                except Exception as error:
                    self.broken.append((check.id, error))
        finally:
            modes.observer = before

    def offer(self, check: Check, finding: Finding) -> None:
        """Take a finding once it was seen in as many steps running as its check waits for."""
        finding.id = check.id
        finding.severity = finding.severity or check.severity
        identity = finding.identity()
        known = self.found.get(identity)
        if known is not None:
            known.count += 1
            return
        if is_ignored(finding):
            return
        last, times, _ = self.pending.get(identity, (-2, 0, finding))
        if last != self.steps:
            times = times + 1
        self.pending[identity] = self.steps, times, finding if check.short_runs else None
        if times >= check.wait or self.ended:
            finding.count = times
            self.found[identity] = finding

    def clear(self, event: Cleared) -> None:
        # told first: a check may want to know what is lost
        self.tell(event)
        self.lives.clear(event)

    def gradient_read(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """The program reads `.grad`: what it computes from it depends on no parameter."""
        listeners = self.heard.get(GradientRead)
        if listeners:
            self.ask(listeners, GradientRead(tensor, gradient, user_line()))

    def attribute_set(self, tensor: Tensor, name: str, value: Any, place: Location | None) -> None:
        """The program froze a tensor, made it a leaf that learns, or gave it an attribute of its own."""
        if name == "requires_grad":
            if not value:
                self.lives.of_parameter(tensor).frozen_at = place
            self.trace.note("requires_grad_", [self.trace.of(tensor)], tensor, place)
        self.tell(AttributeSet(tensor, name, value, place))

    def before_backward(self, event: Backward) -> None:
        with self.observer.unseen():
            self.lives.before_backward(event)
        self.tell(BackwardStarting(event, event.place))
        self.recent.append(event)
        # programs that never step keep no more than these
        if len(self.recent) > KEPT_BACKWARDS:
            self.recent.pop(0).let_go()

    def next_backward(self) -> int:
        self.backwards += 1
        return self.backwards

    def advance(self) -> None:
        """A step is over."""
        self.steps += 1
        self.trace.advance()
        for each in self.recent:
            each.let_go()
        self.recent.clear()
        self.observer.memory.advance()
        self.end_round(self.steps)
        if self.limit is not None and self.steps >= self.limit:
            raise Enough

    def count_block(self) -> None:
        """Another block of calls was seen: a round of very many is not seen to its end."""
        self.blocks += 1
        if self.blocks == BLOCKS_SEEN:
            self.observer.rest()

    def end_round(self, rounds: int) -> None:
        self.pace.note(self.observer.awake or self.blocks >= BLOCKS_SEEN)
        self.blocks = 0
        self.wake_or_rest(rounds)

    def wake_or_rest(self, rounds: int) -> None:
        """Look at some rounds in a row now and then, as long as that costs little of the whole."""
        if self.observer.awake:
            enough = rounds >= SEEN_FIRST or self.pace.is_long
            if enough and rounds - self.woken >= SEEN_LATER:
                self.observer.rest()
        elif (rounds < SEEN_FIRST or rounds % PERIOD == 0) and self.pace.has_time:
            self.lives.forget_gradients()
            self.wake(rounds)

    def wake(self, rounds: int) -> None:
        self.woken = rounds
        self.observer.wake()

    def glance(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a backward at rest: only the value of the loss is noted, and whence it comes if that is no number."""
        roots = list(tensors_in(args[:1] or kwargs.get("tensors", ())))
        self.health.note_loss(roots, None)
        # a loss that is finite is not looked behind: the walk would cost more than a small backward
        kept = None if self.health.is_finite else self.finite.keep(roots)
        result = function(*args, **kwargs)
        if self.look_at_gradients(roots, [], kept, user_line()):
            self.wake(self.steps or self.backwards)
        self.count_backward()
        return result

    def count_backward(self) -> None:
        """Programs that step by hand are looked at from backward to backward."""
        self.backwards += not self.observer.awake
        if not self.steps:
            self.end_round(self.backwards)

    def look_at_gradients(
        self, roots: list[Tensor], records: list[Record], kept: Kept | None, place: Location | None
    ) -> bool:
        """After a backward: tell the first loss that is not finite, or the first gradient of one that is."""
        if kept is None:
            return False
        event = self.finite.first(roots, records, kept, place)
        if event is not None:
            self.tell(event)
        return event is not None

    @property
    def findings(self) -> list[Finding]:
        """What was found, most important first; consequences are left out where there is a cause."""
        order = {each.id: place for place, each in enumerate(self.wanted)}
        found = sorted(self.found.values(), key=lambda each: (RANK[each.severity], order[each.id]))
        found = [each for each in found if each.still is None or each.still()]
        told = {each.id for each in found}
        found = [each for each in found if not EXPLAINED_BY.get(each.id, set()) & told]
        causes = [each for each in found if each.id not in CONSEQUENCES]
        return causes or [each for each in found if each.id != FALLBACK] or found


def watch(*, all: bool = False, ignore: Iterable[str] = (), steps: int | None = None) -> Watch:
    """Observe a block of a program: `with rushlight.doctor.watch() as watched: ...; print(watched.findings)`."""
    return Watch(all=all, ignore=ignore, steps=steps)


def watched(function: Function) -> Function:
    """Observe each call of a function, and print what was found."""

    @functools.wraps(function)
    def observed(*args: Any, **kwargs: Any) -> Any:
        from rushlight.doctor.report.terminal import print_report

        observing = Watch()
        try:
            with observing:
                return function(*args, **kwargs)
        finally:
            print_report(observing)

    made: Any = observed
    return made
