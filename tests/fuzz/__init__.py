"""Inputs that nobody would write, by the million: anything but an AskosError is a defect, and so is
a hang, or a gigabyte.  `script/soak fuzz` runs it; what it found are cases in `test_found.py`."""
