"""The note on stderr under figures that use only the example workspace."""

from workbench.interfaces.cli.terminal import say
from workbench.services.database import Database
from workbench.services.examples import example_contents

NOTE = (
    "workbench: these figures use only the example workspace, until you add your first label "
    "(`workbench demo --remove` deletes it)"
)


def say_if_examples(database: Database) -> bool:
    """Note on stderr that figures use only examples, if they do; whether they do.

    Raises:
        StoreError: The database cannot be used.
    """
    counted = example_contents(database).counted
    if counted:
        say(NOTE)
    return counted
