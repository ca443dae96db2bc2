"""Named, forward-only migrations, one file each in `schema/`; a released one is never edited.

Texts that hold lone surrogates cannot be stored in a VARCHAR, so outputs are kept as their
`surrogatepass` bytes and records as ASCII-escaped JSON; the columns beside a record exist for
finding it. Verdicts and labels are only ever inserted: what is current is a view.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import NewerDatabase, StoreError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CHECKED: set[tuple[int, int]] = set()
"""Device and number of files that this process made or looked through for macros (10 ms each)."""


@cache
def read_migrations() -> tuple[tuple[str, str], ...]:
    """Name and SQL of every migration, in the order in which they are applied."""
    files = sorted(Path(__file__).with_name("schema").glob("m*.sql"))
    return tuple((file.stem, file.read_text("utf-8")) for file in files)


def migrate(connection: "DuckDBPyConnection", path: Path) -> None:
    """Bring an opened database to this version; does nothing where it is there already.

    Raises:
        NewerDatabase: The file holds a migration that this version does not know.
        StoreError: A macro in it takes the place of a function of DuckDB.
    """
    applied = _applied(connection)
    file = path.stat()
    if applied and (file.st_dev, file.st_ino) not in _CHECKED:
        _refuse_shadowing(connection, path)
    _CHECKED.add((file.st_dev, file.st_ino))
    unknown = applied - {name for name, _ in read_migrations()}
    if unknown:
        raise NewerDatabase(
            f"The database {path} was written by a later version of the workbench "
            f"({', '.join(sorted(unknown))}); update the workbench, or name another file with --db."
        )
    missing = [(name, statements) for name, statements in read_migrations() if name not in applied]
    if not missing:  # writes nothing, so that a file that is read-only can be read
        return
    connection.execute(
        "create table if not exists migrations (name varchar primary key, applied_at timestamptz)"
    )
    for name, statements in missing:
        connection.execute(statements)
        connection.execute("insert into migrations values (?, now())", [name])


def _refuse_shadowing(connection: "DuckDBPyConnection", path: Path) -> None:
    """Refuse a database in which queries would mean something else: `count` may be a macro."""
    functions = "select function_name from system.main.duckdb_functions() where"
    macros = connection.execute(f"{functions} not internal").fetchall()
    if macros:
        taken = {*macros} & {*connection.execute(f"{functions} internal").fetchall()}
        if taken:
            names = ", ".join(sorted(name for (name,) in taken)[:5])
            raise StoreError(
                f"The database {path} contains macros that replace functions of DuckDB ({names}), "
                "so queries would give wrong results: drop them, restore a backup that you made "
                "yourself, or name another file with --db."
            )


def _applied(connection: "DuckDBPyConnection") -> set[str]:
    """The names of the migrations that a database has; none of one that is new."""
    table_count = connection.execute(
        "select count(*) from duckdb_tables() where schema_name = 'main' and "
        "table_name = 'migrations'"
    ).fetchone()
    if not table_count or not table_count[0]:
        return set()
    return {name for (name,) in connection.execute("select name from migrations").fetchall()}
