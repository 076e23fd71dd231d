# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified Chinese, in the words of Blender's own translation."""

LABELS_OF_OPERATORS = {
    "Add Two-Bone IK": "添加双骨骼 IK",
    "Bake Two-Bone IK": "烘焙双骨骼 IK",
    "Calculate": "计算",
    "Calculate Two-Bone IK Paths": "计算双骨骼 IK 路径",
    "Clear": "清空",
    "Clear All": "清除全部",
    "Clear Two-Bone IK Paths": "清除双骨骼 IK 路径",
    "Convert from Native IK": "从内置 IK 转换",
    "Convert to Native IK": "转换为内置 IK",
    "Lock Interface": "锁定界面",
    "Mark on Timeline": "在时间轴上标记",
    "Match FK": "匹配 FK",
    "Match IK": "匹配 IK",
    "Move Two-Bone IK to the End": "将双骨骼 IK 移到末尾",
    "Mute Other IK": "屏蔽其他 IK",
    "Reach Report": "可及范围报告",
    "Rebind Two-Bone IK": "重新绑定双骨骼 IK",
    "Remove Keys from Constraints": "移除约束的关键帧",
    "Remove Two-Bone IK": "移除双骨骼 IK",
    "Save": "保存",
    "Save Reach Report": "保存可及范围报告",
    "Select Limb": "选择肢体",
    "Select Pole": "选择极向目标",
    "Select Target": "选择目标",
    "Update": "更新",
}

TEXTS = {
    "A .csv or .json file": ".csv 或 .json 文件",
    "A .csv or .json file to save the report to; empty for none": "用于保存报告的 .csv 或 .json 文件；留空则不保存",
    "A bone of your choice": "自行选择的骨骼",
    "Add exact two-bone IK that follows a target without moving the pose: select a forearm or shin, or several":
        "添加跟随目标的精确双骨骼 IK，且不改变当前姿态：请选择一根或多根前臂或小腿骨骼",
    "Afterwards": "烘焙之后",
    '"{after}" is nothing to do after baking. Choose one of {known}':
        '烘焙之后不能执行 "{after}"。请从 {known} 中选择',
    "All": "全部",
    "and {count} more": "以及另外 {count} 个",
    '"{armature}" cannot be put into Edit Mode. Use empties as controls':
        '"{armature}" 无法进入编辑模式。请使用空物体作为控件',
    '"{armature}" cannot be the {role} of its own limb. Choose another object, or one of its bones':
        '"{armature}" 不能作为自身肢体的{role}。请选择其他物体，或它的某一根骨骼',
    '"{armature}" has no bone "{bone}". Check the name': '"{armature}" 没有骨骼 "{bone}"。请检查名称',
    '"{armature}" is hidden in viewports and therefore not evaluated. Make it visible first':
        '"{armature}" 已在视图中禁用，因此不会被解算。请先让它可见',
    '"{armature}" is in Edit Mode. Leave Edit Mode first': '"{armature}" 处于编辑模式。请先退出编辑模式',
    '"{armature}" is linked from another file. Make a library override of it first':
        '"{armature}" 关联自其他文件。请先为它创建库重写',
    '"{armature}" is linked from another file: make a library override to use its IK':
        '"{armature}" 关联自其他文件：要使用它的 IK，请创建库重写',
    '"{armature}" is not in the active view layer. Link it to the scene, or make it visible there':
        '"{armature}" 不在活动视图层中。请将它关联到场景，或在视图层中启用它',
    '"{armature}" is not in the scene "{scene}". Link it there first':
        '"{armature}" 不在场景 "{scene}" 中。请先将它关联到该场景',
    '"{armature}" is shown in the scenes {scenes} at different frames, but has only one pose: the windows keep '
    "redrawing each other. Go to the same frame in all of them, or close one":
        '"{armature}" 在场景 {scenes} 中以不同的帧显示，但它只有一个姿态：这些窗口会不断相互触发重绘。请让它们处'
        "于同一帧，或关闭其中一个窗口",
    '"{armature}" shares its bones with "{other}", which would get control bones too. Make its data single-user '
    "first, or use empties as controls":
        '"{armature}" 与 "{other}" 共用骨骼，后者也会得到控件骨骼。请先将其数据单用户化，或使用空物体作为控件',
    "Bake into a copy of the action and leave that as it is": "烘焙到动作的副本，原动作保持不变",
    "Baked {bones} on {count} frames. Between keys the tip slips by up to {slip}, at frame {frame:g}":
        "已将 {bones} 烘焙到 {count} 帧。关键帧之间末端最多滑动 {slip}，位于第 {frame:g} 帧",
    "Bend Min": "最小弯曲",
    "Bind the selected limbs anew to their FK pose, after the rest pose was edited or to keep another bend":
        "将所选肢体重新绑定到其 FK 姿态，用于编辑静置姿态之后，或改用另一弯曲方向",
    "Blender has no frame {frame}. Choose frames between {first} and {last}":
        "Blender 没有第 {frame} 帧。请选择 {first} 到 {last} 之间的帧",
    "Bone": "骨骼",
    "Bone of the pole armature whose head the joint points to": "极向目标骨架中的骨骼，关节指向它的头端",
    "Bone of the target armature whose head the limb reaches for": "目标骨架中的骨骼，肢体伸向它的头端",
    "Bone that the control bones hang on; empty for none": "控件骨骼的父级骨骼；留空则不设父级",
    "Bones": "骨骼",
    '"{bone}" already belongs to the limb of "{limb}". Remove that IK first':
        '"{bone}" 已属于 "{limb}" 的肢体。请先移除那里的 IK',
    '"{bone}" already has Two-Bone IK. Remove it first, or press Rebind':
        '"{bone}" 已有双骨骼 IK。请先将其移除，或点击“重新绑定双骨骼 IK”',
    '"{bone}" could not be kept quite: in frame {frame:g} its joints moved by {distance:.2g}':
        '"{bone}" 未能完全保持：在第 {frame:g} 帧，其关节移动了 {distance:.2g}',
    '"{bone}" could not be kept quite: its joints moved by {distance:.2g}':
        '"{bone}" 未能完全保持：其关节移动了 {distance:.2g}',
    '"{bone}" could not be solved on {count} of {all} frames, where its FK pose was kept':
        '"{bone}" 在 {all} 帧中有 {count} 帧无法求解，这些帧保留了 FK 姿态',
    '"{bone}" follows another limb through a constraint or driver that cannot be carried forward, and may be one '
    "frame late. Use a parent, Child Of, Copy Location or Copy Transforms at full influence":
        '"{bone}" 通过约束或驱动器跟随另一肢体，这种关系无法在同一帧内传递，可能滞后一帧。请改用父级，或影响为 1 '
        "的子级、复制位置、复制变换约束",
    '"{bone}" has bones between it and "{upper}", which native IK would bend too. Bake the limb instead':
        '"{bone}" 与 "{upper}" 之间还有骨骼，内置 IK 也会弯曲它们。请改为烘焙该肢体',
    '"{bone}" has lost its binding: press Rebind': '"{bone}" 丢失了绑定数据：请点击“重新绑定双骨骼 IK”',
    '"{bone}" has lost its constraint "{constraint}": press Rebind':
        '"{bone}" 丢失了约束 "{constraint}"：请点击“重新绑定双骨骼 IK”',
    '"{bone}" has lost its upper bone: remove the IK and add it again':
        '"{bone}" 丢失了上段骨骼：请移除 IK 后重新添加',
    '"{bone}" has no hand or foot bone to turn: no child of it starts at its tip. Remove the IK and add it with '
    "the tip bone chosen":
        '"{bone}" 没有可转动的手或脚骨骼：没有子骨骼从它的末端开始。请移除 IK，重新添加时选择末端骨骼',
    '"{bone}" has no IK constraint. Select the lower bone of a limb that has':
        '"{bone}" 没有 IK 约束。请选择带有 IK 约束的肢体的下段骨骼',
    '"{bone}" has no parent bone. Choose the lower bone of a limb, such as a forearm or shin':
        '"{bone}" 没有父级骨骼。请选择肢体的下段骨骼，例如前臂或小腿',
    '"{bone}" has no pole. Choose one in the panel': '"{bone}" 没有极向目标。请在面板中选择',
    '"{bone}" has no pole: native IK turns it in its own way while its target moves':
        '"{bone}" 没有极向目标：目标移动时，内置 IK 会按自己的方式转动它',
    '"{bone}" has no pole: native IK turns it in its own way while its target moves, Two-Bone IK by the shortest '
    "turn. Give the constraint a pole before it is converted to have them agree":
        '"{bone}" 没有极向目标：目标移动时，内置 IK 会按自己的方式转动它，而双骨骼 IK 采用最短的转动。若要两者一'
        "致，请在转换之前为约束设置极向目标",
    '"{bone}" has no target. Choose one in the panel': '"{bone}" 没有目标。请在面板中选择',
    '"{bone}" has no target: choose one in the panel': '"{bone}" 没有目标：请在面板中选择',
    '"{bone}" has no Two-Bone IK. Add it first': '"{bone}" 没有双骨骼 IK。请先添加',
    '"{bone}" has no Two-Bone IK. Select a bone that has': '"{bone}" 没有双骨骼 IK。请选择带有它的骨骼',
    '"{bone}" has several IK constraints: {names}. Mute all but one':
        '"{bone}" 有多个 IK 约束：{names}。请只保留一个，屏蔽其余约束',
    '"{bone}" is bent by {flexion:.1f}°, its limits allow {least:.1f}° to {greatest:.1f}°. Bend it less or more, '
    "or change its limits":
        '"{bone}" 弯曲了 {flexion:.1f}°，而限制只允许 {least:.1f}° 到 {greatest:.1f}°。请减小或增大弯曲，或修改限'
        "制",
    '"{bone}" is paused: its root, target or pole moves with the limb itself. Choose a target and pole that do '
    "not hang on it":
        '"{bone}" 已暂停：它的根部、目标或极向目标随肢体自身运动。请选择不依附于该肢体的目标和极向目标',
    '"{bone}" is scaled to zero or not at a finite place. Clear its transform first':
        '"{bone}" 的缩放为零，或位置不是有限值。请先清空它的变换',
    '"{bone}" is sheared or mirrored by its parents, or by scale in the limb itself. Two-Bone IK takes that out '
    "of it: the limb still reaches its target, but looks different from its FK pose":
        '"{bone}" 因父级或肢体自身的缩放而被切变或镜像。双骨骼 IK 会去除这种变形：肢体仍能到达目标，但与其 FK 姿'
        "态看起来不同",
    '"{bone}" is straight and will bend towards its pole. Convert it in a frame where it is bent, should that be '
    "wrong":
        '"{bone}" 是伸直的，将朝极向目标弯曲。如果方向不对，请在它弯曲的帧进行转换',
    '"{bone}" is straight in its FK pose, and native IK does not bend what starts straight. Bend it a little':
        '"{bone}" 在 FK 姿态下是伸直的，而内置 IK 无法弯曲初始伸直的肢体。请稍微弯曲它',
    '"{bone}" moves with the limb of "{lower}", so its controls cannot hang on it. Choose another bone, or none':
        '"{bone}" 随 "{lower}" 的肢体运动，因此其控件不能以它为父级。请选择其他骨骼，或不设父级',
    '"{bone}" reached with a point {distance:.2g} from its tail; native IK reaches with the tail':
        '"{bone}" 以距其尾端 {distance:.2g} 的点到达目标；内置 IK 则以尾端到达目标',
    '"{bone}" rests after an unexpected error ({error}). Please report it':
        '"{bone}" 因意外错误而停用（{error}）。请报告此问题',
    '"{bone}" rests: its bones, target or pole are not at a finite place, or a bone is scaled to zero. Check '
    "their transforms":
        '"{bone}" 已停用：其骨骼、目标或极向目标的位置不是有限值，或骨骼的缩放为零。请检查它们的变换',
    '"{bone}" turned by {angle:.1f}° in frame {frame:g}: {reason}':
        '"{bone}" 在第 {frame:g} 帧转动了 {angle:.1f}°：{reason}',
    '"{bone}" turned by {angle:.1f}°: {reason}': '"{bone}" 转动了 {angle:.1f}°：{reason}',
    '"{bone}" was set up by a newer Two-Bone IK (data version {stored}, this one knows {known}). Update the '
    "extension to use it":
        '"{bone}" 由更新版本的双骨骼 IK 创建（数据版本 {stored}，当前支持到 {known}）。要使用它，请更新扩展',
    '"{bone}" was set up by a newer Two-Bone IK: update the extension to use it':
        '"{bone}" 由更新版本的双骨骼 IK 创建：要使用它，请更新扩展',
    '"{bone}": the animation of its Pole Angle is lost; what it is now stays':
        '"{bone}"：极向角度的动画会丢失，保留当前值',
    '"{bone}": {setting} has no counterpart in Two-Bone IK and is not used':
        '"{bone}"：{setting} 在双骨骼 IK 中没有对应项，不会使用',
    '"{bone}": {setting} {value:g} has no counterpart in Two-Bone IK and is not used':
        '"{bone}"：{setting} {value:g} 在双骨骼 IK 中没有对应项，不会使用',
    '"{bone}": {setting} {value} has no counterpart in native IK and is lost':
        '"{bone}"：{setting} {value} 在内置 IK 中没有对应项，将会丢失',
    "CCD Sweeps": "CCD 迭代次数",
    "Change of the joint's speed, per frame, from one frame to the next that counts as a pop":
        "相邻两帧之间，每帧关节速度的变化达到多少即视为弹跳",
    '{channel} of "{owner}" is driven. Remove the driver, or change what drives it':
        '"{owner}" 的{channel}由驱动器控制。请移除驱动器，或修改驱动源',
    '{channel} of "{owner}" is locked and would have to change. Unlock it first':
        '"{owner}" 的{channel}已锁定，但需要改变。请先解锁',
    "Choose the frames here instead of taking what the scene plays": "在此选择帧，而不采用场景的播放范围",
    "Circle Dashes": "圆周虚线段数",
    "Clear": "清空",
    "Color of a limb that cannot fold far enough for its target": "肢体无法折叠到足以到达目标时的颜色",
    "Color of a limb that is slowed down short of its target": "肢体在到达目标之前被减缓时的颜色",
    "Color of a limb that reaches its target": "肢体到达目标时的颜色",
    "Color of a limb that rests, and of a pole that cannot decide where the joint goes":
        "已停用的肢体，以及无法决定关节朝向的极向目标的颜色",
    "Color of a limb whose target is out of reach": "肢体够不到目标时的颜色",
    "Control bones of the same armature, in a bone collection of their own":
        "同一骨架中的控件骨骼，放在单独的骨骼集合中",
    "Controls": "控件",
    'Controls are EMPTIES or BONES, not "{kind}"': '控件只能是 EMPTIES 或 BONES，不能是 "{kind}"',
    "{control} cannot be put where the limb needs it. Check its parents and their scale":
        "无法将 {control} 放到肢体所需的位置。请检查它的父级及其缩放",
    '{control} cannot be put where the limb needs it: its constraint "{constraint}" keeps it elsewhere. Mute '
    "that constraint first":
        '无法将 {control} 放到肢体所需的位置：它的约束 "{constraint}" 将它固定在别处。请先屏蔽该约束',
    "{control} is connected to its parent bone and cannot be moved. Disconnect it in Edit Mode":
        "{control} 与父级骨骼相连，无法移动。请在编辑模式下断开连接",
    "{control} is hidden. Show it first": "{control} 已隐藏。请先显示它",
    "Converted to native IK: {bones}": "已转换为内置 IK：{bones}",
    "Converted to Two-Bone IK: {bones}": "已转换为双骨骼 IK：{bones}",
    "{count} markers on the timeline": "时间轴上有 {count} 个标记",
    "Distance": "距离",
    "Draw every limb of the scene": "绘制场景中的所有肢体",
    "Draw reach, target and pole of limbs with Two-Bone IK in this workspace":
        "在此工作区中绘制双骨骼 IK 肢体的可及范围、目标和极向目标",
    "Draw the limbs whose bones, target or pole are active or selected":
        "绘制骨骼、目标或极向目标处于活动或选中状态的肢体",
    "Draw the paths that joint and tip of the selected limbs take, frames out of reach marked; again to refresh "
    "them":
        "绘制所选肢体的关节和末端的运动路径，并标记够不到目标的帧；再次执行可刷新",
    "Empties": "空物体",
    'Empties hang on the armature itself. Ask for control bones to have them hang on "{bone}"':
        '空物体的父级是骨架本身。若要以 "{bone}" 为父级，请使用控件骨骼',
    "Empty objects that move with the armature object": "随骨架物体移动的空物体",
    "End": "结束",
    "Fastest at frame {frame:g}: {speed:.1f}° per frame": "第 {frame:g} 帧最快：每帧 {speed:.1f}°",
    "File": "文件",
    '"{file}" cannot be opened: {reason}': '无法打开 "{file}"：{reason}',
    '"{file}" cannot be saved: {reason}': '无法保存 "{file}"：{reason}',
    '"{file}" cannot be written. Check its permissions': '无法写入 "{file}"。请检查其权限',
    '"{file}" has no limbs in the scene "{scene}", and is saved as it is':
        '"{file}" 的场景 "{scene}" 中没有肢体，已原样保存',
    '"{file}" links "{library}", which is not there': '"{file}" 关联了 "{library}"，但找不到该文件',
    "First bone of the limb; empty for the parent of the selected bone": "肢体的第一根骨骼；留空则使用所选骨骼的父级",
    "First frame": "首帧",
    "First frame of the range": "区间内的首帧",
    "FK cannot undo the shear of its parents": "FK 无法抵消父级的切变",
    "FK pose": "FK 姿态",
    "FK pose, IK is off": "FK 姿态，IK 已关闭",
    "Flips at frame {frame:g}, by {angle:.0f}°": "在第 {frame:g} 帧翻转 {angle:.0f}°",
    "Follow Rotation": "跟随旋转",
    "Font Size": "字号",
    "Frame Range": "帧范围",
    "Frames from one match to the next": "相邻两次匹配之间的帧数",
    "Frames from one point to the next": "相邻两点之间的帧数",
    "Frames from one to the next": "相邻两帧之间的帧数",
    "Frames {first:g} to {last:g}": "第 {first:g} 到 {last:g} 帧",
    "Frames {first} to {last}": "第 {first} 到 {last} 帧",
    "Frames {start:g} to {end:g}: {gap} too close": "第 {start:g} 到 {end:g} 帧：过近 {gap}",
    "Frames {start:g} to {end:g}: {gap} too far": "第 {start:g} 到 {end:g} 帧：过远 {gap}",
    "Gap": "间隙",
    "{gap} short": "差 {gap}",
    "{gap} too close": "过近 {gap}",
    "{gap} too far": "过远 {gap}",
    "Greatest angle between the bones, 180° is folded; the reach ends where it is come to":
        "两骨骼间的最大角度，180° 为完全折叠；达到该角度处即为可及范围的边界",
    "Hand or foot bone whose head is the end of the limb; empty for the tail of the bone":
        "手或脚骨骼，以其头端作为肢体末端；留空则使用下段骨骼的尾端",
    '"{hand}" cannot follow the target of "{bone}": it belongs to the limb of "{other}". Remove that IK first':
        '"{hand}" 无法跟随 "{bone}" 的目标：它属于 "{other}" 的肢体。请先移除那里的 IK',
    '"{hand}" cannot follow: it is scaled to zero. Clear its scale': '"{hand}" 无法跟随：它的缩放为零。请清空缩放',
    "How large controls are drawn, 1 for what suits the limb": "控件的显示大小，1 表示与肢体相称",
    "How large the controls of new limbs are drawn, 1 for what suits the limb":
        "新肢体控件的显示大小，1 表示与肢体相称",
    "How many dashes a circle of reach has": "可及范围的圆由多少段虚线组成",
    "How much of the IK pose is used; at 0 the limb shows its FK pose":
        "IK 姿态所占的比重；为 0 时肢体显示其 FK 姿态",
    "How much the hand or foot bone turns with the target; switching it on moves nothing":
        "手或脚骨骼随目标转动的程度；启用时姿态不会改变",
    "IK bends the joint about one axis only, and turns no bone about itself":
        "IK 只能使关节绕一个轴弯曲，且不会使骨骼绕自身转动",
    "Influence": "影响",
    "Influence to 0": "影响设为 0",
    "Joint Angle": "关节角度",
    "Key Influence": "对影响插入关键帧",
    "Key the influence to 0 in the baked range; outside of it the IK goes on":
        "在烘焙范围内将影响的关键帧设为 0；范围之外 IK 继续起作用",
    "Key what the selected limbs show as rotations of their own bones, and hand these over to FK; Esc stops it":
        "将所选肢体显示的姿态作为其自身骨骼的旋转插入关键帧，并交给 FK；按 Esc 可中止",
    "Last frame": "末帧",
    "Last frame of the range": "区间内的末帧",
    "Least angle between the bones, 0 is straight; the reach ends where it is come to":
        "两骨骼间的最小角度，0 为伸直；达到该角度处即为可及范围的边界",
    "Leave out keys where joint and tip move by no more than this; 0 keeps all":
        "略去使关节和末端移动不超过此值的关键帧；0 表示全部保留",
    "Limbs": "肢体",
    "Line Width": "线宽",
    "List the frames in which the selected limbs miss their targets, and those in which their joints pop or flip":
        "列出所选肢体未到达目标的帧，以及关节弹跳或翻转的帧",
    "Lock the interface while this scene renders, so that solving limbs meanwhile is safe":
        "在渲染此场景时锁定界面，使渲染期间的肢体求解不会出错",
    "Longest Reach": "最远可及距离",
    "Looked at {count} limbs on {frames} frames: {well} are well":
        "已检查 {count} 个肢体，共 {frames} 帧：{well} 个没有问题",
    "Lower Bone": "下段骨骼",
    "Mark what the reach report has found on the timeline, in place of earlier marks":
        "在时间轴上标记可及范围报告的结果，替换之前的标记",
    "Mark what was found on the timeline, in place of earlier marks": "在时间轴上标记结果，替换之前的标记",
    "Match every frame of a range by itself and key it": "逐帧匹配范围内的每一帧并插入关键帧",
    "Matched FK of {bones}": "已匹配 {bones} 的 FK",
    "Matched IK of {bones}": "已匹配 {bones} 的 IK",
    "Max": "最大值",
    "Maximum Bend": "最大弯曲",
    "Minimum Bend": "最小弯曲",
    "more than {sweeps}": "超过 {sweeps}",
    "Move the constraints that deliver the pose of the selected limbs to the end, so that no other one changes it":
        "将输出所选肢体姿态的约束移到末尾，使其他约束不再改变该姿态",
    "Mute every other IK constraint that moves the bones of the selected limbs, so that their own pose shows":
        "屏蔽所有移动所选肢体骨骼的其他 IK 约束，使肢体自身的姿态得以显示",
    "Muted other IK of {bones}": "已屏蔽 {bones} 的其他 IK",
    "{names} have keys, and none were set: the match of {limbs} lasts until the frame changes. Match again with "
    "Set Keys to keep it":
        "{names} 带有关键帧，但没有插入新关键帧：{limbs} 的匹配只保持到切换帧为止。若要保留，请启用“插入关键帧”选"
        "项后再次匹配",
    '"{name}" could not be written: {reason}': '无法写入 "{name}"：{reason}',
    '"{name}" is neither a .csv nor a .json file. Choose one of these':
        '"{name}" 既不是 .csv 也不是 .json 文件。请选择其中一种',
    "New Action": "新动作",
    "New Limbs": "新肢体",
    "None": "无",
    "none": "无",
    "Object that the joint points to": "关节所指向的物体",
    "Object that the limb reaches for": "肢体伸向的物体",
    '"{object}" has no bone "{bone}"': '"{object}" 没有骨骼 "{bone}"',
    '"{object}" is being tweaked in the NLA Editor. Leave tweak mode first':
        '"{object}" 正处于 NLA 编辑器的调整模式。请先退出调整模式',
    '"{object}" is in no scene': '"{object}" 不在任何场景中',
    '"{object}" is linked from another file. Make a library override of it first':
        '"{object}" 关联自其他文件。请先为它创建库重写',
    '"{object}" is not an armature. Choose an armature object': '"{object}" 不是骨架。请选择骨架物体',
    '"{object}" is not in the scene. Link it there first': '"{object}" 不在场景中。请先将它关联到场景',
    '"{object}", bone "{bone}"': '"{object}" 的骨骼 "{bone}"',
    "Only take earlier marks away": "仅移除之前的标记",
    "Out of reach by {gap}": "够不到目标，差 {gap}",
    "Out of reach on {count} frames, by up to {gap} at frame {frame:g}":
        "有 {count} 帧够不到目标，第 {frame:g} 帧差距最大，为 {gap}",
    "Overlay": "叠加",
    "Overlay Colors": "叠加层颜色",
    "Own Range": "自定义范围",
    "Parent": "父级",
    "Parent Bone": "父级骨骼",
    "Paths": "路径",
    "Paths of the joint and the tip, which Blender's own motion paths cannot show":
        "关节和末端的路径，Blender 自带的运动路径无法显示它们",
    "Pole": "极点",
    "pole": "极向目标",
    "Pole Angle": "极向角度",
    "Pole Bone": "极向目标骨骼",
    "Pole on the line": "极向目标在连线上",
    "Pop": "弹跳",
    "Pops at frame {frame:g}, by {change:.1f}° per frame": "在第 {frame:g} 帧弹跳，每帧 {change:.1f}°",
    'Python in "{file}" was not run ({what}), and what it drives may stand still. Give Blender -y before '
    "--command if you trust the file":
        '"{file}" 中的 Python 未运行（{what}），由它驱动的内容可能静止不动。如果信任该文件，请在 --command 之前为'
        " Blender 加上 -y",
    "Reach and targets of Two-Bone IK, drawn in the view": "在视图中绘制双骨骼 IK 的可及范围和目标",
    "Reach Report": "可及范围报告",
    "Reached": "已到达",
    "Readings": "测量值",
    "Remove IK": "移除 IK",
    "Remove keys and drivers from the constraints that deliver the pose of the selected limbs; the limbs keep "
    "their own":
        "移除输出所选肢体姿态的约束上的关键帧和驱动器；肢体自身的关键帧保持不变",
    "Remove the IK from the limbs": "从肢体移除 IK",
    "Remove the paths of all limbs, selected or not": "移除所有肢体的路径，无论是否选中",
    "Remove the paths of the selected limbs": "移除所选肢体的路径",
    "Remove the two-bone IK of the selected limbs; the bones show their FK pose again":
        "移除所选肢体的双骨骼 IK；骨骼恢复显示其 FK 姿态",
    "Removed keys and drivers from the constraints of {bones}": "已移除 {bones} 的约束上的关键帧和驱动器",
    'Rendering "{scene}" from the interface may crash while limbs are solved: turn on Lock Interface in the '
    "Render menu":
        '从界面渲染 "{scene}" 时，求解肢体可能导致崩溃：请在“渲染”菜单中启用“锁定界面”',
    "Replace IK constraints that move two bones, on the selected bones, by Two-Bone IK that follows the same "
    "targets":
        "将所选骨骼上移动两根骨骼的 IK 约束替换为跟随相同目标的双骨骼 IK",
    "Replace the Two-Bone IK of the selected limbs by Blender's IK constraint, for files that go where it is "
    "missing":
        "将所选肢体的双骨骼 IK 替换为 Blender 的 IK 约束，用于要交给未安装此扩展的环境的文件",
    "Resting": "已停用",
    "Resting in its FK pose": "已停用，显示 FK 姿态",
    "Rests": "已停用",
    "Rests on {count} frames, first at frame {frame:g}": "有 {count} 帧停用，首次在第 {frame:g} 帧",
    "Root": "根",
    "Root Angle": "根部角度",
    "Save the reach report as a table (CSV) or for programs (JSON)":
        "将可及范围报告保存为表格 (CSV) 或供程序读取的 JSON 文件",
    "Saved {name}": "已保存 {name}",
    '"{scene}" is linked from another file. Turn on Lock Interface there':
        '"{scene}" 关联自其他文件。请在该文件中启用“锁定界面”',
    "Select a bone of a limb whose IK constraint moves two bones": "请选择由 IK 约束移动两根骨骼的肢体中的一根骨骼",
    "Select a bone of an armature in Pose Mode first": "请先在姿态模式下选择骨架的一根骨骼",
    "Select a bone that has Two-Bone IK": "请选择带有双骨骼 IK 的骨骼",
    "Select a target or pole of a Two-Bone IK limb": "请选择双骨骼 IK 肢体的目标或极向目标",
    "Select the limbs that follow the selected targets and poles, entering Pose Mode for it":
        "选择跟随所选目标和极向目标的肢体，并为此进入姿态模式",
    "Select the lower bone of a limb, such as a forearm or shin": "请选择肢体的下段骨骼，例如前臂或小腿",
    "Select the poles of the selected limbs, leaving Pose Mode where the poles are objects":
        "选择所选肢体的极向目标；若极向目标是物体，则退出姿态模式",
    "Select the targets of the selected limbs, leaving Pose Mode where the targets are objects":
        "选择所选肢体的目标；若目标是物体，则退出姿态模式",
    "Selected": "选中项",
    "Set Keys": "插入关键帧",
    "Set keys at the current frame even where auto-key is off": "即使未启用自动插帧，也在当前帧插入关键帧",
    "Set the influence to 0 and remove its keys; at 1 the IK is back":
        "将影响设为 0 并移除其关键帧；设为 1 即可恢复 IK",
    '{setting} of the IK constraint "{constraint}" is animated; what it is now stays':
        'IK 约束 "{constraint}" 的{setting}带有动画，保留当前值',
    'Several bones start at the tip of "{bone}": {hands}. Remove the IK and add it with one of them chosen as '
    "tip bone":
        '有多根骨骼从 "{bone}" 的末端开始：{hands}。请移除 IK，重新添加时选择其中一根作为末端骨骼',
    "Share of Reach": "占最远距离",
    "Share of the reach over which the limb slows down before it is straight, so that the joint does not pop; "
    "the tip then stays a little short of the target":
        "肢体在伸直之前减缓的区间占可及距离的比例，使关节不会突然弹直；此时末端会与目标略有差距",
    "Shortest Reach": "最近可及距离",
    "Size": "尺寸",
    "Size of the overlay's labels in points": "叠加层标签的字号，以点为单位",
    "Softened": "已柔化",
    "Softened, {gap} short": "已柔化，差 {gap}",
    "Softness": "柔和度",
    "Softness that new limbs start with": "新肢体的初始柔和度",
    "Softness that the limb starts with; a target made for it stands where the pose is kept":
        "肢体的初始柔和度；为它创建的目标位于能保持当前姿态的位置",
    "Start": "起始",
    "Step": "步长",
    "Stopped. Nothing was changed": "已中止，未做任何更改",
    "Switch the selected limbs to FK and keep their pose: the bones' own rotations take it over":
        "将所选肢体切换到 FK 并保持姿态：由骨骼自身的旋转接管",
    "Switch the selected limbs to IK and keep their pose: target and pole move to where it needs them":
        "将所选肢体切换到 IK 并保持姿态：目标和极向目标移动到所需的位置",
    "Target": "目标",
    "The object was deleted. Look it up by its name again": "该物体已被删除。请按名称重新获取它",
    "The {name} {given} is not a number between {least:g} and {most:g}. Give one that is":
        "{name} {given} 不是 {least:g} 与 {most:g} 之间的数字。请给出这样的数字",
    "The {name} {given} is not a number of {least:g} or more. Give one that is":
        "{name} {given} 不是大于或等于 {least:g} 的数字。请给出这样的数字",
    "There are more than {most} frames to go through. Choose fewer": "要处理的帧超过 {most} 帧。请选择较少的帧",
    "There is no limb to match. Choose one": "没有可匹配的肢体。请选择一个",
    "control size": "控件大小",
    "pop": "弹跳",
    "softness": "柔和度",
    'The action "{action}" is linked from another file. Make it local first':
        '动作 "{action}" 链接自其他文件。请先使其本地化',
    'The curve of {channel} of "{owner}" has modifiers, or is sampled, so that keys are not what it shows. '
    'Remove the modifiers first': '"{owner}" 的 {channel} 曲线带有修改器或为采样曲线，其显示的值并非关键帧的值。请先移除修改器',
    'The curve of {channel} of "{owner}" is locked or muted. Unlock and unmute it first':
        '"{owner}" 的 {channel} 曲线已锁定或静音。请先解除锁定和静音',
    '"{object}" is hidden. Show it first': '"{object}" 已隐藏。请先显示它',
    "target": "目标",
    "tolerance": "容差",
    "{frames} are no frames. Give them as numbers, such as range(1, 101)": "{frames} 不是帧。请以数字给出，例如 range(1, 101)",
    "{given} are no names of bones. Give the name of a lower bone, or several":
        "{given} 不是骨骼名称。请给出一个或多个下段骨骼的名称",
    "Target Bone": "目标骨骼",
    "Target reached": "已到达目标",
    '"{text}" names no frames. Write 1:100, or 1:100:2 for every second, or 1:10,24':
        '"{text}" 没有指定帧。请写成 1:100，每隔一帧写成 1:100:2，或写成 1:10,24',
    'The action "{action}" is linked from another file. Bake into a new action, or make it local':
        '动作 "{action}" 关联自其他文件。请烘焙到新动作，或将其转为本地项',
    'The action "{action}" moves "{object}" too. Bake into a new action, or make it single-user':
        '动作 "{action}" 也驱动着 "{object}"。请烘焙到新动作，或将其单用户化',
    'The action of "{object}" is mixed with its NLA strips, so that keys would not be what is shown. Set it to '
    "Replace with an influence of 1":
        '"{object}" 的动作与其 NLA 片段混合，关键帧将与显示的结果不同。请将它设为“替换”，影响设为 1',
    'The bones of "{armature}" come from another file, and Blender lets nobody add any. Use empties as controls':
        '"{armature}" 的骨骼来自其他文件，Blender 不允许添加骨骼。请使用空物体作为控件',
    'The constraint "{constraint}" of "{bone}" comes after Two-Bone IK and changes its pose: mute it, or move '
    "Two-Bone IK to the end":
        '"{bone}" 的约束 "{constraint}" 位于 Two-Bone IK 之后，会改变其姿态：请屏蔽它，或将 Two-Bone IK 移到末尾',
    'The constraint "{constraint}" of "{bone}" comes from the library and cannot be removed here. Convert the '
    "limb in the file of the library":
        '"{bone}" 的约束 "{constraint}" 来自库文件，无法在此移除。请在库文件中转换该肢体',
    'The constraint "{constraint}" of "{bone}" goes on turning it, on top of the baked keys: mute it if it is '
    "not wanted":
        '"{bone}" 的约束 "{constraint}" 会在烘焙的关键帧之上继续转动它：若不需要，请将其屏蔽',
    'The constraint "{constraint}" of "{bone}" has keys or drivers, which fight with the solved pose: remove '
    "them, and key the influence of the limb instead":
        '"{bone}" 的约束 "{constraint}" 带有关键帧或驱动器，与求解的姿态冲突：请移除它们，改为对肢体的影响插入关'
        "键帧",
    'The constraint "{constraint}" of "{bone}" keeps FK from the pose. Mute it first':
        '"{bone}" 的约束 "{constraint}" 使 FK 无法得到该姿态。请先屏蔽它',
    'The constraint "{constraint}" of "{bone}" moves the bones of "{limb}" by another IK, which hides this one: '
    "mute it, or remove it":
        '"{bone}" 的约束 "{constraint}" 用另一个 IK 移动 "{limb}" 的骨骼，使这里的 IK 不起作用：请屏蔽或移除它',
    'The constraints of "{bone}" come from another file and cannot be moved. Mute those after Two-Bone IK':
        '"{bone}" 的约束来自其他文件，无法移动。请屏蔽位于 Two-Bone IK 之后的约束',
    'The FK pose of "{bone}" was made the pose shown, since native IK starts from it':
        '已将 "{bone}" 的 FK 姿态设为显示的姿态，因为内置 IK 以它为起点',
    'The FK pose of "{bone}", from which native IK starts, is animated and was left':
        '"{bone}" 的 FK 姿态是内置 IK 的起点，它带有动画，因此保持不变',
    'The hand of "{bone}" does not follow yet: press Rebind': '"{bone}" 的手尚未跟随：请点击“重新绑定双骨骼 IK”',
    'The hand of "{bone}" does not follow: its target {control} is scaled to zero and has no rotation. Clear its '
    "scale":
        '"{bone}" 的手没有跟随：它的目标 {control} 缩放为零，没有旋转可言。请清空缩放',
    'The IK constraint "{constraint}" of "{bone}" does not move two bones. Set its Chain Length to 2':
        '"{bone}" 的 IK 约束 "{constraint}" 移动的不是两根骨骼。请将其链长设为 2',
    'The IK constraint "{constraint}" of "{bone}" does not reach for a place, which is all that Two-Bone IK does':
        '"{bone}" 的 IK 约束 "{constraint}" 不是用于到达某个位置，而双骨骼 IK 只能做到这一点',
    'The IK constraint "{constraint}" of "{bone}" follows the vertex group "{group}". Let it follow an object or '
    "a bone":
        '"{bone}" 的 IK 约束 "{constraint}" 跟随顶点组 "{group}"。请让它跟随物体或骨骼',
    'The IK constraint "{constraint}" of "{bone}" has no target. Choose one first':
        '"{bone}" 的 IK 约束 "{constraint}" 没有目标。请先选择目标',
    'The IK constraint "{constraint}" of "{bone}" is switched by its mute, which is keyed or driven. Remove that '
    "animation, and all IK constraints of the limb but the one to keep":
        '"{bone}" 的 IK 约束 "{constraint}" 通过屏蔽来切换，而屏蔽带有关键帧或驱动器。请移除该动画，并只保留该肢'
        "体的一个 IK 约束",
    'The IK constraint of "{bone}" was muted, and so are those of its Two-Bone IK':
        '"{bone}" 的 IK 约束原为屏蔽状态，其双骨骼 IK 的约束也同样屏蔽',
    'The influence of "{bone}" is driven, so that it cannot be taken back after baking. Remove the driver, or '
    "choose to remove the IK":
        '"{bone}" 的影响由驱动器控制，烘焙之后无法归零。请移除驱动器，或选择移除 IK',
    "The interface is locked during renders already": "渲染期间已锁定界面",
    "The limb to make active among the selected ones; empty for the limbs of the selected controls":
        "在所选肢体中要设为活动项的肢体；留空则选择所选控件对应的肢体",
    'The minimum bend of "{bone}" is greater than its maximum bend, so that its joint is stiff: make one smaller '
    "or the other greater":
        '"{bone}" 的最小弯曲大于最大弯曲，关节因此僵住：请减小前者或增大后者',
    'The pole of "{bone}" is missing: {reason}': '"{bone}" 的极向目标缺失：{reason}',
    "The range ends at frame {end}, before its start {start}. Swap them":
        "范围在第 {end} 帧结束，早于起始的第 {start} 帧。请将两者对调",
    "The range {start} to {end} in steps of {step} has more than {most} frames. Choose fewer":
        "从 {start} 到 {end}、步长 {step} 的范围超过 {most} 帧。请减少帧数",
    'The rest pose of "{bone}" was changed since its IK was bound: press Rebind':
        '绑定 IK 之后，"{bone}" 的静置姿态已改变：请点击“重新绑定双骨骼 IK”',
    'The root of "{upper}" moves with the limb of "{lower}" itself. Undo that dependency first':
        '"{upper}" 的根部随 "{lower}" 的肢体自身运动。请先解除这一依赖关系',
    'The rotation curves of "{bone}" are locked. Unlock them before baking':
        '"{bone}" 的旋转曲线已锁定。请在烘焙前解锁',
    'The rotation curves of "{bone}" are muted. Unmute them before baking':
        '"{bone}" 的旋转曲线已屏蔽。请在烘焙前取消屏蔽',
    'The rotation curves of "{bone}" have modifiers, or are sampled, so that keys are not what they show. Remove '
    "the modifiers before baking":
        '"{bone}" 的旋转曲线带有修改器或已采样，关键帧与显示的结果不同。请在烘焙前移除修改器',
    'The rotation of "{bone}" is driven. Remove the driver before baking':
        '"{bone}" 的旋转由驱动器控制。请在烘焙前移除驱动器',
    "The selected limbs have no paths. Select others, or clear all": "所选肢体没有路径。请选择其他肢体，或清除全部",
    "The step {step} is not above 0. Give 1 for every frame": "步长 {step} 不大于 0。若要每一帧，请设为 1",
    'The target of "{bone}" is missing: {reason}': '"{bone}" 的目标缺失：{reason}',
    "The topmost bone above the limb": "肢体之上最顶层的骨骼",
    'The {role} "{object}" is in no scene. Link it to the scene first':
        '{role} "{object}" 不在任何场景中。请先将它关联到场景',
    'The {role} bone "{bone}" was given without an armature. Give its armature object too':
        '给出了{role}骨骼 "{bone}"，但没有给出骨架。请同时给出其骨架物体',
    "The {role} is not an object. Choose an object, or an armature and one of its bones":
        "{role}不是物体。请选择物体，或骨架及其中的一根骨骼",
    'The {role} of "{bone}", {control}, is hidden in viewports or excluded, and Blender does not evaluate it: '
    "its keys and parents are not followed until it is shown (hiding it by the eye is fine)":
        '"{bone}" 的{role} {control} 已在视图中禁用或被排除，Blender 不会解算它：在重新显示之前，它的关键帧和父级'
        "都不起作用（用眼睛图标隐藏则没有问题）",
    'The {role} {control} is not at a finite place, or "{armature}" is scaled to zero. Check their transforms':
        '{role} {control} 的位置不是有限值，或 "{armature}" 的缩放为零。请检查它们的变换',
    'The {role} {control} moves with the limb of "{lower}". Choose one that does not hang on it':
        '{role} {control} 随 "{lower}" 的肢体运动。请选择不依附于该肢体的物体或骨骼',
    "There are no frames to go through. Give at least one": "没有要处理的帧。请至少给出一帧",
    "There are no paths. Calculate them first": "没有路径。请先计算",
    'There is no file "{file}". Check the path': '文件 "{file}" 不存在。请检查路径',
    'There is no folder "{folder}". Make it first': '文件夹 "{folder}" 不存在。请先创建',
    'There is no limb "{name}". There are: {limbs}': '没有肢体 "{name}"。现有肢体：{limbs}',
    "There is no limb to bake. Choose one": "没有要烘焙的肢体。请选择",
    "There is no limb to look at. Choose one": "没有要查看的肢体。请选择",
    "There is no reach report. Make one first": "没有可及范围报告。请先生成报告",
    'There is no scene "{scene}". There are: {scenes}': '没有场景 "{scene}"。现有场景：{scenes}',
    "They move with the armature object alone": "仅随骨架物体移动",
    "Timeline Markers": "时间轴标记",
    "Tip Bone": "末端骨骼",
    '"{tip}" is not below "{lower}". Choose the hand or foot bone of this limb':
        '"{tip}" 不在 "{lower}" 之下。请选择该肢体的手或脚骨骼',
    "Tolerance": "容差",
    "Too Close": "过近",
    "Too close by {gap}": "目标过近，差 {gap}",
    "Too Far": "过远",
    "Tools": "工具",
    "Trouble": "问题",
    "Turns the joint about the line from the root to the target": "使关节绕根部到目标的连线转动",
    "Two-Bone IK": "双骨骼 IK",
    "Two-Bone IK added to {bones}": "已为 {bones} 添加双骨骼 IK",
    "Two-Bone IK bound to {bones}": "已重新绑定 {bones} 的双骨骼 IK",
    "Two-Bone IK comes last on {bones}": "已将 {bones} 的 Two-Bone IK 约束移到末尾",
    "Two-Bone IK is at work. Press Esc to stop it": "双骨骼 IK 正在处理。按 Esc 可中止",
    "Two-Bone IK of the active limb": "活动肢体的双骨骼 IK",
    "Two-Bone IK of the limb that the active bone belongs to": "活动骨骼所属肢体的双骨骼 IK",
    "Two-bone IK of the selected bones": "所选骨骼的双骨骼 IK",
    "Two-Bone IK removed from {bones}": "已移除 {bones} 的双骨骼 IK",
    "Upper Bone": "上段骨骼",
    '"{upper}" has no bone above it that controls could hang on. Choose a bone, or none':
        '"{upper}" 之上没有可作为控件父级的骨骼。请选择一根骨骼，或不设父级',
    '"{upper}" is not above "{lower}" in "{armature}". Choose a parent of "{lower}"':
        '在 "{armature}" 中，"{upper}" 不在 "{lower}" 之上。请选择 "{lower}" 的父级',
    "What becomes of the IK": "如何处理 IK",
    "What control bones hang on": "控件骨骼的父级",
    "What is made for a new limb where no target or pole is selected": "未选择目标或极向目标时，为新肢体创建的内容",
    "What is made where no target or pole is selected": "未选择目标或极向目标时创建的内容",
    "Where the limbs miss their targets, pop or flip": "肢体未到达目标、弹跳或翻转之处",
    "Which limbs the overlay draws": "叠加层绘制哪些肢体",
    "Width of the overlay's lines in pixels": "叠加层线条的宽度，以像素为单位",
    **{f"Theme Color Set {number:02}": f"主题配色集 {number:02}" for number in range(1, 21)},
}
