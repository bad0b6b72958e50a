"""Parts that every contract model is made of. Unknown fields are refused; nothing is coerced."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

IsoDate = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A calendar date, `YYYY-MM-DD`. Whether the day exists is checked by validation, not by the schema."""


class ContractModel(BaseModel):
    """Base of all provider-facing shapes: strict, closed, frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
