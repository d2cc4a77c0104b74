/** The thread behind `openIndex`. Built as a program of its own, `dist/cli/index_worker.cjs`. */
import { parentPort, workerData } from 'node:worker_threads';
import { createService, type Service } from './service.ts';

const service = createService(workerData, {
  change: (change) => parentPort?.postMessage({ change }),
  progress: (progress) => parentPort?.postMessage({ progress }),
});

parentPort?.on(
  'message',
  async ({ n, method, values }: { n: number; method: keyof Service; values: never[] }) => {
    try {
      const value = await (service[method] as (...values: never[]) => unknown)(...values);
      parentPort?.postMessage({ n, value });
      if (method === 'close') parentPort?.close();
    } catch (error) {
      parentPort?.postMessage({ n, error: error instanceof Error ? error.message : 'the index failed' });
    }
  },
);
