"""A model behind the fake server that counts tokens and caches beginnings of prompts, as the providers do.

    model = Thrifty(label=lambda claim: "supported")
    with FakeProvider(model) as server: …; model.usage adds up what was billed

Anthropic keeps what is marked with `cache_control` and long enough; OpenAI keeps any beginning of
1,024 tokens, in steps of 128. What a call writes can be read once that call has been answered.
Four characters count as a token; the quote of every verdict is the first passage's first sentence.
"""

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from os.path import commonprefix

from tests.fakes.providers import Answer, ReceivedRequest, verdict

PASSAGE = re.compile(r"<passage[^>]*>\n(.*?)\n</passage>", re.S)
CLAIM = re.compile(r"<claim(?: id=\"(\d+)\")?>\n(.*?)\n</claim>", re.S)


@dataclass
class Spent:
    calls: int = 0
    read: int = 0
    written: int = 0
    kept: int = 0
    answered: int = 0


@dataclass
class Thrifty:
    label: Callable[[str], str] = lambda claim: "supported"
    least: int = 4096
    """Tokens that a marked beginning needs to be kept."""
    reply_tokens: int = 200
    tokens_a_second: float = 0.0
    """How fast it writes; 0 for at once."""
    first_token_s: float = 0.0
    joint: bool = True
    """False for a model that answers several claims with a single verdict."""
    spent: Spent = field(default_factory=Spent)
    _kept: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: ReceivedRequest) -> Answer:
        prompt = request.prompt
        claims = CLAIM.findall(prompt.split("</passage>")[-1])
        read, written, cached, beginning = self._counted(request, prompt)
        out = self.reply_tokens * len(claims)
        if self.tokens_a_second:
            time.sleep(self.first_token_s + out / self.tokens_a_second)
        with self._lock:
            self._kept |= {beginning} if beginning else set()
            self.spent.calls += 1
            self.spent.read += read
            self.spent.written += written
            self.spent.kept += cached
            self.spent.answered += out
        return Answer(
            text=self._text(prompt, claims),
            input_tokens=read,
            output_tokens=out,
            cache_read=cached,
            cache_written=written,
        )

    def _text(self, prompt: str, claims: list[tuple[str, str]]) -> str:
        quote = re.split(r"(?<=\.)\s", PASSAGE.findall(prompt)[0])[0]
        judgments = [
            {**json.loads(verdict(self.label(claim), quote)), "claim": int(number or 0)}
            for number, claim in claims
        ]
        if len(judgments) > 1 and self.joint:
            return json.dumps({"judgments": judgments})
        return json.dumps(judgments[0])

    def _counted(self, request: ReceivedRequest, prompt: str) -> tuple[int, int, int, str]:
        """Tokens read, written to the cache and read from it, and the prefix to cache from now on."""
        total = len(prompt) // 4
        with self._lock:
            cached_prompts = set(self._kept)
        if request.api != "messages":
            same = max(
                (len(commonprefix([prompt, prefix])) // 4 for prefix in cached_prompts), default=0
            )
            cached = same // 128 * 128 if same >= 1024 else 0
            return total - cached, 0, cached, prompt
        content = request.body["messages"][0]["content"]
        if isinstance(content, str) or "cache_control" not in content[0]:
            return total, 0, 0, ""
        beginning = request.body["system"] + content[0]["text"]
        size = len(beginning) // 4
        if size < self.least:
            return total, 0, 0, ""
        if beginning in cached_prompts:
            return total - size, 0, size, beginning
        return total - size, size, 0, beginning
