// PlatformSSO
