/** An inbox with a real archive and real HTTP. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createOwnerKey } from '@form-relay/runtimes/owner_key';
import { isThisMachine } from '../../../packages/base/src/url.ts';
import { createNodeServer } from '../../../packages/runtimes/src/node/server.ts';
import { type Written, writeEntry } from '../../../packages/stored/test/entries.ts';
import { listen, tempFolder, untilEnd } from '../../../test/support/index.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { type EntryIndex, type IndexedEntry, type Sources, sourcesOf } from '../src/entry_index.ts';
import { owner } from '../src/gate.ts';
import { openIndex } from '../src/index/open_index.ts';
import { createInbox } from '../src/server/inbox.ts';
import type { Actions, InboxOptions } from '../src/server/options.ts';
import '../../../test/support/sqlite.ts';

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: yes. */
  readonly hasCookie?: boolean;
}

/** The built relay as a process that ends with the test. */
export function runRelay(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const relay = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
  const child = spawn(process.execPath, [relay, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  return { child, exited, kill };
}

/** Starts `relay inbox`, and returns the cookie of its owner. */
export async function startInbox(
  cwd: string,
  args: readonly string[] = [],
  env?: Readonly<Record<string, string>>,
) {
  const running = runRelay(cwd, ['inbox', '--port', '0', ...args], env);
  const [line] = (await once(createInterface(running.child.stdout), 'line')) as [string];
  const address = line.slice('Open '.length);
  const { headers } = await fetch(address, { redirect: 'manual' });
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  return { ...running, line, address, cookie };
}

/** An entry as the index has it. */
export const indexed = (id: string, more: Partial<IndexedEntry> = {}): IndexedEntry => ({
  id,
  form: 'contact',
  receivedAt: Date.UTC(2026, 10, 20),
  state: 'stored',
  ...{
    isFailed: false,
    isDoubted: false,
    isRead: true,
    isSealed: false,
    sender: '',
    summary: '',
    files: 0,
    stored: [],
    kept: [],
    changes: [],
  },
  ...more,
});

/** Actions that do nothing and report success. */
export const idle: Actions = {
  run: async () => ({ isDone: true, words: 'Done.' }),
  remove: async () => ({ isDone: true, words: 'Deleted.' }),
  deliverAll: async () => {},
  unmark: async () => {},
};

const program = new URL('../../../dist/cli/index_worker.cjs', import.meta.url);

/** Resolves when the index has read everything. */
const filled = (index: EntryIndex) =>
  new Promise<void>((resolve) => {
    index.onProgress((progress) => progress === undefined && resolve());
  });

export async function write(archive: string, entries: readonly Written[]): Promise<void> {
  for (const entry of entries) await writeEntry(archive, entry);
}

export async function stage(
  entries: readonly Written[],
  more: Partial<InboxOptions> & {
    readonly wrap?: (
      index: EntryIndex,
      of: { readonly sources: Sources; readonly folder: string },
    ) => EntryIndex | Promise<EntryIndex>;
  } = {},
) {
  const folder = tempFolder();
  const archive = join(folder, 'archive');
  await mkdir(archive);
  await write(archive, entries);
  const text = `forms: {contact: {title: Contact, language: de, fields: [{name: email, type: email}], outputs: [{type: folder, path: ${archive}}]}}`;
  const parsed = parseConfig(text, 'webform.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const sources = sourcesOf(parsed.value);
  const { wrap = (same) => same, ...options } = more;
  const opened = await untilEnd(openIndex({ sources, program, folder: join(folder, 'index') }));
  await filled(opened);
  const index = await wrap(opened, { sources, folder });
  let port = 0;
  const key = createOwnerKey('inbox', () => port);
  const inbox = createInbox({
    index,
    sources,
    exportProgram: new URL('../../../dist/cli/export_worker.cjs', import.meta.url),
    config: () => parsed.value,
    configName: 'webform.yaml',
    person: (request) => key.refusal(request) ?? owner,
    isOwnHost: isThisMachine,
    asset: async (name) => (name === 'index.html' ? Buffer.from('<!doctype html>') : undefined),
    broken: (error) => console.error(error),
    ...options,
  });
  const server = createNodeServer(inbox.handle);
  port = await listen(server);
  onTestFinished(() => {
    inbox.close();
    server.closeAllConnections();
    server.close();
  });
  const first = await ask(port, `/?key=${key.key}`, {});
  const [cookie = ''] = (first.headers['set-cookie']?.[0] ?? '').split(';');
  return {
    port,
    key: key.key,
    cookie,
    archive,
    index,
    ask: (path: string, options: AskOptions = {}) => {
      const { hasCookie = true, headers } = options;
      return ask(port, path, { ...options, headers: { ...(hasCookie && { cookie }), ...headers } });
    },
  };
}

async function ask(port: number, path: string, { method = 'GET', headers = {}, body }: AskOptions) {
  // `fetch` cannot send a `Host` that differs from the URL.
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .request({ port, host: '127.0.0.1', path, method, headers, agent: false }, resolve)
      .on('error', reject)
      .end(body);
  });
  const bytes = await buffer(answer);
  const text = bytes.toString();
  const { statusCode: status = 0, headers: answered } = answer;
  return { status, headers: answered, bytes, text, json: () => JSON.parse(text) };
}

export const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): AskOptions => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
