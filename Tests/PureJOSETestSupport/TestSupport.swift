// PureJOSETestSupport
