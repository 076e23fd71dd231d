# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs in the hands of users: what edits leave behind, what is wrong, and what puts it right."""
