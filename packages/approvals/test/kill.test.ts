/** Accepted submissions survive kill -9 of the relay while they are held, mailed or decided. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { env, stage } from './stage.ts';

const boss = 'boss@example.com';

/** The built program on a port, which is killed and restarted during the work. */
async function startProgram(config: string) {
  const file = join(tempFolder(), 'webform.yaml');
  writeFileSync(file, config);
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
  const start = () =>
    spawn(process.execPath, ['dist/relay.cjs', 'serve', '--config', file], {
      env: { PATH: process.env.PATH, ...env, HOST: '127.0.0.1', PORT: String(port) },
      stdio: 'ignore',
    });
  let child = start();
  let kills = 0;
  onTestFinished(() => void child.kill('SIGKILL'));
  const kill = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    kills += 1;
  };
  return {
    kills: () => kills,
    stop: kill,
    /** Kills the program at some moment during every fourth piece of work. The work resolves with whether it got a response. */
    during: async (pieces: readonly string[], work: (origin: string, piece: string) => Promise<boolean>) => {
      const done: string[] = [];
      for (const [nth, piece] of pieces.entries()) {
        const doing = work(`http://127.0.0.1:${port}`, piece).catch(() => false);
        if (nth % 4 === 3) {
          await setTimeout((nth * 7) % 60);
          await kill();
          child = start();
        }
        if (await doing) done.push(piece);
      }
      return done;
    },
  };
}

/** Retries until the relay listens. */
async function post(address: string, body: Record<string, string>): Promise<boolean> {
  for (;;) {
    try {
      return (await fetch(address, { method: 'POST', body: new URLSearchParams(body) })).status === 200;
    } catch (error) {
      // The request was sent, but the kill interrupted it, so its sender does not know the result.
      if ((error as { cause?: { code?: string } }).cause?.code !== 'ECONNREFUSED') throw error;
      await setTimeout(100);
    }
  }
}

test('no accepted submission is lost, or delivered against its decision', {
  timeout: 240_000,
}, async () => {
  const folder = tempFolder();
  const at = await stage({ folder });
  const names = Array.from({ length: 28 }, (_, nth) => `visitor-${nth}.`);
  const program = await startProgram(at.config({ folder }));
  const sent = await program.during(names, (origin, name) => post(`${origin}/api/v1/submit/trip`, { name }));
  await program.stop();
  expect(sent.length).toBeGreaterThan(15);
  // Ten minutes later, another relay sends the mails of those that were killed.
  const relay = await at.open();
  relay.advance(600_000);
  relay.look();
  const links = new Map<string, string>();
  const read = async () => {
    for (const { text, link } of await at.mailsTo(boss))
      links.set(/visitor-\d+\./.exec(text)?.[0] ?? '', link);
    return sent.filter((name) => !links.has(name));
  };
  await expect.poll(read).toEqual([]);
  expect(at.delivered()).toEqual([]);
  await relay.close();
  const deciding = await startProgram(at.config({ folder }));
  const choiceOf = (name: string) => (Number(/\d+/.exec(name)?.[0]) % 5 === 0 ? 'decline' : 'approve');
  const decided = await deciding.during(sent, (origin, name) => {
    const [path = '', query] = (links.get(name) ?? '').split('?');
    return post(origin + path, { t: new URLSearchParams(query).get('t') ?? '', choice: choiceOf(name) });
  });
  await deciding.stop();
  expect(decided.length).toBeGreaterThan(10);
  expect(program.kills() + deciding.kills()).toBeGreaterThan(10);
  await at.open();
  const delivered = () => new Set(at.delivered().map(({ name }) => name));
  const approved = decided.filter((name) => choiceOf(name) === 'approve');
  await expect.poll(() => approved.filter((name) => !delivered().has(name))).toEqual([]);
  expect([...delivered()].filter((name) => choiceOf(name ?? '') === 'decline')).toEqual([]);
});
