"""Operator orders: written down first, carried out once, each with actor, reason, key and audit line.

    placing      an order becomes a command row; the same order twice is one
    presence     whether a loop works on this workspace, so that it takes the order
    scene        what an order is carried out with, inside one transaction
    on_jobs      on_publications   on_the_loop      what each verb does
    carrying     the one place where orders are carried out: at once, by the loop, or at claim

Source: completed tables §9 (operator commands), §1 (recovery).
"""

from __future__ import annotations

from orchestrator.orders.carrying import ACTS, Orders
from orchestrator.orders.placing import Signature, order_of, place

__all__ = ["ACTS", "Orders", "Signature", "order_of", "place"]
