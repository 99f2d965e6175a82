import CLinux

clinux_reset_crash_signals()
