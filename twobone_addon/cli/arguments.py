# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked on the command line."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path

PROGRAM = "blender --command twobone"

AFTER_BAKE = ("key-influence", "zero-influence", "remove")

DONE, FAILED, MISUSED, NEEDS_A_LOOK = 0, 1, 2, 3
"""Exit codes; the last one only where --check asks for it."""

STATUS = """exit codes: 0 done, 1 it could not be done and nothing was written, 2 the command was not understood,
3 done, but --check found something that needs a look

The document goes to standard output, everything else to standard error. Give Blender's own arguments
before --command: -y to have the Python drivers of the file run, -b is not needed."""


def parsed(argv: Sequence[str]) -> Namespace:
    """What `argv` asks for. Exits as argparse does, with what is wrong on standard error, or after --help."""
    program = _parser()
    asked = program.parse_args(argv)
    if asked.out is not None and asked.out.exists() and asked.file.exists() and asked.out.samefile(asked.file):
        program.error(f'"{asked.out}" is the file itself; say --overwrite if that is meant')
    return asked


def _parser() -> ArgumentParser:
    program = ArgumentParser(
        prog=PROGRAM, description="Two-bone IK limbs of a .blend file, without a window.", epilog=STATUS,
        formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False)
    commands = program.add_subparsers(dest="command", required=True, metavar="COMMAND")

    listing = _command(commands, "list", "tell which limbs there are, what they follow, and what is wrong with them")
    _document(listing, ".json")
    _check(listing, "a limb has a problem")

    report = _command(commands, "report", "tell over many frames where limbs miss their targets, and where joints pop or flip")
    _document(report, ".json", ".csv")
    _frames(report)
    report.add_argument("--pop", metavar="DEGREES", type=float, default=5.0,
                        help="change of a joint's speed per frame that counts as a pop (%(default)g)")
    _check(report, "a limb has a problem, misses its target, pops or flips")

    baking = _command(commands, "bake", "key what limbs show on their own bones, and hand these over to FK")
    _saved(baking)
    _frames(baking)
    baking.add_argument("--after", choices=AFTER_BAKE, default=AFTER_BAKE[0],
                        help="what becomes of the limb: its influence is keyed to 0 in the range, or set to 0, or its IK is "
                        "removed (%(default)s)")
    baking.add_argument("--tolerance", metavar="LENGTH", type=float, default=0.0,
                        help="how far joint and tip may move for the sake of fewer keys (0)")
    baking.add_argument("--new-action", action="store_true", help="bake into a copy of the action, and leave that as it was")

    native = _command(commands, "to-native", "replace limbs by Blender's own IK, for machines without this extension")
    _saved(native)
    return program


def _command(commands: argparse._SubParsersAction[ArgumentParser], name: str, text: str) -> ArgumentParser:
    """A command with what all of them have in common."""
    command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=STATUS,
                                  formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False)
    command.add_argument("file", metavar="FILE.blend", type=Path, help="the file to open")
    command.add_argument("--limbs", metavar="LIMB", nargs="+", action="extend", default=[],
                         help="only these, by the name of their lower bone or as ARMATURE:BONE; * and ? stand for any letters")
    command.add_argument("--scene", metavar="NAME", help="instead of the scene the file was saved in")
    command.set_defaults(document=None, out=None, check=False)
    command.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    return command


def _path(*suffixes: str) -> Callable[[str], Path]:
    """The type of a path with one of these endings."""
    def path(text: str) -> Path:
        if Path(text).suffix.lower() not in suffixes:
            raise argparse.ArgumentTypeError(f'"{text}" does not end with {" or ".join(suffixes)}')
        return Path(text)
    return path


def _document(command: ArgumentParser, *suffixes: str) -> None:
    command.add_argument("--out", dest="document", metavar="DOCUMENT", type=_path(*suffixes),
                         help=f"write the document ({' or '.join(suffixes)}) instead of printing it")


def _saved(command: ArgumentParser) -> None:
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("--out", metavar="OUT.blend", type=_path(".blend"), help="save the result there")
    where.add_argument("--overwrite", action="store_true", help="save the result over FILE.blend")


def _frames(command: ArgumentParser) -> None:
    command.add_argument("--frames", metavar="FROM:TO[:STEP]", help="instead of all that the scene plays; also 1:10,24; "
                         "write --frames=-10:20 where the first is negative")


def _check(command: ArgumentParser, what: str) -> None:
    command.add_argument("--check", action="store_true", help=f"exit with {NEEDS_A_LOOK} where {what}")
