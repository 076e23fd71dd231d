"""Finds, in the code as a tree, every text that people read, and every text that would never be translated.

What Blender itself knows of registered properties is asked of Blender elsewhere; here no Blender is needed.
"""

import ast
import runpy
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "twobone_addon"
TABLES = PACKAGE / "ui" / "translations"
LANGUAGES = sorted(path.stem for path in TABLES.glob("*.py") if path.stem != "__init__")
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "solver" not in path.parts and TABLES not in path.parents)

OPERATOR, DEFAULT = "Operator", "*"
"""Blender's contexts for the labels of operators and for everything else."""

SPOKEN = {"report": 1, "poll_message_set": 0, "Refusal": 0, "Trouble": 0}
"""Functions that show a text as it is, and the place of it."""

SHOWN = ("text", "heading", "title")
"""Keywords whose text Blender translates by itself."""

DESCRIBED = ("Operator", "Panel", "Menu", "UIList")


@dataclass
class Texts:
    """What was found: (context, text) pairs, templates among them, and (line, what is wrong) pairs."""

    found: set = field(default_factory=set)
    templates: set = field(default_factory=set)
    wrong: list = field(default_factory=list)

    def add(self, other):
        self.found |= other.found
        self.templates |= other.templates
        self.wrong += other.wrong
        return self


def table(language):
    """(context, English) to translation."""
    stored = runpy.run_path(str(TABLES / f"{language}.py"))
    return {**{(OPERATOR, text): told for text, told in stored["LABELS_OF_OPERATORS"].items()},
            **{(DEFAULT, text): told for text, told in stored["TEXTS"].items()}}


@dataclass(frozen=True)
class Forwarder:
    """A function that hands one of its arguments to say as the template: its place, and the fields that are filled in."""

    place: int
    fields: frozenset


def texts_of(source):
    """The texts of one file."""
    texts = Texts()
    tree = parsed(source)
    forwarders = {**FORWARDERS, **forwarders_of(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            _class_texts(node, texts)
        elif isinstance(node, ast.Call):
            _call_texts(node, texts, forwarders)
    return texts


def parsed(source):
    """The code as a tree whose nodes know their parents."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node
    return tree


def forwarders_of(tree):
    """Functions of the file that take a template, by name."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) == "say" and node.args and isinstance(node.args[0], ast.Name):
            function = _function(node)
            parameters = function.args.args if function else ()
            names = [parameter.arg for parameter in parameters if parameter.arg not in ("self", "cls")]
            if node.args[0].id in names:
                found[function.name] = Forwarder(names.index(node.args[0].id),
                                                 frozenset(keyword.arg for keyword in node.keywords))
    return found


def fields(template):
    """Names of the fields of a template, each as often as it occurs."""
    return sorted(name for _literal, name, _spec, _conversion in Formatter().parse(template) if name is not None)


def slots(template):
    """Fields of a template with the way each is formatted, in no order."""
    return sorted((name, spec) for _literal, name, spec, _conversion in Formatter().parse(template) if name is not None)


def literals(node):
    """The texts that an expression can be, None where it can be anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        branches = [literals(node.body), literals(node.orelse)]
        return None if None in branches else [text for branch in branches for text in branch]
    return None


def _class_texts(node, texts):
    kinds = [ast.unparse(base).split(".")[-1] for base in node.bases]
    values = {target.id: statement.value for statement in node.body if isinstance(statement, ast.Assign)
              for target in statement.targets if isinstance(target, ast.Name)}
    kind = next((kind for kind in kinds if kind in DESCRIBED), None)
    if kind is None or "bl_idname" not in values:
        return
    for text in literals(values.get("bl_label")) or ():
        texts.found.add((OPERATOR if kind == "Operator" else DEFAULT, text))
    described = literals(values["bl_description"]) if "bl_description" in values else [ast.get_docstring(node)]
    texts.found |= {(DEFAULT, text) for text in described if text}


def _name(node):
    """What is called: a function, or a method of the class itself."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _function(node):
    """The function around a node."""
    while node is not None and not isinstance(node, ast.FunctionDef):
        node = getattr(node, "parent", None)
    return node


def _call_texts(node, texts, forwarders):
    name = _name(node)
    of_others = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in ("self", "cls")
    if name == "say":
        _template(node, 0, {keyword.arg for keyword in node.keywords}, texts)
    elif name in forwarders and not of_others:
        _template(node, forwarders[name].place, forwarders[name].fields, texts)
    if name in SPOKEN and len(node.args) > SPOKEN[name]:
        spoken = node.args[SPOKEN[name]]
        if isinstance(spoken, (ast.JoinedStr, ast.BinOp)) or literals(spoken) not in (None, [""]):
            texts.wrong.append((node.lineno, f"{name} without say"))
    for keyword in node.keywords:
        if keyword.arg in SHOWN and name != "say":
            _shown(node, name, keyword, texts)


def _template(node, place, given, texts):
    if len(node.args) <= place:
        return
    told = literals(node.args[place])
    if told is None or len(told) > 1:
        if not _forwards_template(node, node.args[place]):
            texts.wrong.append((node.lineno, "say without a literal template"))
        return
    (template,) = told
    texts.found.add((DEFAULT, template))
    texts.templates.add(template)
    if None not in given and set(given) != set(fields(template)):
        texts.wrong.append((node.lineno, f"the fields of {template!r} are not its values {sorted(given)}"))


def _forwards_template(node, value):
    """Whether the template is that of a sentence said before, or one that the callers of the function give."""
    if isinstance(value, ast.Attribute):
        return value.attr == "template"
    function = _function(node)
    return (isinstance(value, ast.Name) and function is not None and function.name in {**FORWARDERS, **forwarders_of(function)})


def _shown(node, name, keyword, texts):
    context = OPERATOR if name.startswith("operator") else DEFAULT
    told = literals(keyword.value)
    if _is_kept(node):
        return
    if told is not None:
        texts.found |= {(context, text) for text in told if text.strip()}
    elif not (_is_said(keyword.value) or _forwards(node, keyword.value)
              or getattr(keyword.value, "attr", "") == "bl_label"):
        texts.wrong.append((node.lineno, f"{keyword.arg}={ast.unparse(keyword.value)} may be translated or not: "
                                         "add translate=False"))


def _is_said(value):
    return isinstance(value, ast.Call) and getattr(value.func, "id", "") == "say"


def _is_kept(node):
    return any(keyword.arg == "translate" and getattr(keyword.value, "value", None) is False for keyword in node.keywords)


def _forwards(node, value):
    """Whether `value` is a keyword of the function around it, which is called with the literal then."""
    function = _function(node)
    return function is not None and isinstance(value, ast.Name) and value.id in SHOWN and value.id in [
        parameter.arg for parameter in function.args.kwonlyargs]


FORWARDERS = {}
for _path in MODULES:
    FORWARDERS.update(forwarders_of(parsed(_path.read_text(encoding="utf-8"))))
