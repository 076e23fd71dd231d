# SPDX-License-Identifier: GPL-3.0-or-later
"""The one exception that is meant to be read by the person at the screen."""


class Refusal(Exception):
    """Something that was asked for cannot be done; the message names the bone or object and says what to do.

    Whoever raises it has changed nothing.
    """
