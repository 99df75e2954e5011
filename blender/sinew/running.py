# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work beside a window that stays alive.

Work is a generator that yields what it does and how much of that is done. Where there is a window, a timer goes on with it a
little at a time, and what Sinew does happens on a thread of its own; without one it runs through.
"""

import threading
import time

import bpy


class Stopped(Exception):
    """The work was cancelled."""


def beside(call):
    """Calls a function with a listener on a thread of its own. A generator that yields its stages and returns the result."""
    state = {"stage": "working", "share": 0.0, "stop": False}
    outcome = {}

    def listen(stage, share):
        state["stage"], state["share"] = stage, share
        if state["stop"]:
            raise Stopped

    def run():
        try:
            outcome["result"] = call(listen)
        except BaseException as error:  # It is raised where the work is waited for.
            outcome["error"] = error

    thread = threading.Thread(target=run, name="sinew", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            yield state["stage"], state["share"]
            thread.join(0.01)
    finally:
        # Whoever closes the generator wants no more of it.
        state["stop"] = True
        thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


class Runs:
    """What operators share that take long: `steps` is their work."""

    #: How long a timer's turn may take, in seconds.
    TURN = 0.03

    _steps = None
    _timer = None

    def steps(self, context):
        """The work, a generator."""
        raise NotImplementedError

    def execute(self, context):
        try:
            for _ in self.steps(context):
                pass
        except Exception as error:
            return self._failed(error)
        return {"FINISHED"}

    def invoke(self, context, event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self.begin(context)

    def begin(self, context):
        """Starts the work; `modal` goes on with it."""
        self._steps = self.steps(context)
        manager = context.window_manager
        self._timer = manager.event_timer_add(0.05, window=context.window)
        manager.modal_handler_add(self)
        manager.progress_begin(0, 100)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._steps.close()
            self._end(context)
            self.report({"INFO"}, "Cancelled")
            return {"CANCELLED"}
        if event.type != "TIMER":
            # Nothing else may change the scene meanwhile; views may be turned.
            return {"PASS_THROUGH"} if event.type in {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE"} else {"RUNNING_MODAL"}
        until = time.monotonic() + self.TURN
        try:
            while True:
                stage, share = next(self._steps)
                if time.monotonic() >= until:
                    break
        except StopIteration:
            self._end(context)
            return {"FINISHED"}
        except Exception as error:
            self._end(context)
            return self._failed(error)
        context.window_manager.progress_update(100 * share)
        context.workspace.status_text_set(f"Sinew, {stage}: {100 * share:.0f} %  (Esc cancels)")
        return {"RUNNING_MODAL"}

    def _end(self, context):
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _failed(self, error):
        import sinew_rig

        if not isinstance(error, (sinew_rig.SinewError, ValueError, OSError)):
            raise error
        self.report({"ERROR"}, _sentence(str(error)))
        return {"CANCELLED"}

    def tell(self, said):
        """Passes warnings on."""
        for sentence in said:
            self.report({"WARNING"}, _sentence(sentence))


def _sentence(text):
    return text[:1].upper() + text[1:]
