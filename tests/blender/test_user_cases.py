"""Cases that users of other IK tools met, as rows of data.

Each row: `leg` (upper length, lower length, degrees of bend at rest), `pole` when IK is added and `moved_pole` after
that, `target`, and the right answer. Without `tip` the tip is on the target; `tip_distance` asks only for the tip's
distance from the root, `joint` for the joint.
"""

import json
from pathlib import Path

import builders as b
import numpy as np
import pytest

CASES = json.loads((Path(__file__).parents[1] / "data" / "user_cases.json").read_text())


def name(row):
    return f"{row['case']}-leg{row['leg']}-target{row['target']}-pole{row.get('moved_pole', row['pole'])}".replace(" ", "")


@pytest.mark.parametrize("row", CASES, ids=name)
def test_row(row):
    upper, lower, flex = row["leg"]
    limb = upper + lower
    object, target, pole = b.rigged_leg(upper, lower, flex, pole=row["pole"])
    own = b.segments(object)
    target.location, pole.location = row["target"], row.get("moved_pole", row["pole"])
    b.update()
    root, joint, tip = b.joints(object)
    assert np.isfinite([root, joint, tip]).all()
    if "tip_distance" in row:
        assert np.linalg.norm(tip - root) == pytest.approx(row["tip_distance"], abs=2e-6 * limb)
    else:
        assert np.linalg.norm(tip - row.get("tip", row["target"])) <= 2e-6 * limb
    if "joint" in row:
        assert np.linalg.norm(joint - row["joint"]) <= 5e-6 * limb
    assert b.segments(object) == pytest.approx(own, rel=1e-6, abs=1.2e-7 * limb)
    if np.linalg.norm(row["target"]) > limb * (1 + 1e-6):
        assert b.angle(joint - root, tip - joint) < 0.02
