/** `relay demo`: a form, its page and its inbox, with submissions from made-up visitors. Nothing leaves this machine. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CommandFailed, command, option } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { closeServer } from '@form-relay/runtimes/node/closing';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import { fileName } from '@form-relay/schema/scalars';
import { endProcess, listenNear, stopSignal } from '../listening.ts';
import { makeRelay, settingsOf } from '../own_setup.ts';
import { noOpen, openBrowser, portNumber } from '../shared_options.ts';

const demo = command({
  name: 'demo',
  summary: 'try a form and its inbox on this machine; sends nothing',
  description:
    'show a form, its page and the inbox with 200 made-up submissions on this machine. Nothing is sent anywhere, and everything is deleted at the end',
  options: {
    port: option('number', 'the port of the form on 127.0.0.1 (default: $PORT, else 8080)', portNumber),
    keep: option('folder', 'keep the config and the submissions in this new folder', fileName),
    noOpen,
  },
  examples: [
    ['relay demo', 'open the addresses that it prints'],
    ['relay demo --keep try', 'keep the config, and continue with it: relay --config try/webform.yaml dev'],
  ],
  run: async (options) => showDemo(options),
});

export const plugin: Plugin = { name: 'demo', commands: [demo] };

interface DemoOptions {
  readonly port?: number | undefined;
  readonly keep?: string | undefined;
  readonly noOpen?: true | undefined;
}

async function showDemo({ port, keep, noOpen }: DemoOptions): Promise<void> {
  const stopped = stopSignal();
  const folder = keep === undefined ? await mkdtemp(join(tmpdir(), 'relay-demo-')) : await newFolder(keep);
  const closing: (() => unknown)[] =
    keep === undefined ? [() => rm(folder, { recursive: true, force: true })] : [];
  const close = async () => {
    for (const end of closing.toReversed()) await end();
  };
  try {
    const lines = await open(folder, port, closing);
    process.stdout.write(lines.text);
    if (!noOpen) openBrowser(lines.page);
    await stopped;
  } finally {
    await close();
  }
  await endProcess();
}

async function newFolder(name: string): Promise<string> {
  const folder = resolve(name);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      error.code === 'EEXIST' ? `${name} already exists; choose a new folder` : `${name}: ${error.message}`,
    );
  });
  return folder;
}

async function freePort(...wanted: [port: number | undefined, usual: number]): Promise<number> {
  const probe = createServer();
  const port = await listenNear(probe, ...wanted);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Opens all parts, and prints their URLs. */
async function open(folder: string, port: number | undefined, closing: (() => unknown)[]) {
  const { cover, demoConfig, logo, openSinks } = await import('../demo/config.ts');
  const { giveUpOnRefused, sendAll } = await import('../demo/send.ts');
  const sinks = await openSinks(join(folder, 'mails'));
  closing.push(sinks.close);
  const configFile = join(folder, 'webform.yaml');
  for (const name of ['archive', 'waiting', 'counts']) await mkdir(join(folder, name), { mode: 0o700 });
  await writeFile(configFile, demoConfig(folder, sinks));
  await writeFile(join(folder, 'logo.png'), logo);
  await writeFile(join(folder, 'harbour.svg'), cover);
  const used = await freePort(port, settingsOf(process.env).port);
  // Mails load the logo from this address.
  const env = { ...process.env, PUBLIC_URL: `http://127.0.0.1:${used}` };
  const log = () => {};
  let now = Date.now();
  const past = makeRelay({
    ...{ configFile, env, throttled: false, freezes: true },
    services: { now: () => now, sleep: async () => {}, log },
  });
  const count = await sendAll(past.handle, sinks, Date.now(), (at) => {
    now = at;
  });
  await past.close();
  const relay = makeRelay({ configFile, env, freezes: true, services: { log } });
  closing.push(() => relay.close());
  const config = await relay.config.get();
  if (!config) throw new CommandFailed('the config of the demo does not load');
  await giveUpOnRefused(relay, config);
  const server = createNodeServer(relay.handle, { limits: relay.settings });
  await listenNear(server, used, used);
  closing.push(() => closeServer(server, 1_000, 0));
  const { openForOwner } = await import('./inbox.ts');
  const inbox = await openForOwner(
    { relay, config, folder: join(folder, 'index'), store: join(folder, 'inbox') },
    // The form may hold $PORT.
    port === 0 || process.env.PORT ? 0 : undefined,
  );
  closing.push(inbox.close);
  const page = `http://127.0.0.1:${used}/f/quote`;
  const text = `The form    ${page}
Its inbox   ${inbox.line.replace(/^Open /, '')}
${count} made-up submissions; nothing leaves this machine. ${process.stdout.isTTY ? 'Press Ctrl+C to stop.' : ''}
`;
  return { page, text };
}
