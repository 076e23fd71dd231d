"""Everything that Blender stores about an armature and the scene around it, as plain values to compare."""

import bpy

COMPUTED = {"rna_type", "bl_rna", "id_data", "matrix", "matrix_channel", "matrix_world", "matrix_local", "head", "tail",
            "length", "is_in_ik_chain", "is_valid", "error_location", "error_rotation", "bound_box", "dimensions", "tag",
            "users", "is_evaluated", "session_uid", "preview", "mode", "motion_path", "is_active", "active"}
"""What Blender works out by itself, and the interface's own state."""


def snapshot(*objects):
    """Stored values of the objects, and what other data there is, as {path: value}."""
    values = {f"bpy.data.{collection}": sorted(item.name_full for item in getattr(bpy.data, collection))
              for collection in ("objects", "actions", "collections", "armatures", "scenes")}
    for object in objects:
        for struct in (object, object.data) if object.data else (object,):
            values.update(_flat(f"{struct.id_type} {struct.name}", dump(struct)))
    return values


def changes(before, after):
    """What differs between two snapshots, one line each."""
    return [f"{path}: {before.get(path, 'absent')!r} -> {after.get(path, 'absent')!r}"
            for path in sorted({*before, *after}) if repr(before.get(path, "absent")) != repr(after.get(path, "absent"))]


def _flat(path, value):
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _flat(f"{path}.{name}", item)
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for place, item in enumerate(value):
            yield from _flat(f"{path}[{place}]", item)
    else:
        yield path, value


def dump(struct, seen=None):
    """Every stored value of a Blender struct, custom data and what it owns included; other data by name."""
    seen = seen or frozenset()
    key = (struct.bl_rna.identifier, struct.as_pointer())
    if key in seen:
        return "…"
    seen = seen | {key}
    found = {"custom data": custom_data(struct)}
    for prop in struct.bl_rna.properties:
        if prop.identifier not in COMPUTED and not prop.is_runtime:
            found[prop.identifier] = _value(getattr(struct, prop.identifier), prop, seen)
    return found


def _value(value, prop, seen):
    if value is None:
        return None
    if prop.type == 'COLLECTION':
        return [_owned(item, seen) for item in value]
    if prop.type == 'POINTER':
        return _owned(value, seen)
    if hasattr(value, "__len__") and not isinstance(value, (str, set)):
        return tuple(tuple(item) if hasattr(item, "__len__") else item for item in value)
    return value


def _owned(value, seen):
    """A dump of what belongs to its owner alone, the name of what does not."""
    if isinstance(value, bpy.types.Action):
        return dump(value, seen)
    if isinstance(value, (bpy.types.ID, bpy.types.Bone)) and seen:
        return value.name
    if isinstance(value, bpy.types.PoseBone) and any(kind == "PoseBone" for kind, _pointer in seen):
        return value.name
    return dump(value, seen)


def custom_data(struct):
    """Names and values stored behind the registered properties: unlike them, reading these creates nothing."""
    groups = []
    if hasattr(struct, "bl_system_properties_get"):
        groups.append(struct.bl_system_properties_get())
    try:
        groups.append(struct)
        return {name: _plain(group[name]) for group in groups if group is not None for name in group.keys()}  # noqa: SIM118
    except TypeError:  # the struct cannot have custom data
        return {}


def _plain(value):
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value.to_list() if hasattr(value, "to_list") else value
