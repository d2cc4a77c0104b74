/** Uses the real clamd if installed (`apt-get install clamav-daemon`), and servers that misbehave. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { featureContract, tryRelay } from 'form-relay/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

const fields = [{ name: 'cv', type: 'file', max_size: '5MB' }, { name: 'name' }];
const file = (text: string) => ({ name: 'Ada', cv: new File([text], 'cv.txt', { type: 'text/plain' }) });
const virus = 'FORM-RELAY-TEST-VIRUS';
const large = 'Ada Lovelace. '.repeat(150_000);

const submit = async (clamd: string, text: string, keys = {}) => {
  const relay = await tryRelay({ forms: { jobs: { fields, scan: { clamd, ...keys } } } });
  const { status, text: says } = await relay.submit('jobs', file(text));
  await relay.close();
  const events = relay.logged.filter(({ level }) => level !== 'info');
  return { status, says, delivered: relay.delivered.length, events };
};

describe.skipIf(!existsSync('/usr/sbin/clamd'))('clamd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scan-'));
  const socket = join(folder, 'clamd.sock');
  writeFileSync(join(folder, 'test.ndb'), `Test.Virus:0:*:${Buffer.from(virus).toString('hex')}\n`);
  writeFileSync(
    join(folder, 'clamd.conf'),
    `DatabaseDirectory ${folder}\nLocalSocket ${socket}\nStreamMaxLength 1M\nForeground yes\n`,
  );
  let clamd: ChildProcess;
  beforeAll(() => {
    clamd = spawn('/usr/sbin/clamd', ['-c', join(folder, 'clamd.conf')], { stdio: 'ignore' });
    return vi.waitUntil(() => existsSync(socket), 60_000);
  });
  afterAll(async () => {
    clamd.kill();
    await once(clamd, 'exit');
    rmSync(folder, { recursive: true });
  });

  const contract = { name: 'scan', form: { fields, scan: { clamd: socket } } };
  for (const { name, run } of featureContract({
    ...contract,
    passes: [{ name: 'Ada' }, file('Ada Lovelace')],
    stops: [file(virus), file(large)],
  }))
    test(name, run);

  test('logs the virus’s name, and reports the file at its field', async () => {
    const { says, events } = await submit(socket, virus);
    expect(says).toMatch(/cv: .* in the file cv\.txt/);
    expect(events).toMatchObject([{ event: 'virus_found', field: 'cv', signature: 'Test.Virus.UNOFFICIAL' }]);
  });

  test('delivers files that are too large to scan if the owner says so', async () => {
    const { delivered, events } = await submit(socket, large, { too_large: 'deliver' });
    expect([delivered, events]).toMatchObject([1, [{ event: 'files_unscanned', fields: ['cv'] }]]);
  });
});

describe('nothing is delivered if a scanner', () => {
  const behaviours: Readonly<Record<string, readonly [(socket: Socket) => void, reason: RegExp]>> = {
    hangs: [() => {}, /no answer in time/],
    'hangs up on each try': [(socket) => socket.destroy(), /hung up/],
    'dies midway': [(socket) => socket.once('data', () => socket.destroy()), /hung up/],
    'answers HTML': [(socket) => socket.end('<html>no clamd</html>\0'), /is not a verdict/],
    'answers without an end': [(socket) => socket.write('a'.repeat(10_000)), /hung up/],
    'is done before it has the file': [
      (socket) => socket.resume().write('stream: OK\0'),
      /before the whole file was sent/,
    ],
    'reports an error': [(socket) => socket.end('Can’t open file ERROR\0'), /verdict|ERROR/],
  };
  for (const [name, [behave, reason]] of Object.entries(behaviours))
    test(name, async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        behave(socket);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const { status, delivered, events } = await submit(`127.0.0.1:${port}`, large);
      server.close();
      expect([status, delivered, events[0]?.event]).toEqual([500, 0, 'scan_failed']);
      expect(events[0]?.reason).toMatch(reason);
    });

  test('refuses connections', async () => {
    const { status, events } = await submit('127.0.0.1:9', 'Ada');
    expect([status, events[0]?.reason]).toEqual([500, '127.0.0.1:9: ECONNREFUSED']);
  });

  test('has no address', () =>
    expect(submit('clamd', 'Ada')).rejects.toThrow(/expected host:port, or the path of a socket/));
});
