"""The rules of the code, read from it as a tree: who may import whom, what must be said and what must not."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "twobone_addon"
MODULES = sorted((ROOT / PACKAGE).rglob("*.py"))
LAYERS = (("solver",), ("rig",), ("ops", "cli"), ("ui",))
"""Each may import those before it, and nothing that stands beside it."""

SCRIPTS = ROOT / "scripts"
BOOTSTRAP = [*sorted((SCRIPTS / "environment").glob("*.py")),
             *(path for path in sorted(SCRIPTS.glob("*.py"))
               if "environment.enter(" in path.read_text(encoding="utf-8"))]
NAMES = [str(path.relative_to(ROOT)) for path in MODULES]


def imports(source, module):
    """(line, absolute dotted name, is relative) of every import in the file of `module` in the package."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, False) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*module.split(".")[:-node.level], *filter(None, [node.module])])
            found += [(node.lineno, f"{base}.{alias.name}", bool(node.level)) for alias in node.names]
    return found


def dotted(path):
    """The module's name; a package's is its __init__, so that one dot goes as far as in any other module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def outside_solver(source, module):
    """Imports that the solver may not have: anything but itself, numpy and the standard library."""
    allowed = {"numpy", *sys.stdlib_module_names}
    return [(line, name) for line, name, relative in imports(source, module)
            if (not name.startswith(f"{PACKAGE}.solver") if relative else name.split(".")[0] not in allowed)]


def against_the_layers(source, module):
    """Imports from a layer above the module's own or beside it."""
    layer = module.split(".")[1]
    level = next((level for level, names in enumerate(LAYERS) if layer in names), len(LAYERS))
    above = {name for names in LAYERS[level:] for name in names} - {layer}
    return [(line, name) for line, name, _relative in imports(source, module)
            if name.split(".")[0] == PACKAGE and name.split(".")[1] in above]


def by_full_name(source, module):
    """Imports of the package by its name, which is another one once it is installed."""
    return [(line, name) for line, name, relative in imports(source, module)
            if not relative and name.split(".")[0] == PACKAGE]


def bad_operators(source, _module=""):
    """Operators without a label or a description, or with a description that ends with a full stop."""
    bad = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and any(ast.unparse(b).endswith("Operator") for b in node.bases):
            assigned = [statement for statement in node.body if isinstance(statement, ast.Assign)]
            values = {target.id: statement.value for statement in assigned
                      for target in statement.targets if isinstance(target, ast.Name)}
            text = values.get("bl_description")
            description = ast.literal_eval(text) if text is not None else ast.get_docstring(node)
            dynamic = any(isinstance(statement, ast.FunctionDef) and statement.name == "description"
                          for statement in node.body)
            if "bl_idname" in values and ("bl_label" not in values or not (description or dynamic)
                                          or (description or "").endswith(".")):
                bad.append((node.lineno, node.name))
    return bad


def of_a_machine(source, _module=""):
    """Lines with a path of one machine, or the address of a package registry."""
    # Put together here so that this file does not hold what it looks for.
    folders = "|".join(["/wo" + "rk/", "/ro" + "ot/", "/ho" + r"me/\w", r"[A-Z]:\\Us" + "ers"])
    hosts = "|".join(["py" + r"pi\.org", "python" + r"hosted\.org", "np" + r"mjs\.org", "deb" + r"ian\.org"])
    return [line for line in source.splitlines() if re.search(rf"(?<![\w.~/])({folders})|{hosts}", line)]


@pytest.mark.parametrize("path", sorted((ROOT / PACKAGE / "solver").glob("*.py")), ids=lambda path: path.name)
def test_solver_knows_only_numpy(path):
    assert outside_solver(path.read_text(encoding="utf-8"), dotted(path)) == []


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_imports_point_one_way(path):
    assert against_the_layers(path.read_text(encoding="utf-8"), dotted(path)) == []


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_package_imports_itself_relatively(path):
    assert by_full_name(path.read_text(encoding="utf-8"), dotted(path)) == []


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_operators_say_what_they_do(path):
    assert bad_operators(path.read_text(encoding="utf-8")) == []


def test_there_are_operators_to_look_at():
    ops = (ROOT / PACKAGE / "ops").glob("*.py")
    assert any("Operator)" in path.read_text(encoding="utf-8") for path in ops)


@pytest.mark.parametrize(("rule", "module", "source"), [
    (outside_solver, "twobone_addon.solver.planar", "import bpy"),
    (outside_solver, "twobone_addon.solver.planar", "from mathutils import Vector"),
    (outside_solver, "twobone_addon.solver.planar", "def f():\n    import gpu.types"),
    (outside_solver, "twobone_addon.solver.planar", "from bl_math import lerp"),
    (outside_solver, "twobone_addon.solver.planar", "from ..rig import limb"),
    (outside_solver, "twobone_addon.solver.__init__", "from .. import rig"),
    (against_the_layers, "twobone_addon.rig.limb", "from ..ops import limbs"),
    (against_the_layers, "twobone_addon.rig.__init__", "from .. import solver, ui"),
    (against_the_layers, "twobone_addon.solver.planar", "from ..rig.limb import Limb"),
    (against_the_layers, "twobone_addon.ops.limbs", "def f():\n    from ..ui import panel"),
    (against_the_layers, "twobone_addon.cli.main", "from ..ops import limbs"),
    (against_the_layers, "twobone_addon.rig.limb", "from .. import cli"),
    (by_full_name, "twobone_addon.rig.limb", "from twobone_addon import solver"),
    (by_full_name, "twobone_addon.rig.limb", "import twobone_addon.solver"),
    (bad_operators, "", "class A(bpy.types.Operator):\n    bl_idname = 'a.a'\n    bl_label = 'A'"),
    (bad_operators, "", "class A(Operator):\n    'Add it.'\n    bl_idname = 'a.a'\n    bl_label = 'A'"),
    (bad_operators, "", "class A(Operator):\n    'Add it'\n    bl_idname = 'a.a'"),
    (of_a_machine, "", "open('/wo" + "rk/main/x')"),
    (of_a_machine, "", "cd /ro" + "ot/.cache"),
    (of_a_machine, "", "see https://py" + "pi.org/project/x"),
])
def test_each_rule_finds_its_breach(rule, module, source):
    assert rule(source, module)


@pytest.mark.parametrize(("rule", "module", "source"), [
    (outside_solver, "twobone_addon.solver.planar", "import math\nimport numpy\nfrom .triangle import reach"),
    (outside_solver, "twobone_addon.solver.__init__", "from .planar import solve_planar"),
    (against_the_layers, "twobone_addon.ui.panel", "from ..rig import limbs\nfrom ..ops import limbs"),
    (against_the_layers, "twobone_addon.registration", "from . import ops, ui"),
    (bad_operators, "", "class A(Operator):\n    'Add it'\n    bl_idname = 'a.a'\n    bl_label = 'A'"),
    (of_a_machine, "", "docs/wo" + "rk/plan.md, from PyPI, under ~/.cache"),
    (bad_operators, "", "class Shared(Operator):\n    'Has no name of its own.'"),
])
def test_each_rule_lets_right_code_pass(rule, module, source):
    assert rule(source, module) == []


@pytest.mark.parametrize("module", ["twobone_addon", "twobone_addon.solver"])
def test_imports_without_blender(module):
    code = f"import sys; sys.modules.update(bpy=None, mathutils=None, gpu=None); import {module}"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_nothing_tells_of_this_machine():
    found = [(path, line) for path in tracked() for line in of_a_machine(text(ROOT / path))]
    assert found == []


@pytest.mark.parametrize("path", BOOTSTRAP, ids=lambda path: path.name)
def test_any_python_can_read_what_looks_for_the_right_one(path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))


def tracked():
    """All files of the repository; in a copy without git, all that a script did not make."""
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout
    except OSError:
        listed = ""
    made = {".venv", "build", "dist", "__pycache__", ".hypothesis",
            ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    return listed.splitlines() or [path.relative_to(ROOT) for path in ROOT.rglob("*")
                                   if path.is_file() and not made & set(path.relative_to(ROOT).parts)]


def text(path):
    """The text of a file; pictures and other data count as having none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
