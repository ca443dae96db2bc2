"""Ten thousand outputs through `batch`, killed by SIGKILL in the middle, and resumed.

    python tests/bench/bench_batch_kill.py [OUTPUTS] [local|model]

`model` (the default) asks a local server that speaks a provider's protocol and counts: a judgment
that was asked for twice is seen. `local` is the embedded judge. Ends with 1 where an output is
missing, finished twice, or judged twice beyond the calls that were under way at the kill. Printed
are seconds, outputs a second, the highest memory of each pass and that of a batch of a tenth, whose
ratio says whether memory grows with the number of outputs.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.fakes.providers import Answer, FakeProvider, verdict  # noqa: E402

AT_ONCE = 8


def output(number):
    url = f"https://bridge.example/{number}"
    return json.dumps(
        {
            "text": f"Bridge {number} is {number + 100} metres long [1].\n\n"
            f"## References\n[1] {url}\n",
            "sources": [{"url": url, "content": f"Bridge {number} is {number + 100} metres long."}],
        }
    )


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def one_pass(command, environment, until, done):
    """Seconds, highest memory in MiB, whether it was killed when `done()` reached `until`, output.

    The system counts the memory: sampling could miss its peak.
    """
    started, killed = time.perf_counter(), False
    with tempfile.TemporaryFile() as output:
        batch = subprocess.Popen(
            command, env=environment, cwd=PROJECT, stdout=output, stderr=subprocess.DEVNULL
        )
        while True:
            pid, status, used = os.wait4(batch.pid, os.WNOHANG)
            if pid:
                break
            if until is not None and not killed and done() >= until:
                os.kill(batch.pid, signal.SIGKILL)
                killed = True
            time.sleep(0.02)
        batch.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return time.perf_counter() - started, used.ru_maxrss / 1024, killed, output.read()


def main(many, judge):
    requests_by_bridge = Counter()

    def reply(request):
        requests_by_bridge[re.search(r"Bridge (\d+) is", request.prompt)[1]] += 1
        return Answer(text=verdict("not_supported"))

    with tempfile.TemporaryDirectory() as folder, FakeProvider(reply) as provider:
        place = Path(folder)
        environment = {
            **os.environ, "OPENAI_API_KEY": "not-a-key", "OPENAI_BASE_URL": f"{provider.url}/v1",
            "WORKBENCH_DATA": str(place / "data"),
        }  # fmt: skip
        spec = "openai:gpt-4o-mini" if judge == "model" else "local"

        def batch(name, number, *more):
            path = place / f"{name}.jsonl"
            if not path.exists():
                path.write_text("".join(output(n) + "\n" for n in range(number)))
            return [
                sys.executable, "-m", "workbench", "batch", str(path), "--out", str(place / name),
                "--judge", spec, "--at-once", str(AT_ONCE), "--json", *more,
            ]  # fmt: skip

        small = one_pass(batch("small", many // 10), environment, None, None)
        requests_by_bridge.clear()
        runs = place / "whole" / "runs.jsonl"
        first = one_pass(batch("whole", many), environment, many // 2, lambda: lines(runs))
        lines_before = lines(runs)
        second = one_pass(batch("whole", many, "--resume"), environment, None, None)
        summary = json.loads(second[3])
        inputs = Counter()
        with runs.open() as file:
            for line in file:
                inputs[json.loads(line)["input"]] += 1
    judged_twice = sum(number - 1 for number in requests_by_bridge.values())
    faults = []
    if not first[2]:
        faults.append("the first pass came to its end before the kill")
    if len(inputs) != many or summary["done"] != many:
        faults.append(f"{many - len(inputs)} outputs are missing")
    if max(inputs.values()) > 1:
        faults.append(f"{sum(n - 1 for n in inputs.values())} outputs were finished twice")
    if judge == "model" and len(requests_by_bridge) != many:
        faults.append(f"{many - len(requests_by_bridge)} outputs were never judged")
    if judged_twice > AT_ONCE:
        faults.append(
            f"{judged_twice} judgments were asked for twice, {AT_ONCE} calls at most under way"
        )
    print(f"judge: {judge}; outputs: {many:,}, killed after {lines_before:,}")
    for name, number, (seconds, most, _, _) in (
        (f"a batch of {many // 10:,}", many // 10, small),
        ("first pass", lines_before, first),
        ("second pass", many - lines_before, second),
    ):
        rate = number / seconds
        print(f"{name:<20}{seconds:8.1f} s {rate:7.1f} outputs/s {most:8.0f} MiB at most")
    print(f"memory, the whole against a tenth: {max(first[1], second[1]) / small[1]:.2f}")
    print(f"judged twice: {judged_twice} (calls under way at the kill: at most {AT_ONCE})")
    print("; ".join(faults) or "nothing was lost, finished twice, or judged twice")
    return 1 if faults else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    number = next((int(argument) for argument in arguments if argument.isdecimal()), 10_000)
    sys.exit(main(number, "local" if "local" in arguments else "model"))
