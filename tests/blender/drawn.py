"""Panels and menus drawn without a window, into a layout that remembers what was asked of it."""

from types import SimpleNamespace

import bpy


class Layout:
    """Stands in for UILayout. `calls` holds (method, arguments, keywords) of this layout and all made from it, in order;
    the method "=" sets an attribute.

    folded: names of panels in it that stay shut.
    """

    CONTAINERS = ("row", "column", "box", "split", "grid_flow", "column_flow")

    def __init__(self, calls=None, folded=()):
        self.__dict__.update(calls=[] if calls is None else calls, folded=folded)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments, **keywords):
            self.calls.append((name, arguments, keywords))
            return self._answer(name, arguments, keywords)
        return call

    def __setattr__(self, name, value):
        self.calls.append(("=", (name, value), {}))

    def _answer(self, name, arguments, keywords):
        if name in self.CONTAINERS:
            return Layout(self.calls, self.folded)
        if name == "panel":
            return Layout(self.calls, self.folded), None if arguments[0] in self.folded else Layout(self.calls, self.folded)
        if name == "operator":
            _check_operator(arguments[0])
            return SimpleNamespace()
        if name in ("prop", "prop_search"):
            assert arguments[1] in arguments[0].bl_rna.properties, arguments[1]
        return None

    def labels(self):
        """Texts of all labels."""
        return [keywords["text"] for name, _arguments, keywords in self.calls if name == "label"]

    def operators(self):
        """Names of all operators."""
        return [arguments[0] for name, arguments, _keywords in self.calls if name == "operator"]

    def properties(self):
        """Names of all properties."""
        return [arguments[1] for name, arguments, _keywords in self.calls if name == "prop"]


def _check_operator(name):
    module, function = name.split(".")
    getattr(getattr(bpy.ops, module), function).get_rna_type()


def context(**changes):
    """The context of now as a panel is given it; `changes` replace parts of it."""
    parts = {name: getattr(bpy.context, name, None) for name in (
        "scene", "view_layer", "object", "active_object", "selected_objects", "active_pose_bone", "selected_pose_bones",
        "pose_bone", "preferences", "evaluated_depsgraph_get", "mode", "workspace", "window_manager", "space_data")}
    region = SimpleNamespace(width=280, height=800)
    return SimpleNamespace(**{**parts, "region": region, **changes})


def draw(kind, where=None, folded=()):
    """Draw a panel or menu class; returns the layout. None where it does not want to be drawn."""
    where = where or context()
    if hasattr(kind, "poll") and not kind.poll(where):
        return None
    layout = Layout(folded=folded)
    kind.draw(SimpleNamespace(layout=layout, bl_label=kind.bl_label), where)
    return layout
