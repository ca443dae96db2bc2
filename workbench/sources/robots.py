"""What a site's robots.txt asks of us; consulted only where the setting says so."""

from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

AGENT = "citation-workbench"
MAX_BYTES = 512 * 1024


def robots_address(url: str) -> str:
    """Where the site of an address keeps its robots.txt."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def allows(robots: bytes, url: str) -> bool:
    """Whether the rules let this program fetch the address."""
    rules = RobotFileParser()
    rules.parse(robots[:MAX_BYTES].decode("utf-8", "replace").splitlines())
    return rules.can_fetch(AGENT, url)
