import ArgumentParser
import DeviceLogins
import IdentityProvider

/// Devices.
struct DeviceCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices and take their logins away, and let Macs in.",
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

    /// A name that a device gave itself, so that it makes no line of its own: what is not visible ASCII is escaped.
    private static func shown(_ name: String) -> String {
      let scalars = name.unicodeScalars
      let text = scalars.prefix(200)
        .map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
      return text + (scalars.count > 200 ? "…" : "")
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Take a device's logins away.")

    @Argument(help: "The device, as the list names it.") var device: String
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      guard try await DeviceLogins(provider).revokeDevice(device, of: nil) else {
        throw ValidationError("There is no such device.")
      }
      await provider.audit.record(.init("device.revoked", detail: "command line"))
    }
  }
}
