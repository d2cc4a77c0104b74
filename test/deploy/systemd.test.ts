import { read } from './files.ts';
import { variables } from './variables.ts';

const service = read('deploy/systemd/form-relay.service');
const socket = read('deploy/systemd/form-relay.socket');
const allOf = (unit: string, key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

test('the service has only variables that the relay knows', () => {
  const known = [...variables.map(({ name }) => name as string), 'NODE_ENV'];
  const names = [
    ...allOf(service, 'Environment').map((value) => value.split('=')[0]),
    ...allOf(service, 'LoadCredential').map((value) => value.split(':')[0]),
  ];
  expect(names).not.toEqual([]);
  expect(names.filter((name = '') => !known.includes(name))).toEqual([]);
});

test('credentials are at the paths where the relay looks for secrets', () =>
  expect(allOf(service, 'Environment')).toContain('SECRETS_DIR=%d'));

test('requests in progress get enough time', () => {
  const [, shutdownMs = ''] = /shutdownMs = ([\d_]+)/.exec(read('packages/cli/src/serve_http.ts')) ?? [];
  expect(Number(allOf(service, 'TimeoutStopSec')[0])).toBeGreaterThan(
    Number(shutdownMs.replace('_', '')) / 1000,
  );
});

test('the limit of open files is as high as connections need', () => {
  const connections = variables.find(({ name }) => name === 'CONNECTION_LIMIT')?.fallback;
  expect(Number(allOf(service, 'LimitNOFILE')[0])).toBeGreaterThan(2 * Number(connections));
});

test('the unit may compile JavaScript, write to one folder, and use the one socket', () => {
  expect(allOf(service, 'MemoryDenyWriteExecute')).toEqual([]);
  const [folder] = allOf(service, 'StateDirectory');
  expect(read('docs/deploy/systemd.md')).toContain(`keep: {in: /var/lib/${folder}}`);
  expect(allOf(service, 'Requires')).toEqual(['form-relay.socket']);
  expect(allOf(socket, 'ListenStream')).toHaveLength(1);
});
