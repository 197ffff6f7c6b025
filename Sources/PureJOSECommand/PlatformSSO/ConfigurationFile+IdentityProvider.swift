import JOSE
import PlatformSSOKit

extension ConfigurationFile {
  /// `identityProvider`: the properties of ``IdentityProviderConfiguration`` by their names.
  func providerConfiguration(
    _ members: inout ConfigurationMembers
  ) throws(CommandFailure) -> IdentityProviderConfiguration {
    var object = try members.members("identityProvider")
    guard let clientIDs = try object.strings(ifPresent: "clientIDs") else { throw object.missing("clientIDs") }
    let addresses = try object.strings(ifPresent: "tokenEndpointURLs")
    let address = try object.string(ifPresent: "tokenEndpointURL") ?? addresses?.first
    guard let address else { throw object.missing("tokenEndpointURL") }
    var configuration = IdentityProviderConfiguration(
      issuer: try object.string("issuer"), clientIDs: clientIDs, audience: try object.string("audience"),
      tokenEndpointURL: address)
    if let addresses { configuration.tokenEndpointURLs = addresses }
    if let preset = try object.preset() { configuration.apply(preset) }
    try readNames(&configuration, &object)
    try readRules(&configuration, &object)
    try readBounds(&configuration, &object)
    try object.finish()
    configuration.loginRequestDecryptionKeys = try decryptionKeys(&members)
    return configuration
  }

  private func readNames(
    _ configuration: inout IdentityProviderConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    configuration.refreshEndpointURL = try object.string(ifPresent: "refreshEndpointURL")
    configuration.preauthenticationURL = try object.string(ifPresent: "preauthenticationURL")
    configuration.groupRequestClaimName = try object.string(ifPresent: "groupRequestClaimName")
    let texts: KeyValuePairs<String, WritableKeyPath<IdentityProviderConfiguration, String>> = [
      "nonceResponseMember": \.nonceResponseMember, "serverNonceClaimName": \.serverNonceClaimName,
      "previousRefreshTokenClaimName": \.previousRefreshTokenClaimName,
      "authorizationURLMember": \.authorizationURLMember,
    ]
    for (name, property) in texts {
      if let value = try object.string(ifPresent: name) { configuration[keyPath: property] = value }
    }
    let lists: KeyValuePairs<String, WritableKeyPath<IdentityProviderConfiguration, [String]>> = [
      "requestParameterNames": \.requestParameterNames, "refreshRequestVersions": \.refreshRequestVersions,
      "preauthenticationUserNames": \.preauthenticationUserNames, "optionalRequestClaims": \.optionalRequestClaims,
      "optionalAssertionClaims": \.optionalAssertionClaims, "requiredScopes": \.requiredScopes,
    ]
    for (name, property) in lists {
      if let value = try object.strings(ifPresent: name) { configuration[keyPath: property] = value }
    }
    let deviceNames: KeyValuePairs<String, WritableKeyPath<IdentityProviderConfiguration, DeviceNames?>> = [
      "deviceClientIDs": \.deviceClientIDs, "assertionAudiences": \.assertionAudiences,
      "keyRequestAudiences": \.keyRequestAudiences,
    ]
    for (name, property) in deviceNames {
      if let value = try object.deviceNames(name) { configuration[keyPath: property] = value }
    }
    if let prefix = try object.string(ifPresent: "loginRequestEncryptionAPVPrefix") {
      configuration.loginRequestEncryptionAPVPrefix = Array(prefix.utf8)
    }
  }

  private func readRules(
    _ configuration: inout IdentityProviderConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    let flags: KeyValuePairs<String, WritableKeyPath<IdentityProviderConfiguration, Bool>> = [
      "acceptsJWTType": \.acceptsJWTType, "requiresAudienceInKeyRequests": \.requiresAudienceInKeyRequests,
      "repeatsPartyVInfo": \.repeatsPartyVInfo, "requiresFormFields": \.requiresFormFields,
      "acceptsSignedClaimsInAssertions": \.acceptsSignedClaimsInAssertions,
      "checksKeyIdentifierClaims": \.checksKeyIdentifierClaims,
      "refusesReusedClientNonces": \.refusesReusedClientNonces,
      "acceptsAnyBase64InKeyExchange": \.acceptsAnyBase64InKeyExchange,
      "acceptsOpaquePartyVInfo": \.acceptsOpaquePartyVInfo,
    ]
    for (name, property) in flags {
      if let value = try object.bool(ifPresent: name) { configuration[keyPath: property] = value }
    }
    try object.choose(
      "clientRequestID", for: &configuration.clientRequestID,
      ["notChecked": .notChecked, "required": .required, "boundToServerNonce": .boundToServerNonce])
    configuration.requiredHTTPHeaders = try object.httpHeaders("requiredHTTPHeaders")
    try object.choose(
      "assertionPartyVInfo", for: &configuration.assertionPartyVInfo,
      ["sample": .sample, "sampleOrTable": .sampleOrTable, "eitherNonce": .eitherNonce])
    if let names = try object.strings(ifPresent: "deviceSignatureAlgorithms") {
      let algorithms = names.compactMap { SignatureAlgorithm(name: $0) }
      guard algorithms.count == names.count, !algorithms.isEmpty else {
        throw .usage("identityProvider.deviceSignatureAlgorithms in the configuration must be names of algorithms")
      }
      configuration.deviceSignatureAlgorithms = algorithms
    }
  }

  private func readBounds(
    _ configuration: inout IdentityProviderConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    if let seconds = try object.number(ifPresent: "clockSkew") {
      configuration.clockSkew = Duration(saturating: seconds)
    }
    if let seconds = try object.number(ifPresent: "maximumLifetime") {
      configuration.maximumLifetime = Duration(saturating: seconds)
    }
    if let seconds = try object.number(ifPresent: "replacedRefreshTokenGrace") {
      configuration.replacedRefreshTokenGrace = Duration(saturating: seconds)
    }
    if let seconds = try object.integer(ifPresent: "idTokenLifetime") {
      guard (1...31_622_400).contains(seconds) else {
        throw .usage("identityProvider.idTokenLifetime in the configuration must be 1 second to a year")
      }
      configuration.idTokenLifetime = .seconds(seconds)
    }
    if let count = try object.integer(ifPresent: "maximumBodyByteCount") { configuration.maximumBodyByteCount = count }
  }

  /// `loginRequestDecryptionKeys`: an array of JWKs or paths.
  private func decryptionKeys(_ members: inout ConfigurationMembers) throws(CommandFailure) -> [DecryptionKey] {
    guard let value = members.value("loginRequestDecryptionKeys") else { return [] }
    guard let elements = value.arrayValue else {
      throw .usage("loginRequestDecryptionKeys in the configuration must be an array of keys")
    }
    var keys: [DecryptionKey] = []
    for (index, element) in elements.enumerated() {
      var holder = ConfigurationMembers(["\(index)": element], path: "loginRequestDecryptionKeys.")
      let jwk = try requiredKey("\(index)", in: &holder)
      keys.append(
        try keyError("loginRequestDecryptionKeys.\(index)") { try DecryptionKey(jwk, algorithm: .ecdhES) })
    }
    return keys
  }
}

/// Names that depend on a device.
private typealias DeviceNames = @Sendable (RegisteredDevice) -> [String]

extension ConfigurationMembers {
  /// `preset`: a product's name.
  mutating func preset() throws(CommandFailure) -> PlatformSSOPreset? {
    guard let name = try string(ifPresent: "preset") else { return nil }
    guard let preset = PlatformSSOPreset(rawValue: name) else {
      let names = PlatformSSOPreset.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("\(path)preset in the configuration must be one of \(names)")
    }
    return preset
  }

  /// Header fields of a profile: an object of strings.
  mutating func httpHeaders(_ name: String) throws(CommandFailure) -> AdditionalHTTPHeaders {
    let fields = try customValues(name)
    do throws(JOSEError) {
      return try AdditionalHTTPHeaders(fields)
    } catch {
      throw .usage("\(path)\(name) in the configuration: \(error)")
    }
  }

  /// An array of names, or one of the words `device`, for the device's identifier, and `serialNumber`.
  fileprivate mutating func deviceNames(_ name: String) throws(CommandFailure) -> DeviceNames? {
    guard let value = value(name) else { return nil }
    let strings = value.arrayValue?.compactMap(\.stringValue)
    switch value.stringValue {
    case "device": return { [$0.id] }
    case "serialNumber": return { $0.serialNumber.map { [$0] } ?? [] }
    default:
      guard let strings, strings.count == value.arrayValue?.count else {
        throw .usage("\(path)\(name) in the configuration must be an array of names, device or serialNumber")
      }
      return { _ in strings }
    }
  }
}
