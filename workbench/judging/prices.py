"""What models cost, from the dated table `data/judge/prices.json` that a user can edit."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.records.providers import caches_prompts
from workbench.shipped import JUDGE_DATA

TABLE = JUDGE_DATA / "prices.json"
MILLION = 1_000_000
CACHE_LEAST_TOKENS = 1024
"""What most models keep at least; the table says where it is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that one or several calls were billed for."""

    input_tokens: int = 0
    """Tokens read at the full price."""
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0

    @property
    def total_input(self) -> int:
        """All tokens read, cached ones included."""
        return self.input_tokens + self.cache_write_tokens + self.cache_read_tokens

    def plus(self, other: "Usage") -> "Usage":
        """Both together."""
        mine = asdict(self)
        return Usage(**{kind: count + mine[kind] for kind, count in asdict(other).items()})

    def times(self, factor: int) -> "Usage":
        """The usage of several such calls."""
        return Usage(**{kind: count * factor for kind, count in asdict(self).items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A model's price in US dollars for one million tokens."""

    input: float
    output: float
    batch_factor: float = 1.0
    cache_write_factor: float = 1.0
    cache_read_factor: float = 1.0
    cache_least_tokens: int = CACHE_LEAST_TOKENS
    """Shorter beginnings of a prompt are not kept by the provider's cache."""

    def cost_usd(self, usage: Usage, *, batch: bool = False) -> float:
        """What the tokens cost, in US dollars, unrounded."""
        read = (
            usage.input_tokens
            + usage.cache_write_tokens * self.cache_write_factor
            + usage.cache_read_tokens * self.cache_read_factor
        )
        full = (read * self.input + usage.output_tokens * self.output) / MILLION
        return full * self.batch_factor if batch else full


def cheapest_model(provider: str, table: Path = TABLE) -> str | None:
    """The SPEC of a provider's model that costs least to read with; None where none is priced.

    Raises:
        UsageError: the table cannot be read.
    """
    with _opened(table) as stored:
        names = [name for name in stored["models"] if not name.endswith("*")]
    prices = {
        name: price.input
        for name in names
        if name.startswith(f"{provider}:") and (price := find_price(name, table))
    }
    return min(prices, key=lambda name: (prices[name], len(name)), default=None)


def find_price(spec: str, table: Path = TABLE) -> Price | None:
    """The price of the model a SPEC names; None when the table does not know it.

    Raises:
        UsageError: the table cannot be read.
    """
    with _opened(table) as stored:
        models: dict[str, dict[str, float]] = stored["models"]
        fits = [n for n in models if n == spec or (n.endswith("*") and spec.startswith(n[:-1]))]
        if not fits:
            return None
        name = max(fits, key=lambda n: (n == spec, len(n)))
        # the table's own factors are Anthropic's; elsewhere an unknown one is the full price
        usual = stored if caches_prompts(spec) else {}
        fields = {**usual, **models[name]}
        return Price(
            input=float(fields["input"]),
            output=float(fields["output"]),
            batch_factor=float(stored.get("batch_factor", 1.0)),
            cache_write_factor=float(fields.get("cache_write_factor", 1.0)),
            cache_read_factor=float(fields.get("cache_read_factor", 1.0)),
            cache_least_tokens=int(fields.get("cache_least_tokens", CACHE_LEAST_TOKENS)),
        )


@contextmanager
def _opened(table: Path) -> Iterator[dict[str, Any]]:
    """The table, while it is read; somebody may have edited it."""
    try:
        yield json.loads(table.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"The price table {str(table)!r} cannot be read ({type(error).__name__}): "
            "correct it or restore the one from the repository."
        ) from error


def tokens_about(text: str) -> int:
    """About how many tokens a text has: 4 ASCII characters each, 1 for any other."""
    ascii_count = len(text.encode("ascii", "ignore"))
    return ascii_count // 4 + len(text) - ascii_count


def tokens_at_most(text: str) -> int:
    """More tokens than the text can reasonably have: 2 ASCII characters each, 2 for any other.

    Measured tokenizers need 3 to 5 ASCII characters a token in prose and about 1.5 tokens for a
    Chinese character; the margin is what lets a reservation hold for tables and hashes.
    """
    ascii_count = len(text.encode("ascii", "ignore"))
    return ascii_count // 2 + 2 * (len(text) - ascii_count) + 1
