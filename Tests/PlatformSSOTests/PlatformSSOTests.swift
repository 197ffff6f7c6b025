// PlatformSSOTests
