# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's reference tables: what is in them, how they are written, how they are drawn."""
