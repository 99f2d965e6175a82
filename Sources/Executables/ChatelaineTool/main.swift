import CLinux
import Glibc

clinux_reset_crash_signals()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
