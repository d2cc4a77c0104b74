/** A thread of `parseInWorker`: answers one task and ends. A program of its own, `dist/cli/parse_worker.cjs`. */
import { parentPort, workerData } from 'node:worker_threads';
import { answer } from './parse_in_worker.ts';

// A rejection ends the thread with its error.
void answer(workerData).then((answered) => parentPort?.postMessage(answered));
