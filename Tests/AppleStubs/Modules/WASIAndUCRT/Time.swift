// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The little of wasi-libc and the Universal C Runtime that the package calls. The clocks of the first are macros of
// pointers, which Swift can't see; the second has none.

public typealias time_t = Int64
public struct timespec {
  public var tv_sec: time_t
  public var tv_nsec: Int32
  public init() { (tv_sec, tv_nsec) = (0, 0) }
}

public var TIME_UTC: Int32 { 1 }
public func timespec_get(_: UnsafeMutablePointer<timespec>!, _: Int32) -> Int32 { 0 }
public func getenv(_: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }
