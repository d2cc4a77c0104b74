/** A month of a shop with one relay: a campaign begins that the rules do not detect, and five marks stop it. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { relayWith } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { verdictLine } from '../../stored/src/marks/verdicts.ts';
import { campaign, people, spam, type Written } from './shop.ts';

const key = 'a secret of a test, long enough';
const day = 86_400_000;

const config = (archive: string, signals: string) => `language: en
forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true}
    spam: {doubt: {tag: 4}, signals: {${signals}}}
    outputs: [{type: folder, path: ${archive}}]
`;

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'accept-language': 'en',
};

/** Several writes at once take the disk no longer than one. */
const atOnce = 25;

type Kind = 'people' | 'spam' | 'campaign';
type Sent = Partial<Record<Kind, readonly Written[]>>;

interface Arrived extends Written {
  readonly kind: Kind;
  readonly id: string;
  readonly isTagged: boolean;
}

/** A shop's relay with a folder archive, and its owner's commands. */
async function openShop() {
  const { cwd, run } = await openTerminal({ env: { SPAM_MODEL_KEY: key } });
  await mkdir(join(cwd, 'archive'));
  const configure = (signals: string) =>
    writeFile(join(cwd, 'webform.yaml'), config(join(cwd, 'archive'), signals));
  await configure('links: 5');
  // Commands use the machine's clock, so the month ends today.
  let time = Date.now() - 30 * day;
  const relay = await relayWith({
    env: { CONFIG_FILE: join(cwd, 'webform.yaml'), SPAM_MODEL_KEY: key },
    effects: { now: () => time },
  });

  const arrived: Arrived[] = [];
  const send = async ({ kind, written }: { kind: Kind; written: Written }): Promise<Arrived> => {
    const { status, headers } = await relay.submit('contact', Object.entries(written), browser);
    expect(status).toBe(200);
    const id = headers.get('x-request-id') ?? '';
    const line = relay.logged.find((one) => one.event === 'submission' && one.request_id === id);
    return { ...written, kind, id, isTagged: line?.doubt === 'tag' };
  };
  /** Submits messages of each kind, evenly mixed over this number of days. */
  const pass = async (days: number, sent: Sent): Promise<readonly Arrived[]> => {
    const first = arrived.length;
    const all = Object.entries(sent)
      .flatMap(([kind, some]) =>
        some.map((written, nth) => ({ kind: kind as Kind, written, place: (nth + 0.5) / some.length })),
      )
      .toSorted((one, other) => one.place - other.place);
    for (let nth = 0; nth < all.length; nth += atOnce) {
      const some = all.slice(nth, nth + atOnce);
      time += (days * day * some.length) / all.length;
      arrived.push(...(await Promise.all(some.map(send))));
    }
    return arrived.slice(first);
  };
  const markAll = (some: readonly Arrived[]) =>
    writeFile(
      join(cwd, 'archive.verdicts.jsonl'),
      some.map(({ id, kind }) => verdictLine(id, kind === 'people' ? 'ham' : 'spam', time)).join(''),
    );
  return { cwd, run, arrived, configure, pass, markAll };
}

const of = (all: readonly Arrived[], kind: Kind) => all.filter((one) => one.kind === kind);
const tagged = (all: readonly Arrived[], kind: Kind) =>
  of(all, kind).filter(({ isTagged }) => isTagged).length;

test('five marks stop a campaign, and no submission of a person is tagged or lost', async () => {
  const { cwd, run, arrived, configure, pass, markAll } = await openShop();
  const before = await pass(20, { people: people(1, 200), spam: spam(2, 60) });
  // The owner marked all spam, and half of the people's messages.
  await markAll(before.filter(({ kind }, nth) => kind === 'spam' || nth % 2 === 0));
  expect(await run('relay rules learn --archive archive')).toMatchObject({ stderr: '', code: 0 });
  await configure('learned: {model: spam.model}');

  const begun = await pass(3, { people: people(3, 20), campaign: campaign(4, 5) });
  for (const { id } of of(begun, 'campaign'))
    expect(await run(`relay rules mark ${id} spam --archive archive`)).toMatchObject({ code: 0 });
  expect(tagged(begun, 'campaign')).toBe(0);
  expect(await run('relay rules learn --archive archive')).toMatchObject({ stderr: '', code: 0 });

  const rest = await pass(7, { people: people(5, 100), campaign: campaign(6, 80), spam: spam(7, 20) });
  expect(tagged(rest, 'campaign')).toBe(80);
  expect(tagged(arrived, 'people')).toBe(0);

  // The archive contains each submission unchanged.
  const names = await readdir(join(cwd, 'archive'), { recursive: true });
  const stored = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFile(join(cwd, 'archive', name), 'utf8')),
  );
  const messages = stored.map(
    (one) => JSON.parse(one).fields.find(({ name }: { name: string }) => name === 'message').values[0],
  );
  expect(messages.toSorted()).toEqual(arrived.map(({ message }) => message).toSorted());
});
