package check

// Order looks at the order of plugs and starts nothing.
var Order = checkOrder
