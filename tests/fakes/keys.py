"""Keys as eight services make them, none of them real, and a search for them in anything."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import duckdb

from workbench.store.connection import exclusive_access

KEYS = {
    "anthropic": "sk-ant-api03-Tq8ZxWv2LmN4pR6sU1yB3dF5gH7jK9aC0eG-AA",
    "openai": "sk-proj-9fK2mQ7xT4vB8nL1sD6wY3zR5cJ0hG_pE-uAaXiO",
    "azure": "3f8a1c5e7b9d2046f1e3a5c7d9b80246",
    "groq": "gsk_V5nT8yQ2wE4rU6iO1pA3sD7fG9hJ0kL2zX4cB6vN",
    "google": "AIzaSyD4f7Gh2Jk9Lm3Np6Qr8St1Uv5Wx0Yz2Ab4",
    "xai": "xai-K7mP2qR9tV4wX1yZ6aB3cD8eF5gH0jL2nM4oQ7sU",
    "resolver": "Rz7/Qm2+Xv9=Lk4&Tn6 Wp1",
    "custom": "plum/Harbour+Violin=42%9&dusk",
}
"""By the service that would make such a key; two hold letters that are encoded in addresses."""


def echoes(key: str) -> dict[str, str]:
    """The ways in which others quote a key, by name."""
    return {
        "raw": key,
        "percent": quote(key, safe=""),
        "plus": quote_plus(key),
        "json": json.dumps(key)[1:-1],
        "basic": base64.b64encode(f"user:{key}".encode()).decode(),
    }


def found_in(text: str | bytes, keys: list[str]) -> list[str]:
    """Which ways of quoting which of the keys a text holds."""
    body = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return [
        f"{key}: {name}"
        for key in keys
        for name, form in echoes(key).items()
        if form.encode() in body
    ]


def pieces(path: Path, body: bytes) -> Iterator[tuple[str, bytes]]:
    """A file's bytes, and what is packed in them: members of archives, tables of databases."""
    yield str(path), body
    if zipfile.is_zipfile(io.BytesIO(body)):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for member in archive.namelist():
                member_path = path.parent / f".{path.name}-{Path(member).name}"
                yield from _written(member_path, archive.read(member))
    elif path.suffix == ".duckdb":
        with exclusive_access(path), duckdb.connect(str(path), read_only=True) as connection:
            names = connection.execute("select table_name from duckdb_tables()").fetchall()
            for (table,) in names:
                rows = connection.execute(f'select * from "{table}"').fetchall()
                yield f"{path}: {table}", repr(rows).encode("utf-8", "surrogatepass")
                blobs = [cell for row in rows for cell in row if isinstance(cell, bytes)]
                yield f"{path}: {table}", b"\n".join(blobs)
    elif path.suffix == ".parquet":
        yield f"{path}: rows", repr(duckdb.read_parquet(str(path)).fetchall()).encode()


def _written(path: Path, body: bytes) -> Iterator[tuple[str, bytes]]:
    """The pieces of a member; a database must be written to disk before it can be read."""
    path.write_bytes(body)
    try:
        yield from pieces(path, body)
    finally:
        path.unlink()


def keys_in_files(folder: Path, keys: list[str]) -> list[str]:
    """Where below a folder a key stands, and how it is quoted there."""
    return [
        f"{name}: {key_name}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for name, piece in pieces(path, path.read_bytes())
        for key_name in found_in(piece, keys)
    ]
