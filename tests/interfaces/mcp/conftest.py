"""Each tool is described once for all servers of these tests: that is most of what a server costs."""

import pytest

from workbench.interfaces.mcp import server


@pytest.fixture(scope="package", autouse=True)
def tools_are_described_once():
    describe, described = server._tool, {}

    def copied(method, *words):
        if method.__func__ not in described:
            described[method.__func__] = describe(method, *words)
        return described[method.__func__].model_copy(update={"fn": method})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "_tool", copied)
        yield
