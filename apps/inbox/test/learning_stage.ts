/** An inbox whose config names a model, with an archive of made-up messages. */

import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readModelFile, writeModelFile } from '@form-relay/learning/train';
import { isThisMachine } from '../../../packages/base/src/url.ts';
import { openInbox } from '../../../packages/cli/src/commands/open_inbox.ts';
import type { Environment } from '../../../packages/core/src/settings.ts';
import { train } from '../../../packages/learning/src/train.ts';
import { lessonsOf, messages } from '../../../packages/learning/test/messages.ts';
import { createNodeServer } from '../../../packages/runtimes/src/node/server.ts';
import { seedsOf } from '../../../packages/spam/src/lists/model.ts';
import { createRelay, listen, relayWith, tempFolder } from '../../../test/support/index.ts';
import type { About, Window } from '../src/api.ts';
import type { Person } from '../src/gate.ts';
import { createInbox } from '../src/server/inbox.ts';
import { startInbox, write } from './stage.ts';
import '../../../test/support/sqlite.ts';

export const slow = 120_000;
export const key = 'a secret of a test, long enough';

const config = (more: string) => `${more}
forms:
  contact:
    fields: [{name: email, type: email}, {name: message, type: textarea}]
    spam: {honeypot: website, keep_dropped: 30d, doubt: {tag: 3}, signals: {program: 3, learned: {model: spam.model}}}
    outputs: [{type: folder, path: archive}]
`;

export const id = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;

/** Older than all marks, so that a model trained on the first messages is older, too. */
const madeAt = Date.UTC(2026, 0, 1);

/**
 * A folder with `count` submissions, the first `marked` of which are marked, and an untrained model.
 * @param more More top-level keys of the config.
 */
export async function learningFolder(count: number, marked: number, more = '') {
  const cwd = tempFolder();
  await mkdir(join(cwd, 'archive'));
  const made = messages(count, 0.1);
  const entries = made.map(({ texts }, nth) => ({
    id: id(nth),
    at: new Date(Date.UTC(2025, 10, 20, 10, 0, nth)).toISOString(),
    values: { email: ['ada@example.org'], message: texts },
  }));
  await write(join(cwd, 'archive'), entries);
  await writeFile(join(cwd, 'webform.yaml'), config(more).replace(/path: /, `$&${cwd}/`));
  const folder = {
    cwd,
    made,
    model: () => readModelFile(join(cwd, 'spam.model')),
    /** Marks submissions as `relay rules mark` does. */
    async mark(from: number, to: number, at = new Date()) {
      const lines = made
        .slice(from, to)
        .map(({ isSpam }, nth) =>
          JSON.stringify({ id: id(from + nth), verdict: isSpam ? 'spam' : 'ham', at: at.toISOString() }),
        );
      await appendFile(join(cwd, 'archive.verdicts.jsonl'), lines.map((line) => `${line}\n`).join(''));
    },
  };
  await folder.mark(0, marked, new Date(madeAt - 1));
  const seeds = seedsOf(key);
  const { lessons } = lessonsOf(made.slice(0, 60), seeds);
  const about = { check: seeds.check, spam: 30, ham: 30, people: 9, reached: 0, tried: 9, caught: 0, madeAt };
  await writeModelFile(join(cwd, 'spam.model'), { ...train(lessons), ...about, steps: [] });
  return folder;
}

type Api = Awaited<ReturnType<typeof apiOf>>;

async function apiOf(address: string, cookie = '') {
  const ask = async <T = unknown>(path: string, body?: object) => {
    const answer = await fetch(new URL(path, address), {
      headers: { cookie, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  };
  const about = async () => (await ask<About>('/api/about')).body;
  return {
    ask,
    about,
    model: async () => (await about()).models[0],
    /** Resolves when the index has read this many entries. */
    has: (count: number) =>
      expect
        .poll(async () => (await ask<Window>('/api/entries')).body.total, { timeout: slow, interval: 100 })
        .toBe(count),
  };
}

/** `relay inbox` as a process. */
export async function startInboxIn(cwd: string) {
  const { address, cookie, kill } = await startInbox(cwd, [], { SPAM_MODEL_KEY: key });
  return { ...(await apiOf(address, cookie)), kill };
}

/** The same within this process, for another person or with other variables. */
export async function openInboxOf(
  cwd: string,
  { person = owner, env = { SPAM_MODEL_KEY: key } }: { person?: Person; env?: Environment } = {},
): Promise<Api> {
  const relay = createRelay({
    env: { CONFIG_FILE: join(cwd, 'webform.yaml'), ...env },
    freezes: true,
    effects: { log: () => {} },
  });
  const loaded = await relay.config.get();
  if (!loaded) throw new Error('the config does not load');
  const folder = join(cwd, `index of ${person.name}`);
  const opened = await openInbox({ relay, config: loaded, folder });
  const inbox = createInbox({ ...opened.options, person: () => person, isOwnHost: isThisMachine });
  const server = createNodeServer(inbox.handle);
  const port = await listen(server);
  onTestFinished(async () => {
    inbox.close();
    server.closeAllConnections();
    server.close();
    await opened.close();
    await relay.close();
  });
  return apiOf(`http://127.0.0.1:${port}`);
}

const owner: Person = { name: 'the owner', forms: undefined, may: () => true };

/** A relay that serves the same config. */
export const relayIn = (cwd: string) =>
  relayWith({ env: { CONFIG_FILE: join(cwd, 'webform.yaml'), SPAM_MODEL_KEY: key, FORM_TOKEN_SECRET: key } });
