# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked for, kept with the scene."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty


class SinewOptions(bpy.types.PropertyGroup):
    """Options of the Sinew panel."""

    goal: EnumProperty(
        name="Goal",
        description="What decides how many bones there are",
        items=[
            ("BONES", "Bones", "As many bones as are asked for"),
            ("ERROR", "Error", "As few bones as keep the error within a limit; takes longer"),
        ],
        default="BONES",
    )
    bones: IntProperty(name="Bones", description="How many bones to use", default=30, min=1, soft_max=200)
    error: FloatProperty(
        name="Largest Error",
        description="How far the result may be off, in percent of the motion",
        default=1.0,
        min=0.01,
        soft_max=20.0,
        precision=2,
    )
    kind: EnumProperty(
        name="Bones Are",
        description="How bones move",
        items=[
            ("flexible", "Flexible", "Bones also stretch and shear: closer for cloth and soft bodies, two bones each"),
            ("rigid", "Rigid", "Bones only turn and shift: plain bones that every engine plays"),
        ],
        default="flexible",
    )
    influences: IntProperty(
        name="Influences", description="How many bones move a vertex at most", default=4, min=1, max=12
    )
    corrections: IntProperty(
        name="Corrections",
        description="Shape keys for what bones cannot show, such as wrinkles. 0 makes none",
        default=0,
        min=0,
        soft_max=16,
    )
    hide: BoolProperty(
        name="Hide Original", description="Hide the original object once there is a result", default=True
    )
    colors: BoolProperty(
        name="Error as Colors",
        description="Add a color attribute that shows how far each vertex is off at most, from blue to red",
        default=True,
    )
    joints: IntProperty(
        name="Joints", description="How many joints the skeleton has. 0 takes as many as the motion shows", default=0, min=0
    )
    source: PointerProperty(
        name="Armature",
        description="The armature whose motion is taken",
        type=bpy.types.Object,
        poll=lambda self, thing: thing.type == "ARMATURE",
    )
    motion: StringProperty(
        name="File", description="A file of motion instead: BVH, AMC, GLB, glTF or .sinew", subtype="FILE_PATH", default=""
    )
    plant: BoolProperty(
        name="Plant Feet", description="Keep feet where they stand on the ground", default=True
    )


def of(context):
    """The options of a scene."""
    return context.scene.sinew


def register():
    bpy.utils.register_class(SinewOptions)
    bpy.types.Scene.sinew = PointerProperty(type=SinewOptions)


def unregister():
    del bpy.types.Scene.sinew
    bpy.utils.unregister_class(SinewOptions)
