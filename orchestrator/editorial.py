"""What is bought for whom: the running configuration, product by product, as the machine needs it.

The worker and the supervisor ask here for a product's policy, its limits, and the contract that the running
configuration would make today. Nothing here touches a store or a socket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.contracts.contract import OperationContract, Running, drift, remade
from orchestrator.core.limits import MachinePolicy, OnUnknown
from orchestrator.core.observations import Usage
from orchestrator.core.policy import ProductPolicy
from orchestrator.errors import NotFound
from orchestrator.evidence.report import VALIDATOR

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Per million tokens and per search, in the currency of `[provider.prices]`."""

    input: float = 0.0
    output: float = 0.0
    search: float = 0.0

    def cost_micro(self, usage: Usage) -> int:
        """What this usage costs, in millionths, rounded up: a ledger must not flatter itself."""
        tokens = usage.input_tokens * self.input + usage.output_tokens * self.output
        return -int(-(tokens + usage.searches * self.search * MILLION) // 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Editorial:
    """Policies and prices of one workspace. `poll_ms`: shortest and longest poll spacing."""

    products: Mapping[str, ProductPolicy]
    model: str
    prices: Prices = Prices()
    poll_ms: tuple[int, int] = (20_000, 60_000)
    on_unknown: OnUnknown = OnUnknown.HOLD
    background: bool = True
    synthetic: bool = False

    def policy(self, product: str) -> ProductPolicy:
        """The product's policy.

        Errors: `NotFound` for a product whose file is gone: its processes wait until it is back.
        """
        try:
            return self.products[product]
        except KeyError as error:
            known = ", ".join(sorted(self.products)) or "none"
            raise NotFound(f"no product {product!r}", hint=f"known: {known}") from error

    def limits(self, product: str) -> MachinePolicy:
        """The machine's budgets for the product's jobs."""
        return self.policy(product).machine_policy(poll_ms=self.poll_ms, on_unknown=self.on_unknown)

    def running(self, product: str) -> Running:
        """The configuration that an operation would be bought under now."""
        return Running(policy=self.policy(product), model=self.model, validator=VALIDATOR)

    def has_drifted(self, recorded: OperationContract) -> bool:
        """Whether the running configuration would buy something else than what was recorded."""
        return bool(drift(recorded, remade(recorded, self.running(recorded.product))))

    def reservation_micro(self, contract: OperationContract) -> int:
        """The most that an operation under this contract can cost, in millionths."""
        most = Usage(
            input_tokens=contract.input_ceiling_tokens,
            output_tokens=contract.output_ceiling_tokens,
            searches=contract.max_tool_calls,
        )
        return self.prices.cost_micro(most)
