# SPDX-License-Identifier: GPL-3.0-or-later
"""Sinew in Blender: what deforms becomes bones.

    options      what can be asked for, kept with the scene
    operators    what the panel's buttons do
    running      long work beside a window that stays alive
    sampling     objects -> positions in every frame
    reading      meshes with armatures -> rigs
    building     rigs -> meshes with armatures
    panel        the sidebar

Numbers are found by the Python package sinew_rig, which comes along as a wheel.
"""

import warnings

import sinew_rig

from . import operators, options, panel

# Reports hold them as well, and operators pass those on.
warnings.filterwarnings("ignore", category=sinew_rig.SinewWarning)

MODULES = (options, operators, panel)


def register():
    for module in MODULES:
        module.register()


def unregister():
    for module in reversed(MODULES):
        module.unregister()
