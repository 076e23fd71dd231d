# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the extension at work: on Blender's own human, or on a file of yours (see --help).

Needs nothing but a Python 3: the first run sets up .venv with Blender in it.
"""

from __future__ import annotations

import sys

import environment

if __name__ == "__main__":
    environment.enter(__file__)
    sys.path.insert(0, str(environment.ROOT))

    import demo_scene

    sys.exit(demo_scene.main(sys.argv[1:]))
