"""Starts a command in the preloaded process; see `launched.py`. Imports next to nothing."""

import os
import signal
import socket
import sys


def main() -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    variables = [b"%s=%s" % pair for pair in os.environb.items()]
    arguments = map(os.fsencode, sys.argv[2:])
    number = str(len(variables)).encode()
    told = b"\0".join([os.fsencode(os.getcwd()), number, *variables, *arguments])
    socket.send_fds(connection, [len(told).to_bytes(4, "big")], [0, 1, 2])
    connection.sendall(told)
    # the command alone holds them now
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    pid = int.from_bytes(connection.recv(4), "big")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _: os.kill(pid, received))
    signal.signal(signal.SIGUSR1, lambda *_: os.kill(pid, signal.SIGKILL))
    status = int.from_bytes(connection.recv(4), "big", signed=True)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


main()
