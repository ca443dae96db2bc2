"""How far a judge agrees with the labels that we gave to our own demo.

`python tests/bench/bench_demo.py [SPEC]` (default `local`) checks every shipped demo beside its
sources and prints one JSON document: citations agreed on by demo, and each that is not. The demo is
no training data.
"""

import json
import sys
from collections import Counter

from workbench import verify
from workbench.services.demo import list_demos


def disagreements(spec: str) -> dict[str, object]:
    """Agreed and all labelled citations of each demo, with what the judge says otherwise."""
    agreed: Counter[str] = Counter()
    labelled: Counter[str] = Counter()
    other: list[dict[str, object]] = []
    for demo in list_demos():
        run = verify(demo.text, judge=spec, sources=demo.sources)
        for result, item in zip(run.counted, demo.expected, strict=True):
            labelled[demo.id] += 1
            if result.verdict == item.label:
                agreed[demo.id] += 1
                continue
            claim, judgment = result.citation.claim, result.judgment
            other.append(
                {
                    "demo": demo.id, "citation": result.citation.raw, "ours": item.label, "judge": result.verdict,
                    "rationale": judgment.rationale if judgment else None,
                    "claim": claim.text if claim else None,
                    "why": item.why,
                }
            )  # fmt: skip
    return {
        "agreed": sum(agreed.values()),
        "labelled": sum(labelled.values()),
        "by demo": {name: [agreed[name], number] for name, number in labelled.items()},
        "otherwise": other,
    }


if __name__ == "__main__":
    print(json.dumps(disagreements(*sys.argv[1:] or ["local"]), indent=1, ensure_ascii=False))
