/**
 * The handlers of a function: `lambda.handler` for requests, `lambda.kept` for kept deliveries. The file is small, because
 * `import()` scans a whole CommonJS file for its exports.
 */
export { handler, kept, then } from './main.ts';
