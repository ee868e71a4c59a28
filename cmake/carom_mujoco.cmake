# MuJoCo models as impact problems: sets CAROM_HAS_MUJOCO.
