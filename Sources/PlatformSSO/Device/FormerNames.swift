/// What ``PlatformSSODevice`` was called.
@available(*, deprecated, renamed: "PlatformSSODevice")
public typealias Device = PlatformSSODevice

/// What ``PlatformSSOSession`` was called.
@available(*, deprecated, renamed: "PlatformSSOSession")
public typealias Session = PlatformSSOSession
