"""Settings: what is read, what wins, what is refused."""

from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.settings import load_settings, split_domains


def test_the_environment_names_the_data_directory(tmp_path):
    settings = load_settings({"WORKBENCH_DATA": str(tmp_path)})
    assert settings.database == tmp_path / "workbench.duckdb"
    assert not settings.allow_fetch
    assert settings.allowed_domains == ()


def test_without_a_name_it_is_the_users_directory():
    assert load_settings({}).data_dir.is_relative_to(Path.home())


def test_the_environment_wins_over_the_file(tmp_path):
    (tmp_path / "settings.toml").write_text('allow_fetch = true\nallowed_domains = ["a.example"]\n')
    settings = load_settings({"WORKBENCH_DATA": str(tmp_path)})
    assert (settings.allow_fetch, settings.allowed_domains) == (True, ("a.example",))
    settings_from_environment = load_settings(
        {
            "WORKBENCH_DATA": str(tmp_path),
            "WORKBENCH_ALLOW_FETCH": "0",
            "WORKBENCH_ALLOWED_DOMAINS": "b.example, c.example",
        }
    )
    assert (settings_from_environment.allow_fetch, settings_from_environment.allowed_domains) == (
        False,
        ("b.example", "c.example"),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("allow_fetch =", "not valid TOML"),
        ("alow_fetch = true", "unknown key alow_fetch"),
        ('allow_fetch = "yes"', "true or false"),
        ('allowed_domains = "a.example"', "list of strings"),
        ("max_age_days = -1", "number of at least 0"),
        ("robots = 1", "true or false"),
        ("[services]\ndoi = 1", "table of strings"),
        ("contact = 1", "contact in .* must be a string"),
        ('indexes = "doi"', "list of strings"),
        ("[index_keys]\nopenalex = 1", "table of strings"),
    ],
)
def test_a_wrong_file_gets_a_sentence(tmp_path, content, message):
    (tmp_path / "settings.toml").write_text(content)
    with pytest.raises(UsageError, match=message):
        load_settings({"WORKBENCH_DATA": str(tmp_path)})


def test_domains_are_split_at_commas_and_blanks():
    assert split_domains(" a.example,b.example  c.example,, ") == (
        "a.example",
        "b.example",
        "c.example",
    )


def test_the_file_says_where_sources_may_be_looked_for(tmp_path):
    (tmp_path / "settings.toml").write_text(
        'roots = ["/data/papers"]\narchive = true\nmax_age_days = 30\n'
        '[services]\ndoi = "http://127.0.0.1:9000"\n'
    )
    reach = load_settings({"WORKBENCH_DATA": str(tmp_path)}).reach
    assert reach.roots == ("/data/papers",)
    assert (reach.archive, reach.robots, reach.max_age_days) == (True, False, 30)
    assert reach.services == {"doi": "http://127.0.0.1:9000"}


def test_the_file_says_which_indexes_are_asked_and_where_their_keys_are(tmp_path):
    (tmp_path / "settings.toml").write_text(
        'contact = "library@example.edu"\nindexes = ["doi", "dblp"]\n'
        '[index_keys]\nopenalex = "openalex.key"\npubmed = "/etc/keys/pubmed"\n'
    )
    settings = load_settings({"WORKBENCH_DATA": str(tmp_path)})
    assert (settings.contact, settings.indexes) == ("library@example.edu", ("doi", "dblp"))
    assert settings.index_keys == {
        "openalex": str(tmp_path / "openalex.key"),
        "pubmed": "/etc/keys/pubmed",
    }
