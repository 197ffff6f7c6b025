/// Whether a message is being encrypted or decrypted.
enum GCMDirection {
  case seal, open
}

/// A message on its way through GCM: where its parts are.
///
/// `input` and `output` are `count` bytes each and may be the same memory, but must not overlap otherwise. `data` are
/// the `dataCount` bytes that are authenticated only.
struct GCMMessage {
  let input: UnsafeRawPointer
  let output: UnsafeMutableRawPointer
  let count: Int
  let data: UnsafeRawPointer
  let dataCount: Int

  init(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer
  ) {
    // An empty buffer may have no address; any will do for no bytes.
    let anywhere = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
    self.input = input.baseAddress ?? UnsafeRawPointer(anywhere)
    self.output = output.baseAddress ?? anywhere
    self.count = input.count
    self.data = additionalAuthenticatedData.baseAddress ?? UnsafeRawPointer(anywhere)
    self.dataCount = additionalAuthenticatedData.count
  }
}
