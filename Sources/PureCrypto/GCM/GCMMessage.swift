/// Whether a message is being encrypted or decrypted.
enum GCMDirection {
  case seal, open
}

/// A message on its way through GCM: where its parts are.
///
/// `input` and `output` are `count` bytes each and may be the same memory, but must not overlap otherwise.
struct GCMMessage {
  let input: UnsafeRawPointer
  let output: UnsafeMutableRawPointer
  let count: Int
  let additionalAuthenticatedData: UnsafeRawBufferPointer

  init(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer
  ) {
    // An empty buffer may have no address; any will do for no bytes.
    self.input = input.baseAddress ?? UnsafeRawPointer(bitPattern: 16).unsafelyUnwrapped
    self.output = output.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
    self.count = input.count
    self.additionalAuthenticatedData = additionalAuthenticatedData
  }
}
