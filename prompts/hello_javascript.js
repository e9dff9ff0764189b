// Prints a greeting from JavaScript.
console.log("Hello, World from JavaScript!");
