"""A night in random order: several workers, faults, webhooks, orders and jumps in time, one thread.

Hypothesis chooses what happens next; the house does it with its real parts; `properties` says what must hold. A
worker that stalls is a claim that is kept and stepped later; one that is overtaken loses its lease inside its call.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from orchestrator.core.records import Job
from orchestrator.core.states import LOOKED_AT, WORKER_STATES, JobState
from orchestrator.errors import DatelineError
from orchestrator.orders import Signature, order_of, place
from orchestrator.store import attempts
from orchestrator.store.open import open_store
from orchestrator.worker import Claim
from outbox.errors import OutboxError
from tests.acceptance.shift import DAY, OTHER, PRODUCT, Act, Send, Shift, begin
from tests.model.properties import check, machine_of

SECOND_MS = 1_000
JUMPS_MS = (1, 21, 61, 121, 240, 16 * 60, 3 * 3600, 25 * 3600, -5)
"""Seconds: a poll, a lease, the ambiguity window, the age limit, a day; and a clock that is set back."""

KINDS = ("completed", "completed", "completed", "failed", "cancelled", "incomplete")
VERBS = (
    *(
        "suspend",
        "resume",
        "resume",
        "release",
        "release",
        "cancel",
        "abandon",
        "replace",
        "discard-remote",
        "reconcile",
    ),
    *(
        "pause",
        "hold",
        "approve",
        "ack",
        "link-response",
        "link-response",
        "confirm-not-created",
        "confirm-not-created",
    ),
)
FITTING = {
    **dict.fromkeys(
        ("release", "abandon", "replace", "link-response", "confirm-not-created"), (JobState.QUARANTINED,)
    ),
    **dict.fromkeys(("cancel", "discard-remote", "reconcile"), LOOKED_AT),
    **dict.fromkeys(("hold", "approve"), (JobState.SAVED_NOT_PUBLIC,)),
    "resume": (JobState.MANUALLY_SUSPENDED,),
}
"""Where an order makes sense; one in five is given anywhere."""

FAULTS = ("none",) * 3 + (
    *("unreachable", "lost_answer", "silent", "throttled", "error", "missing", "garbled", "overtaken", "overtaken"),
)
index = st.integers(min_value=0, max_value=10_000)


def refusing(status: int, code: str) -> Act:
    """An answer in the provider's own envelope."""
    error = {"error": {"message": "scripted", "type": "scripted", "code": code}}
    return lambda _request, _send: httpx.Response(status, json=error)


def unreachable(_request: httpx.Request, _send: Send) -> httpx.Response:
    raise httpx.ConnectError("no route to host")


def silent(_request: httpx.Request, _send: Send) -> httpx.Response:
    raise httpx.ReadTimeout("nothing came back")


def lost_answer(request: httpx.Request, send: Send) -> httpx.Response:
    send(request).read()
    raise httpx.ReadError("connection reset")


def garbled(request: httpx.Request, send: Send) -> httpx.Response:
    body = send(request).read()
    return httpx.Response(200, content=body[: len(body) // 2])


class Newsroom(RuleBasedStateMachine):
    """One night. Every rule is something that can happen at any time."""

    steps = 0  # of all nights together

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._held: list[Claim] = []
        self._checked: set[str] = set()
        self._orders = 0
        self._overtaken: tuple[list[Any], ...] | None = None
        root = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        shutil.copyfile(template(), root / "night.db")
        self.shift: Shift = self._stack.enter_context(begin(root, f"sqlite:///{root / 'night.db'}"))

    def teardown(self) -> None:
        self._stack.close()

    # what happens

    @initialize()
    def morning(self) -> None:
        self.shift.plan(PRODUCT)

    @rule(product=st.sampled_from((PRODUCT, OTHER)), back=st.integers(0, 1))
    def plan(self, product: str, back: int) -> None:
        self.shift.house.ticker.plan(product, DAY - timedelta(days=back))

    @rule(owner=st.sampled_from(("a", "b", "c")))
    def claim(self, owner: str) -> None:
        claim = self.shift.claim(owner)
        if claim is not None:
            self._held.append(claim)

    @rule(which=index, fault=st.sampled_from(FAULTS))
    def step(self, which: int, fault: str) -> None:
        """A claim that is held is stepped now, early or late."""
        if self._held:
            self._step(self._held.pop(which % len(self._held)), fault)

    @rule(steps=st.integers(1, 6), fault=st.sampled_from(FAULTS))
    def work(self, steps: int, fault: str) -> None:
        """A worker that is not interrupted; the fault meets its first call."""
        for number in range(steps):
            claim = self.shift.claim("steady")
            if claim is None:
                return
            self._step(claim, fault if number == 0 else "none")

    @rule(seconds=st.sampled_from(JUMPS_MS))
    def jump(self, seconds: int) -> None:
        self.shift.advance(seconds * SECOND_MS)

    @rule(actions=st.integers(4, 16), fault=st.sampled_from(FAULTS), at=st.integers(0, 8))
    def proceed(self, actions: int, fault: str, at: int) -> None:
        """A while in which what is due is done, and where nothing is, time goes on; one call meets the fault."""
        for number in range(actions):
            claim = self.shift.claim("steady")
            if claim is not None:
                self._step(claim, fault if number == at else "none")
            elif not self.shift.wait():
                return

    @rule()
    def tick(self) -> None:
        self.shift.loop.tick()

    @rule(which=index, kind=st.sampled_from(KINDS), delivery=st.integers(0, 3))
    def webhook(self, which: int, kind: str, delivery: int) -> None:
        """A signed event of any accepted response: in time, late, out of order, and again with the same id."""
        accepted = [create["response_id"] for create in self.shift.creates() if create["accepted"]]
        if accepted:
            response_id = accepted[which % len(accepted)]
            self.shift.tell(f"response.{kind}", response_id, f"wh_{response_id}_{delivery}")

    @rule(which=index, verb=st.sampled_from(VERBS), other=index)
    def order(self, which: int, verb: str, other: int) -> None:
        """An honest operator: what is confirmed as never created is not in the provider's log."""
        if verb == "pause":
            self._pause()
            return
        jobs = self.shift.jobs()
        wanted = [job for job in jobs if job.state in FITTING.get(verb, ())]
        chosen = wanted if wanted and which % 5 else jobs
        job = chosen[which % len(chosen)]
        arguments: dict[str, object] = {}
        if verb in ("link-response", "confirm-not-created"):
            accepted = self._accepted(job)
            if verb == "confirm-not-created" and accepted:
                return
            everybodys = [create["response_id"] for create in self.shift.creates() if create["accepted"]]
            named = accepted if other % 4 else everybodys
            if verb == "link-response" and not named:
                return
            arguments = {"response_id": named[other % len(named)]} if named else {}
        self._give(verb, job, arguments)

    # how it is done

    def _pause(self) -> None:
        """A pause stops every claim; then they go on."""
        self._give("pause", None, {})
        self.shift.advance(300 * SECOND_MS)
        assert self.shift.claim("eager") is None
        self._give("unpause", None, {})

    def _give(self, verb: str, job: Job | None, arguments: dict[str, object]) -> None:
        self._orders += 1
        by = Signature(actor="person", reason_code="MODEL", key=f"order-{self._orders}")
        with self.shift.house.db.write() as conn:
            command = place(conn, order_of(verb, job.id if job else "", by, arguments=arguments))
        with suppress(DatelineError, OutboxError):  # refused by the state, or kept until the job is free
            self.shift.house.orders.carry_out(command)

    def _accepted(self, job: Job) -> tuple[str, ...]:
        """What the provider's log shows for the job's newest attempt."""
        emulator = self.shift.house.emulator
        with self.shift.house.db.read() as conn:
            sent = attempts.of_job(conn, job.id)
        return emulator.accepted(json.loads(sent[-1].metadata_json)) if emulator and sent else ()

    def _step(self, claim: Claim, fault: str) -> None:
        """Step a claim, and see that a stale one leaves everything as it was."""
        before = self.shift.fresh(claim.job)
        stale = before.version != claim.job.version
        rows = machine_of(self.shift) if stale else None
        self._overtaken = None
        self.shift.wire.once = None if fault == "none" else self._act(fault, claim)
        try:
            self._carry_out(claim)
        except (DatelineError, OutboxError):
            assert stale or self._overtaken is not None, f"a step in {claim.job.state} raised with its fence intact"
        finally:
            self.shift.wire.once = None
        if rows is not None or self._overtaken is not None:
            kept = rows or self._overtaken
            assert machine_of(self.shift) == kept, f"a stale fence changed the machine in {claim.job.state}"
        else:
            _counted_apart(before, self.shift.fresh(claim.job))

    def _carry_out(self, claim: Claim) -> None:
        house = self.shift.house
        if claim.job.state in WORKER_STATES:
            house.worker.step(claim)
        else:
            house.supervisor.step(claim.job)

    def _act(self, fault: str, claim: Claim) -> Act:
        acts: dict[str, Act] = {
            "unreachable": unreachable,
            "silent": silent,
            "lost_answer": lost_answer,
            "throttled": refusing(429, "rate_limit_exceeded"),
            "error": refusing(500, "server_error"),
            "missing": refusing(404, "not_found"),
            "garbled": garbled,
            "overtaken": self._overtake(claim),
        }
        return acts[fault]

    def _overtake(self, claim: Claim) -> Act:
        """While the call is under way its lease ends, and another worker steps the job."""

        def act(request: httpx.Request, send: Send) -> httpx.Response:
            response = send(request)
            body = response.read()
            self.shift.advance(self.shift.house.lease_ms + SECOND_MS)
            for _ in range(3):
                other = self.shift.claim("overtaking")
                if other is not None:
                    self._carry_out(other)
            if self.shift.fresh(claim.job).version != self._dispatched(claim):
                self._overtaken = machine_of(self.shift)
            return httpx.Response(response.status_code, content=body)

        return act

    def _dispatched(self, claim: Claim) -> int:
        """The version under which the call was made: a dispatch is a commit of its own."""
        return claim.job.version + (claim.job.state is JobState.CREATE_ELIGIBLE)

    @invariant()
    def everything_holds(self) -> None:
        Newsroom.steps += 1
        check(self.shift, self._checked)


def _counted_apart(before: Job, after: Job) -> None:
    """I4: polling never changes generation_attempts, creating never changes poll_count."""
    if before.state in LOOKED_AT:
        assert after.generation_attempts == before.generation_attempts
    if before.state in (JobState.CREATE_ELIGIBLE, JobState.CREATE_IN_FLIGHT):
        assert (after.poll_count, after.retrieve_count) == (before.poll_count, before.retrieve_count)


_TEMPLATE: list[Path] = []


def template() -> Path:
    """An empty store, migrated once for the whole run."""
    if not _TEMPLATE:
        folder = tempfile.mkdtemp(prefix="model-")
        atexit.register(shutil.rmtree, folder)
        path = Path(folder) / "empty.db"
        open_store(f"sqlite:///{path}").close()
        _TEMPLATE.append(path)
    return _TEMPLATE[0]
