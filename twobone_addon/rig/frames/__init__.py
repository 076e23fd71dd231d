# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs over many frames: reading them once, and what is derived from that."""
