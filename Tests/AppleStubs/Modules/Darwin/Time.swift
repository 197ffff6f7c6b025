// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The little of Darwin that the package calls.

public typealias time_t = Int
public struct clockid_t: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public struct timespec {
  public var tv_sec: time_t
  public var tv_nsec: Int
  public init() { (tv_sec, tv_nsec) = (0, 0) }
  public init(tv_sec: time_t, tv_nsec: Int) { (self.tv_sec, self.tv_nsec) = (tv_sec, tv_nsec) }
}

public var CLOCK_REALTIME: clockid_t { clockid_t(0) }
public func clock_gettime(_ __clock_id: clockid_t, _ __tp: UnsafeMutablePointer<timespec>!) -> Int32 { -1 }
public func getenv(_: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }
