"""What stands about the project in more than one file says the same everywhere."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import qdtm
from qdtm.cli.main import cli
from qdtm.errors import ParameterError

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


# --- version and citation -----------------------------------------------------------------------------------


def test_the_version_stands_in_one_place() -> None:
    assert "version" not in PROJECT
    assert version("qdtm") == qdtm.__version__


def test_the_change_log_has_this_version() -> None:
    headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), flags=re.MULTILINE)
    assert headings[0].startswith(("[Unreleased]", f"[{qdtm.__version__}]"))
    assert qdtm.__version__ in headings[0]


def test_the_citation_has_this_version_and_the_paper() -> None:
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == qdtm.__version__
    assert citation["license"] == PROJECT["license"]
    paper = citation["preferred-citation"]
    assert paper["title"] == "A Query-Driven Topic Model"
    assert [author["family-names"] for author in paper["authors"]] == ["Fang", "He", "Procter"]


@pytest.mark.docs
def test_the_citation_is_valid() -> None:
    cffconvert = pytest.importorskip("cffconvert", reason="needs the extra 'docs'")
    cffconvert.Citation(text_of("CITATION.cff")).validate()


# --- the container ------------------------------------------------------------------------------------------


def instructions(name: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile, continued lines joined."""
    lines = [line for line in text_of("Dockerfile").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    found = [tuple(line.split(maxsplit=1)) for line in joined.splitlines() if line]
    return [(word, rest) for word, rest in found if word == name]


def app_options() -> dict[str, Any]:
    """Return what `qdtm app` makes of the container's command."""
    [(_, command)] = instructions("CMD")
    program, name, *arguments = json.loads(command)
    assert (program, name) == ("qdtm", "app")
    return cli.commands["app"].make_context("app", arguments).params


def test_the_container_runs_the_app_as_nobody_special() -> None:
    assert [rest for _, rest in instructions("USER")] == ["qdtm"]
    options = app_options()
    assert options["no_browser"]
    assert [rest for _, rest in instructions("EXPOSE")] == [str(options["port"])]
    assert [json.loads(rest) for _, rest in instructions("VOLUME")] == [[options["workspace"]]]


def test_the_container_lets_nobody_in_without_a_token(tmp_path: Path) -> None:
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    from qdtm.app.server import ServerOptions, access_policy

    options = app_options()
    assert options["token"] is None  # it comes from whoever starts it
    with pytest.raises(ParameterError, match="token"):
        access_policy(ServerOptions(tmp_path, options["host"], options["port"]))
    policy = access_policy(ServerOptions(tmp_path, options["host"], options["port"], "something long"))
    assert policy.allows_host("localhost:8650")
    assert not policy.allows_host("elsewhere.example:8650")


def test_the_container_copies_only_what_is_not_ignored() -> None:
    kept = {line[1:] for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    copied = {name for _, rest in instructions("COPY") if "--from" not in rest for name in rest.split()[:-1]}
    assert copied == kept
    assert [name for name in kept if not (ROOT / name).exists()] == []
    extras = re.findall(r'"\.\[(.*?)\]"', "".join(rest for _, rest in instructions("RUN")))
    assert set(",".join(extras).split(",")) <= set(PROJECT["optional-dependencies"])


# --- what runs on every change ------------------------------------------------------------------------------


def test_the_workflow_tries_every_python_on_every_system_and_may_write_nothing() -> None:
    workflow = yaml.safe_load(text_of(".github/workflows/ci.yml"))
    assert workflow["permissions"] == {"contents": "read"}
    matrix = workflow["jobs"]["tests"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    classified = {each.rsplit(" ", 1)[1] for each in PROJECT["classifiers"] if "Python :: 3." in each}
    assert classified <= set(matrix["python"])
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]) for step in steps if "uses" in step)
    extras = re.findall(r"\.\[(.*?)\]", " ".join(step.get("run", "") for step in steps))
    assert extras
    assert set(",".join(extras).split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_hooks_before_a_commit_fetch_nothing() -> None:
    hooks = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    assert [hook["id"] for hook in hooks[0]["hooks"]] == ["ruff", "ruff-format", "mypy"]
    assert {hook["language"] for hook in hooks[0]["hooks"]} == {"system"}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", text_of(name))
    assert links
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / link).exists()] == []
