"""The table of constants in docs/evidence.md names what the code has, where it has it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def constants_of(module):
    """Return the names that modules of this name assign at their top level."""
    names = set()
    for path in (ROOT / "src/qdtm").rglob(f"{module}.py"):
        for node in ast.parse(path.read_text()).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names |= {
                each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }
    return names


def listed_constants():
    """Yield module and constant of every row; without a module, a constant is in the one before it."""
    page = (ROOT / "docs/evidence.md").read_text()
    for row in page[page.index("## Constants") :].splitlines():
        module = ""
        for named, constant in re.findall(
            r"`(?:([a-z_]+)\.)?([A-Z_]+)`", row.removeprefix("| ").split(" | ")[0]
        ):
            module = named or module
            yield module, constant


def test_every_constant_of_the_table_is_in_its_module():
    listed = list(listed_constants())
    assert len(listed) > 50
    assert [(module, name) for module, name in listed if name not in constants_of(module)] == []
