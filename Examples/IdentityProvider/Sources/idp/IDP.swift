import ArgumentParser
import NIOCore
import NIOPosix

/// The command line.
@main struct IDP: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idp", abstract: "An OpenID provider for a small company.",
    subcommands: [
      Serve.self, InitCommand.self, DoctorCommand.self, UserCommands.self, ClientCommands.self, DeviceCommands.self,
      KeyCommands.self, Backup.self, MigrateCommand.self,
    ])

  static func main() async {
    // A task then runs on the thread of its connection. Otherwise each request changes threads several times, which
    // takes more processor time than what it does there. What keeps a processor busy, such as the hash of a password,
    // runs on threads of its own.
    NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    await main(nil)
  }
}
