# SPDX-License-Identifier: GPL-3.0-or-later
"""Timing that a noisy machine cannot spoil much: interleaved runs in one process, medians, ratios."""

import json
from collections.abc import Callable
from statistics import median
from time import perf_counter


def medians(functions: dict[str, Callable[[], object]], rounds: int, repeats: int = 1) -> dict[str, float]:
    """Median seconds of one call of each function; the functions take turns, so that noise meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = perf_counter()
            for _ in range(repeats):
                function()
            times[name].append((perf_counter() - start) / repeats)
    return {name: median(values) for name, values in times.items()}


def save(arguments: list[str], results: object) -> None:
    """Write the results where `--json FILE` asks for it."""
    if "--json" in arguments:
        with open(arguments[arguments.index("--json") + 1], "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
