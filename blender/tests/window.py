"""What a window does: progress, Escape, undo, and what panels and operators are called."""

import time

# First, as it says where Blender has its folder.
from lab import activate, check, clear, grid
import bpy


class Quiet:
    """A part of a window that takes what it is told."""

    def __getattr__(self, name):
        return lambda *given, **named: None


class Windowed:
    """The context as if there were a window."""

    window_manager = workspace = window = Quiet()

    def __getattr__(self, name):
        return getattr(bpy.context, name)


class Event:
    """A turn of a timer, or a key."""

    def __init__(self, kind):
        self.type, self.value = kind, "PRESS"


def in_a_window():
    """The way through timers, with a window that is none: what it does to a scene, and what Escape leaves."""
    from bl_ext.user_default.sinew import operators

    class Driven(operators.Finds):
        TURN = 0.0
        find = operators.SINEW_OT_skin.find

        def report(self, kind, text):
            self.said = kind, text

    clear(40)
    sheet = grid(12)
    sheet.modifiers.new("Wave", "WAVE").height = 0.3
    activate(sheet)
    kept = bpy.data.objects, bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.scenes
    # Before it begins, while frames are read, while bones are found, while the result is played.
    for stop_at in (None, 1, 20, 42, -20):
        activate(sheet)
        before = [len(some) for some in kept]
        # Counted from the end of the whole way.
        stop_at = stop_at if stop_at is None or stop_at > 0 else whole + stop_at
        driven, context, turns = Driven(), Windowed(), 0
        state = driven.begin(context)
        while state == {"RUNNING_MODAL"}:
            turns += 1
            state = driven.modal(context, Event("ESC" if turns == stop_at else "TIMER"))
        after = [len(some) for some in kept]
        if stop_at is None:
            check("in turns of a timer", state == {"FINISHED"} and turns > 82 and after[0] == before[0] + 2, f"{turns} turns")
            sheet.hide_set(False)
            whole = turns
        else:
            left = after == before and not sheet.hide_get() and bpy.context.object == sheet
            well = state == {"CANCELLED"} and left and bpy.context.scene.frame_current == 1
            check(f"Escape after {stop_at} turns leaves all as it was", well)


def undone():
    """One step back takes all of it away."""
    clear(12)
    sheet = grid(12)
    sheet.modifiers.new("Wave", "WAVE").height = 0.3
    activate(sheet)
    bpy.ops.ed.undo_push(message="before")
    names = sorted(thing.name for thing in bpy.data.objects)
    bpy.ops.sinew.skin()
    more = len(bpy.data.objects)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    back = sorted(thing.name for thing in bpy.data.objects)
    hidden = bpy.data.objects["Sheet"].hide_get()
    check("undone", more == len(names) + 2 and back == names and not hidden)


def cancelled():
    """Work on a thread ends soon after nobody waits for it."""
    import sinew_rig
    from bl_ext.user_default.sinew.running import Stopped, beside

    creature = sinew_rig.creature(60, detail=2)
    ended = []

    def call(listen):
        try:
            return sinew_rig.skin(creature, bones=60, progress=listen)
        except Stopped:
            ended.append(True)
            raise

    steps = beside(call)
    for stage, share in steps:
        if share > 0:
            break
    begun = time.perf_counter()
    steps.close()
    waited = time.perf_counter() - begun
    check("cancelled within half a second", bool(ended) and waited < 0.5, f"{waited:.2f} s")


def registered():
    """Panels and operators as an artist would meet them; nobody looked at them in a window."""
    for name in ("skin", "skeleton", "transplant", "compare", "export"):
        made = getattr(bpy.ops.sinew, name).get_rna_type()
        check(f"operator {name}", bool(made.description) and made.name[:1].isupper(), f"{made.name}. {made.description}")
    for name in ("skin", "skeleton", "result"):
        made = getattr(bpy.types, f"SINEW_PT_{name}", None)
        check(f"panel {name}", made is not None and made.bl_category == "Sinew" and made.bl_region_type == "UI")
    for name, about in bpy.context.scene.sinew.bl_rna.properties.items():
        if name not in ("rna_type", "name"):
            check(f"option {name}", bool(about.description) and about.name[:1].isupper())
