/** The handlers of a function: `lambda.handler` for requests, `lambda.kept` for queued deliveries. */
import { startLambda } from './handler.ts';

const { handler, kept, isReady } = startLambda();

export { handler, kept };

/** Makes the module a thenable, so that Lambda waits for the config. */
export function then(
  resolve: (module: { handler: typeof handler; kept: typeof kept }) => void,
  reject: (error: unknown) => void,
): void {
  void isReady.then(() => resolve({ handler, kept }), reject);
}
