import { type LambdaHandler, startLambda } from './lambda.ts';

const { handler, isReady } = startLambda();

/** What Lambda calls: `lambda.handler`. */
export { handler };

/** Makes the module a thenable: Lambda awaits what it loads, and so the config (D37). */
export function then(resolve: (module: { handler: LambdaHandler }) => void): void {
  void isReady.then(() => resolve({ handler }));
}
