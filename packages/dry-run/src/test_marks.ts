/** Marks the deliveries of a test, and remembers what became of each. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { outputExtension, type Plugin } from '@form-relay/core/plugin';
import type { Payload } from '@form-relay/core/submission';

/** What a delivery of a test met. */
export interface Heard {
  to: readonly string[];
  /** The answer on one line, and its body. */
  says: string;
  body: string;
  readonly warnings: string[];
  error: unknown;
  payload: Payload;
}

const tests = new AsyncLocalStorage<Heard>();

/** The delivery that is under way. */
export const currentTest = Object.assign(() => tests.getStore(), {
  run: <T>(heard: Heard, work: () => T): T => tests.run(heard, work),
});

export const testPlugin: Plugin = {
  name: 'send_test',
  outputExtensions: [
    outputExtension({
      name: 'send_test',
      keys: {},
      configure: () => ({
        wrapTransport: (inner) => ({
          ...inner,
          send: async (delivery, timeoutMs) => {
            const heard = currentTest();
            if (heard) heard.payload = delivery.payload;
            try {
              const warning = await inner.send({ ...delivery, titlePrefix: '[Test]' }, timeoutMs);
              if (warning) heard?.warnings.push(warning);
              return warning;
            } catch (error) {
              if (heard) heard.error = error;
              throw error;
            }
          },
        }),
      }),
    }),
  ],
};
