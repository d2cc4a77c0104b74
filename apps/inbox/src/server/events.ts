import { Readable } from 'node:stream';
import type { Change, Progress } from '../api.ts';
import type { EntryIndex } from '../entry_index.ts';
import type { Person } from '../gate.ts';
import type { Answer } from './answer.ts';
import type { InboxOptions } from './options.ts';

/** The most bytes that may wait for a page that does not read them. The page then reconnects. */
const mostUnreadBytes = 262_144;
/** How often a silent stream shows that it lives, and whether its person is still signed in. */
const beatMs = 15_000;

/** Streams of changes. */
export interface Events {
  /** @param isStill Whether the person is signed in, with these rights. */
  open(person: Person, isStill: () => Promise<boolean>): Answer;
  close(): void;
}

export function createEvents({ index, learner }: Pick<InboxOptions, 'index' | 'learner'>): Events {
  const streams = new Set<Readable>();
  return {
    open(person, isStill) {
      const body = new Readable({ read: () => {} });
      streams.add(body);
      body.push('retry: 1000\n\n');
      const send = (text: string) => {
        if (body.readableLength > mostUnreadBytes) body.destroy();
        else body.push(text);
      };
      const sendIfStill = async (text: () => Promise<string | undefined> | string) => {
        try {
          if (!(await isStill())) return void body.push(null);
          const now = await text();
          if (now !== undefined) send(now);
        } catch {
          body.destroy();
        }
      };
      const seen = viewOf(person, index);
      void seen({ version: 0, total: 0, unread: 0 }).catch(() => {});
      const stops = [
        index.onChange(
          (change) =>
            void sendIfStill(async () => {
              const own = await seen(change);
              return own && event('change', own);
            }),
        ),
        index.onProgress((progress) => {
          // How many entries there are tells of forms that not all may see.
          if (person.forms === undefined) void sendIfStill(() => event('progress', progress ?? null));
        }),
        ...(learner ? [learner.onChange(() => void sendIfStill(() => event('learning', null)))] : []),
      ];
      const beat = setInterval(() => void sendIfStill(() => ':\n\n'), beatMs);
      beat.unref();
      body.once('close', () => {
        streams.delete(body);
        clearInterval(beat);
        for (const stop of stops) stop();
      });
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
    },
    close() {
      for (const one of streams) one.destroy();
    },
  };
}

const event = (type: 'change' | 'progress' | 'learning', data: Change | Progress | null) =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Gives the changes of the forms that the person may see, with their counts; `undefined` for a change of others. */
function viewOf({ forms }: Person, index: EntryIndex) {
  let last = '';
  return async (change: Change): Promise<Change | undefined> => {
    if (forms === undefined) return change;
    const own = (await index.forms()).filter(({ id }) => forms.has(id));
    const now = own.map(({ id, print, total }) => `${id} ${print} ${total}`).join('\n');
    if (now === last) return undefined;
    last = now;
    const sum = (of: 'total' | 'unread') => own.reduce((all, one) => all + one[of], 0);
    return { version: change.version, total: sum('total'), unread: sum('unread') };
  };
}
