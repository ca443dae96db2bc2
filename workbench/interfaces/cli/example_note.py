"""The note on stderr under figures that are made of the example workspace."""

from workbench.interfaces.cli.terminal import say
from workbench.services.database import Database
from workbench.services.examples import example_contents

NOTE = (
    "workbench: these figures use only the example workspace, until you add your first label "
    "(`workbench demo --remove` deletes it)"
)


def say_if_examples(database: Database) -> None:
    """Say on stderr that figures are made of examples, where they are.

    Raises:
        StoreError: The database cannot be used.
    """
    if example_contents(database).counted:
        say(NOTE)
