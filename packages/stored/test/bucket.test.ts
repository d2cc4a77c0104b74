import { createServer } from 'node:http';
import { parseListing } from '@form-relay/clients/aws/s3_client';
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { listen } from '../../../test/support/listen.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { account } from '../../clients/test/aws/aws.ts';
import type { Written } from './entries.ts';
import { startBucket } from './places.ts';

const idOf = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;

/** An S3 server with an archive under `forms/`, and a terminal configured to use it. */
async function openBucket(
  entries: readonly Written[],
  files: Readonly<Record<string, string>> = {},
  pageSize?: number,
) {
  const { s3, env } = await startBucket({ forms: entries }, pageSize);
  return { s3, terminal: await openTerminal({ env, files }) };
}

describe('an archive in a bucket', () => {
  test.each(['s3://configs/forms', 's3://configs/forms/'])('is listed from %s', async (from) => {
    const { s3, terminal } = await openBucket([
      { id: idOf(1), at: '2026-11-21T10:00:00.000Z', values: { name: ['Ada'] } },
      { id: idOf(2), at: '2026-11-20T10:00:00.000Z', values: { name: ['Grace'] }, form: 'Grüße & mehr' },
    ]);
    await s3.put('forms/contact/notes.txt', 'mine');
    await s3.put('forms.txt', 'not in it');
    expect(await terminal.run(`relay archive list --from ${from}`)).toEqual({
      stdout: [
        `2026-11-20T10:00:00.000Z  ${idOf(2)}  Grüße & mehr  Grace\n`,
        `2026-11-21T10:00:00.000Z  ${idOf(1)}  contact  Ada\n`,
      ].join(''),
      stderr: `s3://configs/forms/contact/notes.txt: is not part of an archive; ignored\n1 file or folder ignored\n`,
      code: 0,
    });
  });

  test('is marked in a local file', async () => {
    const { terminal } = await openBucket(
      [{ id: idOf(1), at: '2026-11-21T10:00:00.000Z', values: { name: ['Ada'] } }],
      {
        'webform.yaml':
          'forms: {contact: {fields: [{name: name}], outputs: [{type: email, to: a@example.com, mapping: "*"}]}}',
      },
    );
    const bucket = '--archive s3://configs/forms --verdicts verdicts.jsonl';
    expect(await terminal.run(`relay rules mark ${idOf(1)} spam ${bucket}`)).toEqual({
      stdout: `${idOf(1)}  contact  spam\n`,
      stderr: '',
      code: 0,
    });
  });

  test('is listed completely and in order, over several pages', async () => {
    const start = Date.parse('2026-11-21T10:00:00.000Z');
    const entries = Array.from({ length: 25 }, (_, nth) => ({
      id: idOf(nth),
      at: new Date(start + nth).toISOString(),
    }));
    const { s3, terminal } = await openBucket(entries, {}, 10);
    const { stdout, stderr } = await terminal.run('relay archive list --from s3://configs/forms');
    expect(stderr).toBe('');
    expect(s3.answered.filter((line) => line.includes('?prefix='))).toHaveLength(3);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[1]);
    expect(ids).toEqual(entries.map(({ id }) => id));
  });
});

/** A server that answers requests one after another. */
async function startServer(answer: (url: URL) => readonly [status: number, xml: string]) {
  const requests: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    requests.push(url);
    const [status, xml] = answer(new URL(url, 'http://s3'));
    response.writeHead(status).end(xml);
  });
  const env = { ...account, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${await listen(server)}` };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, terminal: await openTerminal({ env }) };
}

const error = (code: string) => `<Error><Code>${code}</Code></Error>`;

describe('a server', () => {
  test('that is busy is asked again', async () => {
    let tries = 0;
    const { terminal } = await startServer(() => {
      tries += 1;
      return tries < 3 ? [503, error('SlowDown')] : [200, '<ListBucketResult></ListBucketResult>'];
    });
    expect(await terminal.run('relay archive list --from s3://bb/forms')).toMatchObject({
      stderr: 'no submission in s3://bb/forms\n',
      code: 0,
    });
    expect(tries).toBe(3);
  });

  test('that promises more keys but lists none makes the command fail, because the list is incomplete', async () => {
    const { terminal } = await startServer(() => [
      200,
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
    ]);
    const { stderr, code } = await terminal.run('relay archive list --from s3://bb/forms');
    expect(stderr).toBe('the bucket did not list all its objects\n');
    expect(code).toBe(1);
  });

  test('that has an object in cold storage: the object is reported, and the others are read', async () => {
    const day = 'forms/contact/2026/11/21';
    const names = ['20261121T100000000Z-a-0.json', '20261121T100000001Z-b-0.json'];
    const document = JSON.stringify({
      version: 1,
      id: 'b',
      form: 'contact',
      received_at: '2026-11-21T10:00:00.001Z',
      fields: [{ name: 'name', label: 'Name', values: ['Ada'] }],
      files: [],
    });
    const { terminal } = await startServer((url) => {
      if (url.searchParams.has('prefix'))
        return [200, names.map((name) => `<Contents><Key>${day}/${name}</Key></Contents>`).join('')];
      return url.pathname.endsWith('a-0.json') ? [403, error('InvalidObjectState')] : [200, document];
    });
    const { stdout, stderr, code } = await terminal.run('relay archive list --from s3://bb/forms');
    expect(stdout).toContain('  b  contact  Ada\n');
    expect(stderr).toContain('-a-0.json: is in cold storage, such as Glacier; restore it first\n');
    expect(code).toBe(1);
  });
});

test('a page of a listing is read without failing, whatever it contains', () =>
  holds(
    30,
    [
      fc.array(
        fc.oneof(
          fc.constantFrom(
            ...['<Key>', '</Key>', '&amp;', '&#x1f600;', '&#xffffff;', 'a/', '%', '<IsTruncated>'],
          ),
          fc.string(),
        ),
      ),
    ],
    (parts) => {
      expect(() => parseListing(`<EncodingType>url</EncodingType>${parts.join('')}`)).not.toThrow();
    },
  ));
