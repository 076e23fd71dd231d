"""What the scripts know about setting themselves up; that they do is seen whenever the tests run."""

import pytest

from scripts.environment import missing, pins


@pytest.mark.parametrize(("library", "package"), [
    ("libX11.so.6", "libx11-6"),
    ("libXfixes.so.3", "libxfixes3"),
    ("libXi.so.6", "libxi6"),
    ("libXrender.so.1", "libxrender1"),
    ("libXxf86vm.so.1", "libxxf86vm1"),
    ("libgomp.so.1", "libgomp1"),
    ("libstdc++.so.6", "libstdc++6"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libz.so.1", "zlib1g"),
])
def test_library_is_in_its_debian_package(library, package):
    assert missing.package_of(library) == package


def test_every_requirement_is_pinned():
    for blender in pins.blenders():
        requirements = pins.requirements(blender, "test", "check")
        assert requirements[0] == f"bpy=={blender}"
        assert all(requirement.count("==") == 1 for requirement in requirements)


def test_own_environment_has_a_blender_made_for_its_python():
    assert pins.pythons() == ["3.13", "3.11"]
    for python in pins.pythons():
        assert pins.blenders()[pins.blender_for(python)] == python


@pytest.mark.parametrize("blender", pins.blenders())
def test_numpy_is_one_that_the_blender_gets_on_with(blender):
    numpy = pins.requirements(blender)[1].removeprefix("numpy==")
    version = tuple(int(part) for part in numpy.split("."))
    assert version >= (2, 2) if blender >= "5.2" else version < (2,)
