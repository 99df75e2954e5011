# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar of the 3D view."""

import bpy

from . import building, operators, options


class Side:
    """Where panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Sinew"


class SINEW_PT_skin(Side, bpy.types.Panel):
    """What deforms becomes bones."""

    bl_label = "Skin to Bones"

    def draw(self, context):
        layout, wanted = self.layout, options.of(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(wanted, "goal", expand=True)
        if wanted.goal == "BONES":
            layout.prop(wanted, "bones")
            layout.prop(wanted, "corrections")
        else:
            layout.prop(wanted, "error")
        layout.prop(wanted, "kind")
        layout.prop(wanted, "influences")
        layout.prop(wanted, "hide")
        layout.prop(wanted, "colors")
        scene = context.scene
        layout.label(text=f"Frames {scene.frame_start} to {scene.frame_end}", icon="TIME")
        layout.operator(operators.SINEW_OT_skin.bl_idname, icon="BONE_DATA")


class SINEW_PT_skeleton(Side, bpy.types.Panel):
    """Joints out of motion, and motion onto joints."""

    bl_label = "Skeleton"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, wanted = self.layout, options.of(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(wanted, "joints")
        layout.operator(operators.SINEW_OT_skeleton.bl_idname, icon="ARMATURE_DATA")
        layout.separator()
        layout.prop(wanted, "source")
        layout.prop(wanted, "motion")
        layout.prop(wanted, "plant")
        layout.operator(operators.SINEW_OT_transplant.bl_idname, icon="ANIM_DATA")


class SINEW_PT_result(Side, bpy.types.Panel):
    """How good it is, and where it goes."""

    bl_label = "Result"

    def draw(self, context):
        layout = self.layout
        thing = context.object
        told = thing.get(building.KEPT) if thing is not None else None
        if told is None:
            layout.label(text="Nothing measured yet", icon="INFO")
        else:
            for text in lines(told.to_dict(), context.scene.frame_start):
                layout.label(text=text)
        layout.operator(operators.SINEW_OT_compare.bl_idname, icon="ZOOM_SELECTED")
        layout.operator(operators.SINEW_OT_export.bl_idname, icon="EXPORT")


def lines(told, first):
    """What was measured, in words."""
    made = []
    if "compared" in told:
        made.append(f"Compared with {told['compared']}")
    if "bones" in told:
        made.append(f"{told['bones']} {'joints' if told.get('skeleton') else 'bones'}")
    if "percent" in told:
        made.append(f"Error {told['percent']:.3g} % of the motion")
    if "max_frame" in told and "max_vertex" in told:
        made.append(f"Farthest off in frame {first + told['max_frame']}, vertex {told['max_vertex']}")
    if "seconds" in told:
        made.append(f"Found in {told['seconds']:.1f} s")
    return made


CLASSES = (SINEW_PT_skin, SINEW_PT_skeleton, SINEW_PT_result)


def register():
    for made in CLASSES:
        bpy.utils.register_class(made)


def unregister():
    for made in reversed(CLASSES):
        bpy.utils.unregister_class(made)
