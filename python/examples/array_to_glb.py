"""A NumPy array becomes a GLB file."""

import numpy as np

import sinew_rig as sinew

x, y = np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 1, 40))
frames = [np.stack([x, y, 0.2 * np.sin(6 * x + t / 8)], -1).reshape(-1, 3) for t in range(60)]
corner = (np.arange(39)[:, None] * 40 + np.arange(39)).ravel()
faces = np.stack([corner, corner + 1, corner + 41, corner + 40], -1)

rig = sinew.skin(sinew.Animation(np.array(frames, np.float32), faces, fps=30), bones=12)
rig.save("sheet.glb")
print(rig)
