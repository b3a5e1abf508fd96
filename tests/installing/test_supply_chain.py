"""What a plain install brings along: few packages, lower bounds for all, licences that let anybody use it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TABLE = (ROOT / "docs" / "reliability.md").read_text("utf-8")
PERMISSIVE = re.compile(r"MIT|BSD|Apache|PSF|Zlib|ISC|CC0|0BSD|LGPL|Python Software")


def name_of(requirement: str) -> str:
    """Return the name in a requirement, as package indexes write it."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def installed_with(names: list[str]) -> dict[str, metadata.Distribution]:
    """Return these packages and all that they need here."""
    found: dict[str, metadata.Distribution] = {}
    while names:
        name = names.pop()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system, or another version of Python
            continue
        names += [name_of(each) for each in found[name].requires or () if ";" not in each]
    return found


def licence_of(package: metadata.Distribution) -> str:
    """Return what a package says of its licence, in a few words."""
    about = package.metadata
    classified = [each for each in about.get_all("Classifier", []) if each.startswith("License ::")]
    return " ".join([about.get("License-Expression", ""), *classified, about.get("License", "")[:100]])


def test_every_dependency_has_a_lower_bound_and_no_upper_one() -> None:
    for requirement in PROJECT["dependencies"]:
        assert re.fullmatch(r"[A-Za-z0-9._-]+>=[0-9.]+(; python_version < '[0-9.]+')?", requirement), (
            requirement
        )


def test_the_core_forbids_no_use_and_the_table_names_it() -> None:
    packages = installed_with([name_of(each) for each in PROJECT["dependencies"]])
    assert len(packages) > 10
    for name, package in packages.items():
        licence = licence_of(package)
        assert PERMISSIVE.search(licence), f"{name}: {licence}"
        assert not re.search(
            r"non-?commercial|AGPL|CC-BY-NC|(?<!L)GPL(?!-2.1)", licence.replace("LGPL", "L")
        ), name
        assert f"| {name} |" in TABLE, f"{name} is not in the table of docs/reliability.md"


@pytest.mark.slow
def test_the_same_wheel_and_source_twice(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    hashes = []
    for zone, folder in (("UTC", tmp_path / "first"), ("Asia/Kathmandu", tmp_path / "second")):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)],
            cwd=ROOT, check=True, capture_output=True,
            env=os.environ | {"TZ": zone, "SOURCE_DATE_EPOCH": "1700000000"},
        )  # fmt: skip
        hashes.append({path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()})
    assert hashes[0] == hashes[1]
    assert len(hashes[0]) == 2
