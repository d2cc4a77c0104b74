/** Promises of every deployed artifact: each part finds its files when run as its intended user. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { eventually } from '../../scripts/machine.ts';
import { everywhere, get, on, type Promises, submit } from './promises.ts';

const note = 'The attachment of the visitor.';

/** A mail's text with its parts decoded. */
const decoded = (mail: string) =>
  mail.replace(/^(?:[A-Za-z0-9+/]{60,}\r?\n)*[A-Za-z0-9+/]+=*\r?$/gm, (part) =>
    Buffer.from(part, 'base64').toString('latin1'),
  );

function carriesAll(mail: string): void {
  const text = decoded(mail);
  assert.match(text, /application\/pdf/);
  assert.match(text, /%PDF-1/);
  assert.ok(text.includes(note), 'the mail lacks the file');
}

function withFile(): FormData {
  const form = new FormData();
  form.set('name', 'Ann');
  form.set('note', new Blob([note], { type: 'text/plain' }), 'note.txt');
  return form;
}

const withFolders = [
  'relay serve',
  'createNodeServer',
  'fetch',
  'executable',
  'systemd',
  'container',
] as const;

export const artifactPromises: Promises = {
  'artifact: a submission reaches an output': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'contact', 'name=Ann&email=ann%40example.org')).status, 200);
    assert.equal(given.to('/contact').at(-1)?.body, 'email=ann%40example.org&name=Ann');
  }),
  'artifact: a form is shown, with its script and style': on(everywhere, async (given) => {
    const { status, text } = await get(given, '/api/v1/form/contact?as=page');
    assert.equal(status, 200);
    assert.match(text, /<form /);
    const { text: script, headers } = await get(given, '/api/v1/form.js', { 'accept-encoding': 'br' });
    assert.equal(headers.get('content-encoding'), 'br');
    assert.ok(script.length > 5_000);
  }),
  'artifact: another language and the library of phone numbers are there': on(everywhere, async (given) => {
    assert.match((await get(given, '/api/v1/form/ukrainian')).text, />Надіслати</);
    assert.equal((await submit(given, 'ukrainian', 'name=Ann&phone=%2B49+30+12345678')).status, 200);
    assert.match(given.to('/ukrainian')[0]?.body ?? '', /phone=%2B493012345678/);
  }),
  'artifact: a plug-in is loaded': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'plugged', 'email=ann%40mailinator.com')).status, 422);
    assert.equal((await submit(given, 'plugged', 'email=ann%40example.org')).status, 200);
    assert.equal(given.to('/plugged').length, 1);
  }),
  'artifact: SES gets a mail with a PDF and a file, signed': on(everywhere, async (given) => {
    const before = given.aws.requests.length;
    assert.equal((await submit(given, 'mailed_by_ses', withFile())).status, 200);
    const sent = given.aws.requests[before];
    assert.equal(sent?.url, '/v2/email/outbound-emails');
    assert.match(String(sent.headers.authorization), /^AWS4-HMAC-SHA256 Credential=/);
    const { Content } = JSON.parse(sent.body);
    carriesAll(Buffer.from(Content.Raw.Data, 'base64').toString('latin1'));
  }),
  'artifact: a mail server gets a mail with a PDF and a file, after STARTTLS': on(
    [...withFolders, 'Lambda'],
    async (given) => {
      assert.equal((await submit(given, 'mailed_by_smtp', withFile())).status, 200);
      const mail = given.smtp.mails.at(-1);
      assert.equal(mail?.secure, true);
      carriesAll(mail.raw);
    },
  ),
  'artifact: an archive in a bucket gets what was sent': on(everywhere, async (given) => {
    const before = given.aws.requests.length;
    assert.equal((await submit(given, 'stored')).status, 200);
    const [put] = given.aws.requests.slice(before);
    assert.match(`${put?.method} ${put?.url}`, /^PUT \/leads\/stored\//);
    assert.match(put?.body ?? '', /"values":\["Ann"\]/);
  }),
  'artifact: a submission kept first is delivered': on([...withFolders, 'Worker'], async (given) => {
    assert.equal((await submit(given, 'always')).status, 200);
    await eventually(() => given.to('/always').length === 1);
  }),
  'artifact: a refused delivery is kept in the folder': on(withFolders, async (given) => {
    assert.equal((await submit(given, 'failed')).status, 200);
    const kept = await readdir(given.folder, { recursive: true, withFileTypes: true });
    const isArchived = (path: string) => path.startsWith(`${given.folder}/files`);
    assert.ok(kept.some((one) => one.isFile() && !isArchived(one.parentPath)));
  }),
};
