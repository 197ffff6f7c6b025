/// Plays Native SSO in one process: two apps of a vendor, a stranger's app, and a provider. Every token is signed and
/// verified.
struct NativeSSODemo {
  let console: Console

  /// Plays all scenes and shows what went over the wire.
  ///
  /// - Throws: ``CommandFailure/invalid(_:)`` if anything turns out otherwise than the specification says.
  func run() async throws(CommandFailure) {
    guard let script = try? await NativeSSODemoScript() else {
      throw .invalid("the demonstration could not be set up")
    }
    let failure = await script.play()
    console.write(await script.transcript)
    if let failure { throw failure }
  }
}
