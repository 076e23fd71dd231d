"""What Blender itself shows of the extension is translated, nothing is translated for nobody, and a change of language shows."""

import bpy
import builders as b
import pytest

from tests.translatable import DEFAULT, LANGUAGES, MODULES, Texts, table, texts_of
from twobone_addon import registration, rig
from twobone_addon.rig import words
from twobone_addon.ui import translations


def of_code():
    texts = Texts()
    for path in MODULES:
        texts.add(texts_of(path.read_text(encoding="utf-8")))
    return texts.found


def of_blender():
    """(context, text) of every property that people see, as Blender has registered them."""
    found = set()
    for prop in our_properties():
        if prop.is_hidden:
            continue
        texts = [prop.name, prop.description]
        if prop.type == 'ENUM':
            texts += [text for item in prop.enum_items_static for text in (item.name, item.description)]
        found |= {(prop.translation_context, text) for text in texts if text}
    return found


def our_properties():
    for name in dir(bpy.types):
        rna = getattr(getattr(bpy.types, name), "bl_rna", None)
        for prop in rna.properties if rna else ():
            if prop.identifier.startswith("twobone_"):
                yield prop
    for cls in registration.CLASSES:
        rna = cls.bl_rna
        if issubclass(cls, bpy.types.Operator):
            module, name = cls.bl_idname.split(".")
            rna = getattr(getattr(bpy.ops, module), name).get_rna_type()
        own = {name for base in cls.__mro__ for name in getattr(base, "__annotations__", ())}
        yield from (prop for prop in rna.properties if prop.identifier in own)


def test_there_are_properties_to_look_at():
    found = of_blender()
    assert (DEFAULT, "Softness") in found
    assert (DEFAULT, "Hand or foot bone whose head is the end of the limb; empty for the tail of the bone") in found
    assert not [text for _context, text in found if text.startswith("twobone")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_missing(language):
    assert sorted(of_blender() - table(language).keys()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_over(language):
    assert sorted(table(language).keys() - of_blender() - of_code()) == []


def test_tables_are_those_that_blender_is_given():
    assert sorted(translations.LANGUAGES) == ["zh_HANS"]
    assert translations.messages()["zh_HANS"] == table("zh_hans")


def test_tables_come_and_go_with_the_extension():
    """A Blender that was built without languages takes every table and keeps none."""
    if bpy.app.build_options.international:
        with pytest.raises(ValueError):
            bpy.app.translations.register(translations.__name__, {})
    translations.unregister()
    translations.unregister()
    bpy.app.translations.register(translations.__name__, {})
    translations.register()


def test_a_change_of_language_is_seen_in_what_was_said_before(monkeypatch):
    object, target, _pole = b.rigged_leg()
    bpy.data.objects.remove(target)
    b.update()
    (english,) = rig.problems(object, "lo")
    assert "no target" in english
    told = table("zh_hans")
    monkeypatch.setattr(words, "pgettext_rpt", lambda text: told.get((DEFAULT, text), text))
    (chinese,) = rig.problems(object, "lo")
    assert "没有目标" in chinese
    assert '"lo"' in chinese or "“lo”" in chinese
    with pytest.raises(rig.Refusal, match="没有目标"):
        rig.readings(object, "lo")
    monkeypatch.undo()
    assert rig.problems(object, "lo") == [english]


def test_a_sentence_in_a_sentence_changes_with_it(monkeypatch):
    told = words.say("The {role} is gone", role=words.say("target"))
    monkeypatch.setattr(words, "pgettext_rpt", {"The {role} is gone": "没有{role}", "target": "目标"}.get)
    assert words.retell(told) == "没有目标"
    assert words.retell("as it is") == "as it is"
