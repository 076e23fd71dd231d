"""The built zip is installed through the preferences."""

from pathlib import Path

import addon_utils
import bpy
from checks import OUTPUT
from legs import MODULE

from scripts.build_extension import build
from scripts.window.session import new_file


def scenario(window, check):
    yield from new_file(window)
    path = build(OUTPUT, Path(bpy.utils.system_resource('SCRIPTS')))
    bpy.context.preferences.active_section = 'EXTENSIONS'
    bpy.ops.screen.userpref_show()
    yield 1.0
    windows = bpy.context.window_manager.windows
    preferences = next(other for other in windows if other.screen.areas[0].type == 'PREFERENCES')
    with bpy.context.temp_override(window=preferences, area=preferences.screen.areas[0]):
        bpy.ops.extensions.package_install_files(filepath=str(path), repo="user_default", enable_on_install=True)
    yield 0.5
    window.close_others()
    yield 0.5
    check("the zip is installed and enabled", addon_utils.check(MODULE) == (True, True), addon_utils.check(MODULE))
    check("Blender has nothing against it", not addon_utils._extensions_warnings_get(),
          addon_utils._extensions_warnings_get())
    check("its operators are there", hasattr(bpy.types, "POSE_OT_twobone_add"))
