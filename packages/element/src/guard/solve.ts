import { createSearch } from './search.ts';

/** The puzzle that a form's token carries, in ALTCHA's format (proof/challenge.ts). */
export interface Challenge {
  readonly algorithm: string;
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

/** Base64 of JSON; empty if there is none. Without a worker, this thread searches, in slices too short to disturb typing. */
export async function solve(challenge: Challenge): Promise<string> {
  const number = await inWorker(challenge).catch(() => inSlices(challenge));
  const { maxnumber: _, ...known } = challenge;
  return number < 0 ? '' : btoa(JSON.stringify({ ...known, number }));
}

/** A page's bundler may have put into the search what a worker lacks: it then fails, and nothing is lost. */
const workerCode = `postMessage(-2);onmessage=({data:[salt,challenge,most]})=>postMessage((${createSearch})(salt,challenge)(0,most))`;

/** Rejects where no worker can do it: its address is a blob's, which some pages forbid (`worker-src`). */
function inWorker({ salt, challenge, maxnumber }: Challenge): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const end = () => {
      clearTimeout(timer);
      worker.terminate();
      URL.revokeObjectURL(url);
    };
    const fail = () => {
      end();
      reject();
    };
    // Some browsers do not report that a page forbids workers.
    const timer = setTimeout(fail, 3_000);
    worker.onerror = fail;
    worker.onmessage = ({ data }) => {
      clearTimeout(timer);
      if (data === -2) return;
      end();
      resolve(data);
    };
    worker.postMessage([salt, challenge, maxnumber]);
  });
}

const sliceMs = 8;

async function inSlices({ salt, challenge, maxnumber }: Challenge): Promise<number> {
  const search = createSearch(salt, challenge);
  let from = 0;
  while (from <= maxnumber) {
    const until = performance.now() + sliceMs;
    while (from <= maxnumber && performance.now() < until) {
      const found = search(from, Math.min(from + 499, maxnumber));
      if (found >= 0) return found;
      from += 500;
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  return -1;
}
