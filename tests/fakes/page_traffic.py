"""The traffic between a Streamlit page and its server, and when none is pending."""

import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ANSWER_S = 1.0
"""A request that the server has joined to another one gets no run of its own: so long is waited."""
PATIENCE_S = 90.0
DRAWN = """() => new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const app = document.querySelector("[data-testid=stApp]")
  const deep = [...document.querySelectorAll(".st-key-browser-name *")]
    .map((node) => node.shadowRoot ?? node)
  told(
    app?.dataset.testScriptState === "notRunning" &&
    !document.querySelector("[data-testid=stSkeleton], [data-stale=true]") &&
    deep.some((root) => root.querySelector(".name[data-ready]")) ||
    document.querySelector("[data-testid=stException]")?.textContent
  )
})))"""
"""Whether the page shows what its last run drew, and has told the name that the browser keeps.

The words of an error where it shows one.
"""
TWICE = "Drawn twice: "
WATCH = f"""() => {{
  const told = new Set()
  const look = (node) => {{
    for (const key of node.classList) {{
      if (!key.startsWith("st-key-") || told.has(key)) continue
      if (document.getElementsByClassName(key).length < 2) continue
      told.add(key)
      console.debug(`{TWICE}${{key}} at ${{location.pathname}}`)
    }}
  }}
  new MutationObserver((changes) => {{
    for (const {{ target, type, addedNodes }} of changes) {{
      if (type === "attributes") look(target)
      for (const node of addedNodes) {{
        if (node.nodeType !== Node.ELEMENT_NODE) continue
        look(node)
        node.querySelectorAll("[class*=st-key-]").forEach(look)
      }}
    }}
  }}).observe(document, {{ childList: true, subtree: true, attributeFilter: ["class"] }})
}}"""
"""Tells on the console of each keyed element that stands in the page twice, even for a moment."""


class Traffic:
    """The runs of a page's script that were requested, are in progress, and have ended."""

    def __init__(self, page):
        self._page = page
        self._heard = 0.0
        self.forget()
        page.on("websocket", self._opened)

    def forget(self):
        """Wait for a run of the next document, not of this one."""
        self._asked = []
        """Of each run that was asked for and has not begun: whether the page's clock asked."""
        self._running, self._by_clock = False, False
        self._ended = 0

    def wait_until_idle(self):
        """Wait until every run that was asked for has ended and the page shows what it drew.

        A click asks for its run before the browser tells that it was clicked, so this needs no
        pause; how long a run takes is the machine's business. What a part that goes on asks for
        by the clock does not count: it never ends.
        """
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            # a question to the page brings in what happened until now
            self._page.evaluate("0")
            by_clock = self._running and self._by_clock
            # each look at what is drawn has the page painted: not while its run goes on
            if by_clock or self._idle():
                is_drawn = self._page.evaluate(DRAWN)
                assert not isinstance(is_drawn, str), f"The page shows an error: {is_drawn}"
                if self._idle() and (is_drawn or (self._running and self._by_clock)):
                    return
            self._page.wait_for_timeout(100)
        raise AssertionError(f"The page was not idle within {PATIENCE_S:.0f} s: {vars(self)}")

    def _idle(self):
        if (self._running and not self._by_clock) or not self._ended:
            return False
        return all(self._asked) or time.monotonic() - self._heard > ANSWER_S

    def _opened(self, socket):
        if "_stcore/stream" in socket.url:
            self.forget()
            socket.on("framesent", self._sent)
            socket.on("framereceived", self._received)

    def _sent(self, frame):
        if not isinstance(frame, bytes):
            return
        message = BackMsg.FromString(frame)
        if message.HasField("rerun_script"):
            self._asked.append(message.rerun_script.is_auto_rerun)
            self._heard = time.monotonic()

    def _received(self, frame):
        if not isinstance(frame, bytes):
            return
        self._heard = time.monotonic()
        message = ForwardMsg.FromString(frame)
        if message.HasField("new_session"):
            # one that was not requested is a rerun by the script itself
            self._by_clock = self._asked.pop(0) if self._asked else False
            self._running = True
        elif message.HasField("script_finished"):
            # one that made way for another run is followed by it
            self._running = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            self._ended += 1
