# SPDX-License-Identifier: GPL-3.0-or-later
"""The live engine: one update of a scene's limbs, from what is read to what is written."""
