import ArgumentParser
import DeviceLogins
import IdentityProvider

/// Devices.
struct DeviceCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices, revoke their logins, and write the profile for Macs.",
    subcommands: [List.self, Revoke.self, ProfileCommand.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the devices.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      for device in try await DeviceLogins(provider).devices(of: nil) {
        let (id, name) = (Self.shown(device.id), Self.shown(device.name))
        print("\(id)\t\(device.kind)\t\(name)\t\(device.isActive ? "active" : "revoked")")
      }
    }

    /// A name that a device chose. What is not visible ASCII is escaped, so that it can't begin a line of its own.
    private static func shown(_ name: String) -> String {
      let scalars = name.unicodeScalars
      let text = scalars.prefix(200)
        .map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
      return text + (scalars.count > 200 ? "…" : "")
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke a device's logins.")

    @Argument(help: "The device's identifier, as idp device list prints it.") var device: String
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      guard try await DeviceLogins(provider).revokeDevice(device, of: nil) else {
        throw ValidationError("There is no device with this identifier: idp device list shows all.")
      }
      await provider.audit.record(.init("device.revoked", detail: "command line"))
    }
  }
}
