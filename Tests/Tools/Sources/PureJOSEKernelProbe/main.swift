// Runs one kernel with several secrets between two marker functions, for a tool that steps through it on the processor.
//
//   PureJOSEKernelProbe --list
//   PureJOSEKernelProbe NAME COUNT
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--list"] {
  for operation in Operations.all {
    let extent = operation.isWhole ? "whole" : operation.isLong ? "long" : "short"
    print(operation.mustBeConstant ? "constant" : "leaky", extent, operation.name, separator: "\t")
  }
} else if arguments.count == 2, let operation = Operations.all.first(where: { $0.name == arguments[0] }),
  let count = Int(arguments[1]), count > 1
{
  try operation.run(secretCount: count, memory: Memory())
} else {
  print("usage: PureJOSEKernelProbe --list | NAME COUNT")
}
