// Prints one greeting: the smallest snippet that shows JavaScript works.
console.log("Hello, World from JavaScript!");
