/** The studio in a worker: the relay as it is, with an outside world in which nothing can be sent. */

import { type Effects, err, ok } from '@form-relay/relay/base';
import { inspectInLanguages, loadNamedIn, type ParseResult } from '@form-relay/relay/config';
import { readSettings } from '@form-relay/relay/schema';
import { createStudio } from '../../src/studio.ts';
import { randomUUID } from '../node/crypto.ts';
import { place } from '../place.ts';
import type { Answered, Asked, FromWorker, ToWorker } from '../protocol.ts';
import { createPatternWorker } from './patterns.ts';

const fileName = 'webform.yaml';

const nobody = () => Promise.reject(new Error('nothing is sent from this page'));

/** A dry run calls no effect that reaches out; `connect-src 'none'` would stop it, too (pages.ts). */
const effects: Effects = {
  now: () => Date.now(),
  env: () => undefined,
  uuid: randomUUID,
  random: Math.random,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  repeat: (ms, work) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
  matchPatterns: createPatternWorker(),
  log: (_level, event, fields) => {
    if (event === 'internal_error') console.error(event, JSON.stringify(fields));
  },
  ...{ readFile: nobody, http: nobody, smtp: nobody, ses: nobody, readObject: nobody, storeFile: nobody },
  ...{
    tryFolder: nobody,
    putObject: nobody,
    scanFile: nobody,
    openStore: nobody,
    openCounter: nobody,
    openTexts: nobody,
  },
  ...{ sweepDropped: nobody, pruneArchive: nobody, appendLines: nobody, removeJournal: nobody },
};

const besideIt = async () => err('no file is beside it on this page');

/** As `relay dev` does. All that can be written is loaded with the first key that nothing at hand knows. */
async function parse(text: string): Promise<ParseResult> {
  const parsed = await inspectInLanguages(text, fileName, besideIt, loadNamedIn);
  const isRiddle = !parsed.ok && parsed.error.some(({ code }) => code === 'key_unknown');
  return isRiddle ? inspectInLanguages(text, fileName, besideIt) : parsed;
}

/** The result for a text that stopped the worker before. */
const stopped: ParseResult = err([
  {
    severity: 'error',
    file: fileName,
    line: 1,
    column: 1,
    path: '',
    code: 'config_unreadable',
    message: 'it took too long, so it was stopped: change it, and it is read again',
    excerpt: '',
  },
]);

/** Gives what hears each message. */
export function start(say: (message: FromWorker) => void): (message: ToWorker) => void {
  let text = '';
  let isStopped = false;
  const studio = createStudio({
    settings: readSettings({}),
    effects,
    file: {
      name: fileName,
      load: async () => ({ text, result: isStopped ? stopped : await parse(text) }),
      parse,
      save: async (latest) => {
        text = latest;
        isStopped = false;
        return ok('saved');
      },
    },
    // A worker that takes the place of one that was ended goes on with the same page.
    run: 'try-it',
    asset: nobody,
    place,
  });
  const answerTo = async (request: Asked): Promise<Answered> => {
    try {
      const { status, headers, body } = await studio.handle(request);
      return { status, headers, body };
    } catch (error) {
      // A part that could not be loaded, most likely.
      return { status: 500, headers: {}, body: String(error) };
    }
  };
  return async (message) => {
    if (message.kind === 'start') {
      ({ text, isStopped } = message);
      await studio.reload();
      studio.listen(0, (event) => say({ kind: 'event', event }));
      say({ kind: 'ready' });
    } else if (message.kind === 'ask') {
      say({ kind: 'answer', id: message.id, answer: await answerTo(message.request) });
    }
  };
}
