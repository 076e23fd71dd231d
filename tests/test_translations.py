"""Every text that people read can be translated, and is, into every language there is."""

import re

import pytest

from tests.translatable import DEFAULT, LANGUAGES, MODULES, ROOT, Texts, slots, table, texts_of

NAMES = [str(path.relative_to(ROOT)) for path in MODULES]


def read(path):
    return texts_of(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def all_texts():
    texts = Texts()
    for path in MODULES:
        texts.add(read(path))
    return texts


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_nothing_is_shown_untranslatable(path):
    assert read(path).wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_missing(language, all_texts):
    assert sorted(all_texts.found - table(language).keys()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_are_those_of_the_template(language, all_texts):
    told = table(language)
    assert {template: told[DEFAULT, template] for template in all_texts.templates if (DEFAULT, template) in told
            and slots(told[DEFAULT, template]) != slots(template)} == {}


def test_chinese_is_chinese():
    told = table("zh_hans")
    assert {key: text for key, text in told.items() if not re.search(r"[\u4e00-\u9fff]", text)} == {}
    assert {key: text for key, text in told.items() if text.endswith("。")} == {}
    assert {key: text for key, text in told.items() if re.search(r"[\u4e00-\u9fff][,;:?!()]|[,;:?!(][\u4e00-\u9fff]", text)} == {}


def test_there_is_much_to_translate(all_texts):
    assert len(all_texts.templates) > 50
    assert len(all_texts.found - {(DEFAULT, template) for template in all_texts.templates}) > 40
    assert "zh_hans" in LANGUAGES


@pytest.mark.parametrize(("source", "complaint"), [
    ("raise Refusal(f'{name} is wrong')", "without say"),
    ("raise Refusal('This is wrong')", "without say"),
    ("raise Refusal('This is ' + name)", "without say"),
    ("self.report({'INFO'}, 'Done')", "without say"),
    ("self.report({'INFO'}, f'Done {name}')", "without say"),
    ("cls.poll_message_set('Select something')", "without say"),
    ("say(f'{name} is wrong')", "literal template"),
    ("say(text)", "literal template"),
    ("def f(what):\n    say(what, bones=1)\nf(other)", "literal template"),
    ("def f(what):\n    say(what, bones=1)\nf('Added to {limbs}')", "not its values"),
    ("say('a' if x else 'b')", "literal template"),
    ("say('{bone} is wrong', limb=name)", "not its values"),
    ("say('{bone} is wrong')", "not its values"),
    ("on_each(self, names, act, 'Added to {limbs}')", "not its values"),
    ("layout.label(text=f'{a} of {b}')", "translate=False"),
    ("layout.label(text=bone.name)", "translate=False"),
    ("def f(text):\n    layout.label(text=text)", "translate=False"),
])
def test_each_breach_is_found(source, complaint):
    ((_line, found),) = texts_of(source).wrong
    assert complaint in found


@pytest.mark.parametrize(("source", "expected"), [
    ("raise Refusal(say('{bone} is wrong', bone=name))", {("*", "{bone} is wrong")}),
    ("raise Refusal(str(other))", set()),
    ("self.report({'INFO'}, str(refusal))", set()),
    ("on_each(self, names, act, 'Added to {bones}')", {("*", "Added to {bones}")}),
    ("def f(what):\n    say(what, bones=1)\nf('Added to {bones}')", {("*", "Added to {bones}")}),
    ("class A:\n def f(self, what):\n  say(what, bones=1)\n def g(self):\n  self.f('Added to {bones}')",
     {("*", "Added to {bones}")}),
    ("layout.label(text='A label')", {("*", "A label")}),
    ("layout.label(text='One' if single else 'Many')", {("*", "One"), ("*", "Many")}),
    ("layout.label(text=bone.name, translate=False)", set()),
    ("layout.label(text=say('{bone} is one', bone=name))", {("*", "{bone} is one")}),
    ("layout.operator('a.b', text='Do It')", {("Operator", "Do It")}),
    ("layout.operator('a.b', text='')", set()),
    ("row.prop(a, 'b', text=self.bl_label)", set()),
    ("layout.column(heading='Limits')", {("*", "Limits")}),
    ("def f(layout, *, text):\n    layout.label(text=text)", set()),
    ("class A(bpy.types.Operator):\n 'Does it'\n bl_idname = 'a.b'\n bl_label = 'Do It'",
     {("Operator", "Do It"), ("*", "Does it")}),
    ("class A(Shared, bpy.types.Panel):\n 'Shows it'\n bl_idname = 'A'\n bl_label = 'It'", {("*", "It"), ("*", "Shows it")}),
    ("class A(bpy.types.Operator):\n bl_idname = 'a.b'\n bl_label = 'Do It'\n bl_description = 'Does it'",
     {("Operator", "Do It"), ("*", "Does it")}),
    ("class A(bpy.types.Operator):\n 'Has no name of its own'", set()),
])
def test_each_text_is_found(source, expected):
    texts = texts_of(source)
    assert (texts.found, texts.wrong) == (expected, [])
