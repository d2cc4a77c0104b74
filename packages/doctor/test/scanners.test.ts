import { expect, test } from 'vitest';
import { clamdSink } from '../../../test/support/clamd_sink.ts';
import { examineScanners } from '../src/scanners.ts';
import { diagnose } from './stage.ts';

const form = (clamd: string) =>
  `{scan: {clamd: "${clamd}"}, fields: [{name: cv, type: file}], outputs: [{type: email, to: a@example.com, mapping: "*"}]}`;
const now = () => Date.UTC(2030, 0, 10);
const look = (config: string) => diagnose(examineScanners, config, { now });

test('a scanner that answers is well, and asked once for all its forms', async () => {
  const clamd = await clamdSink({ version: 'ClamAV 1.4.3/27500/Tue Jan  8 09:24:05 2030' });
  expect(await look(`forms: {a: ${form(clamd.address)}, b: ${form(clamd.address)}}`)).toEqual([
    `ok ${clamd.address}: ClamAV 1.4.3 answers; its signatures are of Tue Jan  8 09:24:05 2030`,
  ]);
  expect(clamd.commands).toEqual(['zPING', 'zVERSION']);
});

test('old signatures, and none', async () => {
  const old = await clamdSink({ version: 'ClamAV 1.4.3/27500/Mon Nov 19 09:24:05 2029' });
  expect(await look(`forms: {a: ${form(old.address)}}`)).toEqual([
    expect.stringMatching(/^warning .* 51 days ago -> Check that freshclam runs/),
  ]);
  const none = await clamdSink({ version: 'ClamAV 1.4.3' });
  expect(await look(`forms: {a: ${form(none.address)}}`)).toEqual([
    expect.stringMatching(/^warning .*does not say how old its signatures are/),
  ]);
});

test('one that is not there, or is something else', async () => {
  const other = await clamdSink({ pong: '220 ESMTP' });
  expect(await look(`forms: {a: ${form(other.address)}}`)).toEqual([
    expect.stringMatching(/^failure .*what answers is not clamd, so "a" delivers no files/),
  ]);
  expect(await look(`forms: {a: ${form('127.0.0.1:1')}}`)).toEqual([
    'failure 127.0.0.1:1: connect ECONNREFUSED; until this works, "a" answers every submission with files with 500 -> Nothing listens on port 1 of 127.0.0.1: check the port, and that the server runs.',
  ]);
  expect(await look(`forms: {a: ${form('/nonexistent/clamd.ctl')}}`)).toEqual([
    expect.stringMatching(/^failure .*ENOENT.*may write to its socket/),
  ]);
});

test('a form without scan has nothing to look at', async () => {
  expect(
    await look(
      'forms: {a: {fields: [{name: a}], outputs: [{type: email, to: a@example.com, mapping: "*"}]}}',
    ),
  ).toEqual([]);
});
