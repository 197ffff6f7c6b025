// HTTPValues
