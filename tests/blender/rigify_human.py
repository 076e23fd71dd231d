"""Makes a generated Rigify human in a Blender of its own and saves it: `python rigify_human.py FILE`.

Enabling Rigify leaves things behind, and in some versions ends Blender badly, so that tests load the file instead.
"""

import os
import sys

import bpy  # isort: skip (the other comes with it)
import addon_utils

bpy.ops.wm.read_factory_settings(use_empty=True)
addon_utils.enable("rigify", default_set=True)
bpy.ops.object.armature_human_metarig_add()
metarig = bpy.context.object
bpy.ops.object.mode_set(mode='POSE')
assert bpy.ops.pose.rigify_generate() == {'FINISHED'}
bpy.data.objects.remove(metarig)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
sys.stdout.flush()
os._exit(0)
