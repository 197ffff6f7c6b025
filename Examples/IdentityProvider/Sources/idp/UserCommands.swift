import ArgumentParser
import Foundation
import IdentityProvider
import JOSE

/// Users.
struct UserCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add users, list them and change their passwords.",
    subcommands: [Add.self, Password.self, List.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a user. The password is read from standard input.")

    @Argument(help: "What the user types to log in.") var username: String
    @Option(help: "The email address.") var email: String
    @Option(help: "The full name.") var name: String?
    @Option(help: "A file with further claims, as a JSON object: given_name, address and so on.") var claims: String?
    @Flag(help: "The user administers the provider.") var admin = false
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let password = try UserCommands.newPassword(username: username, email: email)
      var more: JSONObject = [:]
      if let claims {
        guard let data = FileManager.default.contents(atPath: claims) else {
          throw ValidationError("The file can't be read.")
        }
        more = try JSONObject(parsing: data)
      }
      let user = try await options.provider().addUser(
        username, email: email, name: name, claims: more, password: password, isAdmin: admin)
      print(user.id)
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a user another password, from standard input. All of the user's logins end.")

    @Argument(help: "What the user types to log in.") var username: String
    @OptionGroup var options: FolderOptions

    func run() async throws {
      let password = try UserCommands.newPassword(username: username, email: "")
      guard try await options.provider().replacePassword(of: username, by: password) else {
        throw ValidationError("There is no user of this name.")
      }
    }
  }

  /// A line of standard input, which must be what the account page would take, too.
  private static func newPassword(username: String, email: String) throws -> String {
    guard let password = readLine(strippingNewline: true) else {
      throw ValidationError("Standard input has to bring a password, as one line.")
    }
    do {
      try PasswordRules.check(password, username: username, email: email)
    } catch {
      throw ValidationError(error.description)
    }
    return password
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the users.")

    @OptionGroup var options: FolderOptions

    func run() async throws {
      let provider = try await options.provider()
      var last = ""
      while true {
        let users = try await provider.users.users(after: last)
        for user in users {
          print("\(user.username)\t\(user.email)\t\(user.isEnabled ? "enabled" : "disabled")\t\(user.id)")
        }
        guard let name = users.last?.username else { break }
        last = name
      }
    }
  }
}
