// JOSEFoundation
