# SPDX-License-Identifier: GPL-3.0-or-later
"""Prediction: what limbs will read at a frame, from F-curves, parents and constants, before Blender evaluates it.

A prediction only spares an evaluation. It is compared with what was evaluated, and never decides a pose.
"""

from .channels import Unpredictable
from .prediction import Prediction

__all__ = ["Prediction", "Unpredictable"]
