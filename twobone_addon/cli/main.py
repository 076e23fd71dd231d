# SPDX-License-Identifier: GPL-3.0-or-later
"""Running a command: its document to standard output, everything else to standard error, an exit code to the caller."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TextIO

from .. import rig
from . import arguments, listing, reporting, saving
from .answer import Answer, complain
from .arguments import DONE, FAILED, NEEDS_A_LOOK

COMMANDS: dict[str, Callable[..., Answer]] = {
    "list": listing.run,
    "report": reporting.run,
    "bake": saving.bake,
    "to-native": saving.to_native,
}


def command(argv: Sequence[str]) -> int:
    """What `blender --command twobone` calls, in a process of its own; returns the exit code.

    From here on whatever Blender and other extensions print goes to standard error, up to the end of the process, so
    that a reader of standard output gets the document and nothing else.
    """
    asked = _parsed(argv)
    if isinstance(asked, int):
        return asked
    if sys.stdout is None:  # somebody has closed it
        return _run(asked, io.StringIO())
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    code = _run(asked, output)
    with suppress(OSError):  # what could not be written then cannot be now, and has been told
        output.close()
    return code


def run(argv: Sequence[str], output: TextIO) -> int:
    """The same in a Blender that goes on afterwards: the file it has open is replaced, the document goes to `output`."""
    asked = _parsed(argv)
    return asked if isinstance(asked, int) else _run(asked, output)


def _parsed(argv: Sequence[str]) -> Namespace | int:
    """The arguments, or the exit code where argparse has said all there is to say."""
    try:
        return arguments.parsed(argv)
    except SystemExit as leaving:
        return int(leaving.code or DONE)


def _run(asked: Namespace, output: TextIO) -> int:
    try:
        answer = COMMANDS[asked.command](asked)
        if asked.document:
            answer.save(asked.document)
        else:
            output.write(answer.told(asked.json))
            output.flush()
    except (rig.Refusal, OSError) as error:
        complain(str(error))
        return FAILED
    return NEEDS_A_LOOK if answer.needs_a_look and asked.check else DONE
