"""The policies that a call may name, and those that it may send along."""

from workbench.errors import InvalidPolicy
from workbench.interfaces.http.responses import ApiError
from workbench.services.policies import (
    KEPT,
    Policy,
    builtin_policies,
    open_policy,
    policy_path,
    read_policy,
    saved_policies,
)
from workbench.settings import Settings


def named_policy(settings: Settings, name: str | None) -> Policy:
    """The policy of a name, else the settings' own, else the published defaults.

    Raises:
        Refusal: There is no policy of that name; a caller's name is never a path.
        InvalidPolicy, UnreadableInput: The policy cannot be used.
    """
    policy_name = name or settings.server.policy
    if not policy_name:
        return Policy()
    path = policy_path(policy_name, settings.data_dir)
    if path is not None:
        return open_policy(path)
    if name is None:
        return open_policy(policy_name)
    names = ", ".join([*builtin_policies(), *saved_policies(settings.data_dir)])
    raise ApiError("unknown_policy", f"There is no policy {name[:64]!r}; there are {names}.", 404)


def sent_policy(text: str) -> Policy:
    """A policy that came with a call: it gets no variable, and its resolver would be the caller's.

    Raises:
        Refusal: It names a resolver.
        InvalidPolicy: It holds mistakes, or names a variable.
    """
    try:
        policy = read_policy(text, {})
    except RecursionError:
        raise InvalidPolicy([(1, "the document is nested too deeply")]) from None
    if policy.resolver:
        raise ApiError(
            "invalid_policy",
            f"A policy in a request may not name a resolver: store it as a file in {KEPT} "
            "of the data directory and name it.",
            422,
        )
    return policy
