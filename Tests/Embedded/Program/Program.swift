/// Answers each line of standard input on standard output. A line that is not understood ends the program with status
/// 1.
@_cdecl("_start")
@_expose(wasm, "_start")
func start() {
  var output: [UInt8] = []
  for line in Host.readAll().split(separator: UInt8(ascii: "\n")) {
    guard let answer = Operation(line)?.answer() else { Host.exit(1) }
    output += answer
    output.append(UInt8(ascii: "\n"))
  }
  Host.write(output)
}
