#if DEBUG && !hasFeature(Embedded)
  /// What leaves no trace in a result: octets that are drawn, and memory that is wiped. For tests, which would not
  /// notice otherwise that either was dropped. Release builds have none of it.
  package struct SecretEvents: Sendable {
    /// The observer of whatever the closure of ``$observer`` does.
    @TaskLocal package static var observer: SecretEvents?

    /// Is handed each piece of memory that is to be filled with random octets. If it returns `true`, it has filled it.
    package let drawing: @Sendable (UnsafeMutableRawBufferPointer) -> Bool
    /// Is handed each piece of memory before it is wiped, with what is in it.
    package let wiping: @Sendable (UnsafeRawBufferPointer) -> Void

    package init(
      drawing: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Bool,
      wiping: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
    ) {
      self.drawing = drawing
      self.wiping = wiping
    }
  }
#endif
