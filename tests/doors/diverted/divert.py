"""Sends every connection of a process to a local web server, and logs what was requested.

Used in the tests' own process, and by `sitecustomize` in processes that tests start. It imports
nothing of the tests, since such a process begins with it.
"""

import ipaddress
import os
import socket
from collections.abc import Callable

PORT = "DOORS_WEB_PORT"
LOG = "DOORS_WEB_LOG"
UNSEEN = "DOORS_WEB_UNSEEN"
"""Names and addresses that exist nowhere and are not written down, separated by blanks."""
PUBLIC = "93.184.216.34"
"""What every name resolves to."""
NOWHERE = ".missing"
"""Names that end so do not exist."""


def divert(port: int, log: str) -> Callable[[], None]:
    """Diverts this process; the returned function ends the diversion.

    Every name resolves to one public address, and that address is the server at `port`; any other
    address that is not of this machine refuses. Names looked up and addresses connected to are
    appended to the file `log`, a line each, so that several processes can share it.
    """
    real_lookup, real_connect = socket.getaddrinfo, socket.socket.connect
    local_names = {"localhost", socket.gethostname()}
    hidden_lines = set(os.environ.get(UNSEEN, "").split())

    def log_line(line: str) -> None:
        if hidden_lines.intersection(line.split()):
            return
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(file, f"{line}\n".encode())
        finally:
            os.close(file)

    def getaddrinfo(host, place, *other_arguments, **more):
        name = host.decode() if isinstance(host, bytes) else host
        if not name or name in local_names or _is_address(name):
            return real_lookup(host, place, *other_arguments, **more)
        log_line(f"name {name}")
        if name.endswith(NOWHERE) or name in hidden_lines:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC, int(place or 0)))]

    def connect(self, address):
        if self.family not in (socket.AF_INET, socket.AF_INET6):
            return real_connect(self, address)
        host = ipaddress.ip_address(address[0].partition("%")[0])
        if host.is_loopback or host.is_unspecified:
            return real_connect(self, address)
        log_line(f"address {host} {address[1]}")
        if str(host) != PUBLIC:
            raise ConnectionRefusedError(111, "Connection refused")
        return real_connect(self, ("127.0.0.1", port))

    socket.getaddrinfo, socket.socket.connect = getaddrinfo, connect

    def undo() -> None:
        socket.getaddrinfo, socket.socket.connect = real_lookup, real_connect

    return undo


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
