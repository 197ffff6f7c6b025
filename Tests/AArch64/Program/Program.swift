/// Answers each line of standard input on standard output. A line that is not understood ends the program with status 1.
@_cdecl("main")
public func start() -> Int32 {
  var output: [UInt8] = []
  for line in Host.readAll().split(separator: UInt8(ascii: "\n")) {
    guard let operation = Operation(line) else { return 1 }
    traceBegins()
    let result = LeakyTwin(operation)?.result ?? operation.anyResult()
    traceEnds()
    guard let answer = Operation.answer(result) else { return 1 }
    output += answer
    output.append(UInt8(ascii: "\n"))
  }
  Host.write(output)
  return 0
}

/// What runs between a call of this and of ``traceEnds()`` is recorded and compared. Both write to memory, so that neither is dropped.
@inline(never)
public func traceBegins() { Marker.begun &+= 1 }

/// See ``traceBegins()``.
@inline(never)
public func traceEnds() { Marker.ended &+= 3 }

enum Marker {
  // Written by one thread only: the program has no other.
  nonisolated(unsafe) static var begun = 0
  nonisolated(unsafe) static var ended = 0
}

/// An operation that takes as long as two arguments are alike. The comparison of traces must tell its runs apart.
struct LeakyTwin {
  let result: Operation.Result

  init?(_ operation: Operation) {
    guard operation.isNamed("leaky-compare", 2) else { return nil }
    var count: UInt8 = 0
    for (first, second) in zip(operation.arguments[0], operation.arguments[1]) {
      if first != second { break }
      count &+= 1
    }
    result = .octets([count])
  }
}
