"""Templates of written reports: every value is escaped unless it is markup."""

from functools import cache
from typing import TYPE_CHECKING

from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, **values: object) -> str:
    """A template of `presentation/templates` filled with values; undefined names are errors."""
    return _environment().get_template(template).render(values)


def macro(template: str, name: str, *arguments: object) -> str:
    """The output of a template's macro for its arguments.

    A plain `str`: in a sum with other HTML, jinja's own type would escape what stands beside it.
    """
    return str(getattr(_environment().get_template(template).module, name)(*arguments))


def markup(html: str) -> "Markup":
    """Safe HTML: our own, or escaped text."""
    from markupsafe import Markup

    return Markup(html)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def printable(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, Markup):
            return replace_surrogates(value)
        return value

    return Environment(
        loader=PackageLoader("workbench.presentation"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
