"""The life of the installed extension, in a Blender of its own that test_extension.py starts.

Arguments: the zip, the zip of a later version, the JSON file to write what was seen to.
BLENDER_USER_RESOURCES is an empty folder.
"""

import importlib
import json
import sys
from pathlib import Path

import bpy  # which brings addon_utils along

# isort: split
import addon_utils

MODULE = "bl_ext.user_default.twobone_addon"


def install(path):
    bpy.ops.extensions.package_install_files(
        filepath=path, repo="user_default", enable_on_install=True)


def uninstall():
    repositories = bpy.context.preferences.extensions.repos
    index = [repository.module for repository in repositories].index("user_default")
    bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="twobone_addon")


def folder():
    return Path(bpy.utils.user_resource('EXTENSIONS', path="user_default")) / "twobone_addon"


def registered():
    """All that Blender holds of the extension, by kind."""
    lists = {name: entries for name in dir(bpy.app.handlers)
             if isinstance(entries := getattr(bpy.app.handlers, name), list)}
    return {
        "handlers": sorted(f"{name}: {handler.__name__}"
                           for name, entries in lists.items() for handler in entries
                           if "twobone_addon" in getattr(handler, "__module__", "")),
        "classes": sorted(name for name in dir(bpy.types) if "twobone" in name.lower()),
        "operators": sorted(name for name in dir(bpy.ops.pose) if name.startswith("twobone")),
        "properties": sorted(prop.identifier for prop in bpy.types.PoseBone.bl_rna.properties
                             if prop.identifier.startswith("twobone")),
    }


def state():
    enabled = addon_utils.check(MODULE)[1]
    return {"version": version(), "enabled": enabled, "warnings": warnings(), **registered()}


def version():
    manifest = folder() / "blender_manifest.toml"
    lines = manifest.read_text(encoding="utf-8").splitlines() if manifest.exists() else []
    return next((line.split('"')[1] for line in lines if line.startswith("version = ")), None)


def warnings():
    """What Blender holds against the way the extension behaves."""
    return [str(warning) for warning in addon_utils._extensions_warnings_get()]


def arm():
    data = bpy.data.armatures.new("Arm")
    object = bpy.data.objects.new("Arm", data)
    bpy.context.scene.collection.objects.link(object)
    bpy.context.view_layer.objects.active = object
    bpy.ops.object.mode_set(mode='EDIT')
    upper, lower = data.edit_bones.new("upper_arm"), data.edit_bones.new("forearm")
    upper.head, upper.tail = (0, 0, 1), (1, 0.1, 1)
    lower.head, lower.tail = upper.tail, (2, 0, 1)
    lower.parent, lower.use_connect = upper, True
    bpy.ops.object.mode_set(mode='OBJECT')
    return object


def miss(object, target, place):
    """How far the tip is from the target once that was moved to `place`."""
    target.location = place
    bpy.context.view_layer.update()
    return (object.pose.bones["forearm"].tail - target.matrix_world.translation).length


def main(first, later, report):
    seen = {"before": registered()}
    install(first)
    seen["installed"] = state()

    own = bpy.context.preferences.addons[MODULE].preferences
    own.sides = 33
    seen["preferences"] = importlib.import_module(MODULE + ".ui.preferences").preferences().sides

    rig = importlib.import_module(MODULE + ".rig")
    object = arm()
    rig.add_limb(object, "forearm")
    target = bpy.data.objects["forearm target"]
    seen["miss"] = miss(object, target, (0.9, 0.3, 1.4))

    for _ in range(3):
        addon_utils.disable(MODULE)
        seen["disabled"] = registered()
        addon_utils.enable(MODULE)
    seen["enabled again"] = state()
    seen["miss enabled again"] = miss(object, target, (1.1, -0.4, 0.8))

    install(later)
    seen["upgraded"] = state()
    seen["miss upgraded"] = miss(object, target, (0.7, 0.5, 1.2))

    uninstall()
    seen["uninstalled"] = state()
    seen["files"] = sorted(str(path) for path in folder().rglob("*")) if folder().exists() else []
    Path(report).write_text(json.dumps(seen), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[-3:])
