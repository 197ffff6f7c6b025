var console = Console.standard
console.program = ProgramName(path: CommandLine.arguments.first ?? "")
let status = JOSECommand(console: console).run(Array(CommandLine.arguments.dropFirst()))
SystemInterface.end(with: status)
