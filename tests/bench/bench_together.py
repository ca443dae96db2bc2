"""Claims of one source asked one by one and jointly: calls, tokens, cost and time of both.

A fake server counts tokens as providers do, keeps beginnings of prompts, and writes 80 tokens a
second after 0.6 s (sped up tenfold); a usual reply on one claim has 200 tokens. Prices are those of
the table. Run: python tests/bench/bench_together.py
"""

import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes.providers import FakeProvider
from tests.fakes.thrifty import Thrifty
from workbench import verify

FASTER = 10
WORDS = "bridge harbour river council engineer steel granite budget traffic pier arch mayor".split()


def article(seed, sentences):
    generator = random.Random(seed)
    return " ".join(
        f"In {generator.randint(1800, 2020)} the {generator.choice(WORDS)} of district {generator.randint(1, 99)} "
        f"was moved by {generator.randint(2, 900)} metres to the {generator.choice(WORDS)}."
        for _ in range(sentences)
    )


def case(sources, claims, sentences):
    """A text with some claims on each of some sources, each claim a sentence of its source."""
    case_sources, lines, entries = [], [], []
    for number in range(1, sources + 1):
        body = article(number, sentences)
        generator = random.Random(number)
        url = f"https://bench.example/{number}"
        case_sources.append({"url": url, "content": body})
        entries.append(f"[{number}] {url}")
        picked = generator.sample(body.split(". "), claims)
        lines += [f"{claim.rstrip('.')} [{number}]." for claim in picked]
    return "\n".join([*lines, "", "References", *entries]), case_sources


CASES = {
    "20 claims, 20 sources": case(20, 1, 300),
    "20 claims, 10 long sources": case(10, 2, 300),
    "20 claims, 5 long sources": case(5, 4, 300),
    "20 claims, 5 short sources": case(5, 4, 25),
    "24 claims, 1 long source": case(1, 24, 300),
    "24 claims, 1 short source": case(1, 24, 60),
}


def measured(spec, text, sources, together, least):
    model = Thrifty(least=least, tokens_a_second=80 * FASTER, first_token_s=0.6 / FASTER)
    with FakeProvider(model) as server:
        os.environ["ANTHROPIC_BASE_URL"] = server.url
        os.environ["OPENAI_BASE_URL"] = server.url + "/v1"
        begun = time.perf_counter()
        run = verify(text, judge=spec, sources=sources, together=together)
        took = (time.perf_counter() - begun) * FASTER
    assert not run.errors, run.errors
    spent = model.spent
    return (
        spent.calls,
        spent.read + spent.written + spent.kept,
        spent.kept,
        run.total_cost_usd,
        took,
    )


if __name__ == "__main__":
    os.environ["ANTHROPIC_API_KEY"] = os.environ["OPENAI_API_KEY"] = "not-a-key"
    os.environ.pop("http_proxy", None)
    warm, warm_sources = CASES["20 claims, 20 sources"]
    verify(warm, sources=warm_sources)  # starts the reading processes and loads what choosing needs
    for spec in ("anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"):
        measured(spec, warm, warm_sources, "auto", 4096)  # loads the SDKs
    for spec, least in (("anthropic:claude-haiku-4-5", 4096), ("anthropic:claude-sonnet-4-6", 2048),
                        ("openai:gpt-4o-mini", 1024)):  # fmt: skip
        print(f"\n{spec:34} calls     tokens read (kept)      cost      time")
        for name, (text, sources) in CASES.items():
            rows = {
                together: measured(spec, text, sources, together, least)
                for together in ("never", "auto")
            }
            for together, (calls, tokens, cached, cost, took) in rows.items():
                counted = f"{calls:5} {tokens:10,} ({cached:7,})"
                print(f"  {name:26} {together:5} {counted} ${cost:8.4f} {took:5.1f} s")
            saved = 1 - rows["auto"][3] / rows["never"][3]
            longer = rows["auto"][4] / rows["never"][4]
            print(f"  {'':26} auto costs {saved:.0%} less and takes {longer:.1f} x the time")
