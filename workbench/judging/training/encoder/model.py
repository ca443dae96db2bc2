"""The encoder as a torch module: BERT over claim, context and source, with one pooled output."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from workbench.judging.training.encoder.e5_weights import E5Weights

LABELS = 3
"""Supported, neither, contradicted."""


class Layer(nn.Module):
    """One layer of BERT with all heads' projections in one matrix."""

    def __init__(self, width: int, hidden: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, epsilon)
        self.wide = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width, epsilon)

    def forward(self, x: Tensor, mask: Tensor, dropout: float = 0.0) -> Tensor:
        """The hidden states (batch, tokens, width) after the layer."""
        batch, tokens, width = x.shape
        q, k, v = (
            self.qkv(x).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        )
        # torch's fused attention takes twice as long as this one to go back in bfloat16 on processors.
        weights = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
        weights = torch.softmax(weights.float().masked_fill(~mask, -1e4), dim=-1)
        attended = weights.to(v.dtype) @ v
        attended = self.out(attended.transpose(1, 2).reshape(batch, tokens, width))
        x = self.attention_norm(x + functional.dropout(attended, dropout, self.training))
        fed = self.narrow(functional.gelu(self.wide(x)))
        return self.norm(x + functional.dropout(fed, dropout, self.training))


class PairEncoder(nn.Module):
    """Three logits for a pair, and how much each token of the source counts for them."""

    def __init__(self, weights: E5Weights) -> None:
        super().__init__()
        width = weights.width
        self.words = nn.Embedding(len(weights.pieces), width)
        self.positions = nn.Embedding(weights.positions, width)
        self.types = nn.Embedding(2, width)
        self.embedding_norm = nn.LayerNorm(width, weights.epsilon)
        self.layers = nn.ModuleList(
            Layer(width, weights.hidden, weights.heads, weights.epsilon)
            for _ in range(weights.layers)
        )
        self.attend = nn.Linear(width, width)
        self.attend_to = nn.Linear(width, 1)
        self.pooled = nn.Linear(2 * width, width)
        self.labels = nn.Linear(width, LABELS)
        self.load_base(weights)

    def load_base(self, weights: E5Weights) -> None:
        """Begin from the pretrained weights; the head keeps its random ones."""
        tensors = {name: torch.from_numpy(values) for name, values in weights.tensors.items()}
        with torch.no_grad():
            self.words.weight.copy_(tensors["emb.word"])
            self.positions.weight.copy_(tensors["emb.pos"])
            self.types.weight.copy_(tensors["emb.type"].view(-1, weights.width)[:1].expand(2, -1))
            _copy(self.embedding_norm, tensors, "emb.ln")
            for number, layer in enumerate(self.layers):
                name = f"l{number}."
                for kind in ("w", "b"):
                    joint = torch.cat([tensors[f"{name}{part}.{kind}"] for part in "qkv"])
                    (layer.qkv.weight if kind == "w" else layer.qkv.bias).copy_(joint)
                _copy(layer.out, tensors, name + "ao")
                _copy(layer.attention_norm, tensors, name + "aln")
                _copy(layer.wide, tensors, name + "fi")
                _copy(layer.narrow, tensors, name + "fo")
                _copy(layer.norm, tensors, name + "oln")

    def forward(
        self, ids: Tensor, types: Tensor, mask: Tensor, dropout: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        """Logits (batch, 3) and shares of the source's tokens (batch, tokens), which add up to 1.

        `ids` are pieces (batch, tokens), `types` 1 for tokens of the source, `mask` 1 for tokens
        and 0 for padding.
        """
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.embedding_norm(self.words(ids) + self.positions(places)[None] + self.types(types))
        x = functional.dropout(x, dropout, self.training)
        allowed = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, allowed, dropout)
        weight = self.attend_to(torch.tanh(self.attend(x))).squeeze(-1)
        shares = torch.softmax(weight.masked_fill((types * mask) == 0, -1e4), dim=-1)
        read = torch.einsum("bt,bth->bh", shares, x)
        pooled = functional.gelu(self.pooled(torch.cat([x[:, 0], read], dim=-1)))
        return self.labels(functional.dropout(pooled, dropout, self.training)), shares


def _copy(module: nn.Module, tensors: dict[str, Tensor], name: str) -> None:
    module.weight.copy_(tensors[name + ".w"])
    module.bias.copy_(tensors[name + ".b"])
