"""What the world says about responses: read from the inbox, matched with the jobs that wait for it.

reading      one message at a time: whose is it, and what does it change
orphans      the answer of a job that was given up: kept, and deleted remotely
"""

from __future__ import annotations

from orchestrator.correspondence.reading import FOREIGN, WEBHOOKS, Correspondence, answers, is_response_id

__all__ = ["FOREIGN", "WEBHOOKS", "Correspondence", "answers", "is_response_id"]
