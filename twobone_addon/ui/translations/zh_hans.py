# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified Chinese, in the words of Blender's own translation."""

LABELS_OF_OPERATORS = {
}

TEXTS = {
}
