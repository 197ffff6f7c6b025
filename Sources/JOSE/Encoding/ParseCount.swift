#if DEBUG
  import Synchronization

  /// How often texts were taken apart while it was the current one: for the tests that demand once.
  package final class ParseCount: Sendable {
    /// What is taken apart.
    package enum Part: Sendable {
      /// A compact serialization.
      case compact
      /// The fields of a form.
      case form
      /// The JSON text of a header or of claims.
      case json
    }

    /// Who counts in this task.
    @TaskLocal package static var current: ParseCount?

    private let counts = Mutex<[Part: Int]>([:])

    package init() {}

    /// How often a part was taken apart.
    package subscript(_ part: Part) -> Int { counts.withLock { $0[part] ?? 0 } }

    static func note(_ part: Part) {
      current?.counts.withLock { $0[part, default: 0] += 1 }
    }
  }
#else
  /// Nothing is counted in release builds.
  enum ParseCount {
    enum Part { case compact, form, json }

    @inline(__always) static func note(_ part: Part) {}
  }
#endif
