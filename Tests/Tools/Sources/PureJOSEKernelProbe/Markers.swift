/// Instructions between a call of ``traceBegins()`` and the next of ``traceEnds()`` are recorded and compared.
///
/// The two write to memory, so that the optimiser neither drops nor merges them.
@inline(never)
func traceBegins() { Marker.begun &+= 1 }

/// See ``traceBegins()``.
@inline(never)
func traceEnds() { Marker.ended &+= 3 }

enum Marker {
  // Written by one thread only: the probe has no other.
  nonisolated(unsafe) static var begun = 0
  nonisolated(unsafe) static var ended = 0
}

/// Takes a value so that computing it can't be dropped.
@inline(never)
func consume<Value>(_ value: borrowing Value) {
  withExtendedLifetime(value) { Marker.ended &+= 0 }
}
