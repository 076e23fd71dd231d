"""What `blender -b FILE -o OUT -a` and `-f N` do, for a Blender that is a Python module and has no command line.

Arguments: `install ZIP`, which also saves the preferences, or `render FILE OUT [FRAME]`.
"""

import sys

import bpy  # which brings addon_utils along

# isort: split
import addon_utils

MODULE = "bl_ext.user_default.twobone_addon"


def install(path):
    bpy.ops.extensions.package_install_files(filepath=path, repo="user_default", enable_on_install=True)
    bpy.ops.wm.save_userpref()


def render(file, output, frame=None):
    """Nothing in here knows of limbs: the extension is on, as in saved preferences, before the file is opened."""
    addon_utils.enable(MODULE)
    bpy.ops.wm.open_mainfile(filepath=file)
    scene = bpy.context.scene
    scene.render.filepath = output
    if frame is not None:
        scene.frame_start = scene.frame_end = int(frame)
    bpy.ops.render.render(animation=True)
    addon_utils.disable(MODULE)


if __name__ == "__main__":
    arguments = sys.argv[sys.argv.index("--") + 1:]
    {"install": install, "render": render}[arguments[0]](*arguments[1:])
