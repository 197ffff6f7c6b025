/// Names that a provider expects in a device's messages: the same for all devices, or each device's own.
///
/// Providers name the audience of embedded assertions and of key requests, and sometimes the client, after the device.
public struct DeviceNames: Sendable, ExpressibleByArrayLiteral {
  private let names: @Sendable (RegisteredDevice) -> [String]

  /// The same names for all devices.
  public init(_ names: [String]) {
    self.names = { _ in names }
  }

  /// Each device's own names.
  public init(of names: @escaping @Sendable (RegisteredDevice) -> [String]) {
    self.names = names
  }

  /// The same names for all devices.
  public init(arrayLiteral elements: String...) {
    self.init(elements)
  }

  /// ``RegisteredDevice/id``.
  public static let identifier = DeviceNames { [$0.id] }

  /// ``RegisteredDevice/serialNumber``; none if it is not known.
  public static let serialNumber = DeviceNames { $0.serialNumber.map { [$0] } ?? [] }

  /// The names for a device.
  public func callAsFunction(_ device: RegisteredDevice) -> [String] { names(device) }
}
