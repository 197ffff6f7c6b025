/// Calls `body` with the bytes of `bytes` in one contiguous run.
///
/// Arrays, slices, `Data`, buffers and `String.UTF8View` are borrowed in place; any other collection is copied first.
@inlinable
package func withContiguousBytes<Result, Failure: Error>(
  _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  try withInlinedContiguousBytes(bytes, body)
}

/// The same, inlined: for functions of any collection that clients call without a copy of their own. The outcome's type
/// is then known where it is used; of an unknown one, the runtime looks its metadata up each time, which takes longer
/// than many a `body`.
@inlinable @inline(__always)
package func withInlinedContiguousBytes<Result, Failure: Error>(
  _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  // `withContiguousStorageIfAvailable` can't carry a typed error, so the outcome travels as a value.
  let outcome: Swift.Result<Result, Failure>? = bytes.withContiguousStorageIfAvailable { storage in
    Swift.Result { () throws(Failure) -> Result in try body(UnsafeRawBufferPointer(storage)) }
  }
  if let outcome { return try outcome.get() }
  let copy = ContiguousArray(bytes)
  let copied: Swift.Result<Result, Failure> = copy.withUnsafeBytes { storage in
    Swift.Result { () throws(Failure) -> Result in try body(storage) }
  }
  return try copied.get()
}
