import { type LambdaHandler, startLambda } from './lambda.ts';

const { handler, isReady } = startLambda();

/** What Lambda calls: `lambda.handler`. */
export { handler };

/**
 * Makes the module a thenable, so that Lambda, which awaits what it loads, waits for the config. While a function starts
 * it has a whole core and up to 10 s; while it answers, with 128 MB, a fourteenth of one. CommonJS has no top-level
 * `await`; without this, the first request would wait instead.
 */
export function then(resolve: (module: { handler: LambdaHandler }) => void): void {
  void isReady.then(() => resolve({ handler }));
}
