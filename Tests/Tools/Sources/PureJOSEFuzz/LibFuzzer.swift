import PureJOSEFuzzTargets

#if LIBFUZZER
  /// libFuzzer's entry for programs that have a `main` of their own. It comes with `-sanitize=fuzzer`.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt

  /// What the callback, a C function without a context, runs. Set once, before the only thread begins.
  nonisolated(unsafe) private var current = FuzzTarget.all[0]

  func runLibFuzzer(_ target: FuzzTarget) {
    current = target
    // libFuzzer takes the rest as its own command line; the target's name stands where it expects the program's.
    var count = CommandLine.argc - 1
    var arguments = CommandLine.unsafeArgv + 1
    _ = runDriver(&count, &arguments) { bytes, count in
      do {
        _ = try current.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
      } catch {
        fatalError("\(current.name): \(error)")
      }
    }
  }
#else
  func runLibFuzzer(_ target: FuzzTarget) {
    fail("built without libFuzzer; see Tests/Fuzz/run")
  }
#endif
