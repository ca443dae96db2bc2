"""The MiniLM encoder in plain torch, and a cross-encoder head on it. For the training scripts."""

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

HIDDEN, HEADS, INNER, LAYERS, VOCABULARY = 384, 12, 1536, 6, 30522
_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.norm1, self.norm2 = (nn.LayerNorm(HIDDEN, eps=1e-12) for _ in range(2))
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.drop = nn.Dropout(0.1)

    def _split(self, x: torch.Tensor, part: nn.Linear) -> torch.Tensor:
        return part(x).view(x.shape[0], -1, HEADS, HIDDEN // HEADS).transpose(1, 2)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """The layer's output; `mask` is added to the attention scores."""
        query, key, value = (self._split(x, p) for p in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) / (HIDDEN // HEADS) ** 0.5
        seen = torch.softmax(scores if mask is None else scores + mask, -1) @ value
        joined = seen.transpose(1, 2).reshape(x.shape[0], -1, HIDDEN)
        x = self.norm1(x + self.drop(self.out(joined)))
        return self.norm2(x + self.drop(self.down(functional.gelu(self.up(x)))))


class Encoder(nn.Module):
    """Encoder with a three-way head: supported, neither, contradicted."""

    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Embedding(VOCABULARY, HIDDEN)
        self.place = nn.Embedding(512, HIDDEN)
        self.kind = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(HIDDEN, 3)

    @classmethod
    def load(cls, path: Path) -> "Encoder":
        """The encoder with published weights and an untrained head."""
        from safetensors.torch import load_file

        given = load_file(str(path))
        found = {
            "word.weight": given["embeddings.word_embeddings.weight"],
            "place.weight": given["embeddings.position_embeddings.weight"],
            "kind.weight": given["embeddings.token_type_embeddings.weight"],
            "norm.weight": given["embeddings.LayerNorm.weight"],
            "norm.bias": given["embeddings.LayerNorm.bias"],
        }
        for i in range(LAYERS):
            for own, theirs in _NAMES.items():
                for part in ("weight", "bias"):
                    name = f"encoder.layer.{i}.{theirs}.{part}"
                    found[f"layers.{i}.{own}.{part}"] = given[name]
        encoder = cls()
        left = encoder.load_state_dict(found, strict=False)
        assert not left.unexpected_keys and all("head" in key for key in left.missing_keys)
        return encoder

    def encode(
        self, ids: torch.Tensor, kinds: torch.Tensor, keep: torch.Tensor | None
    ) -> torch.Tensor:
        """The last layer's states."""
        x = self.word(ids) + self.place.weight[: ids.shape[1]] + self.kind(kinds)
        x = self.drop(self.norm(x))
        mask = None if keep is None else (1.0 - keep[:, None, None, :]) * -1e4
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def forward(
        self, ids: torch.Tensor, kinds: torch.Tensor, keep: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The three logits of each pair."""
        states = self.encode(ids, kinds, keep)
        if keep is None:
            return self.head(states.mean(1))
        mean = (states * keep[:, :, None]).sum(1) / keep.sum(1)[:, None]
        return self.head(self.drop(mean))
