// The command. Only this target prints, reads the environment and picks exit codes.

internal import Formats

System.prepareSignals()
exitProcess(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))
