/** The files that a field of type file accepts, through real HTTP. */
import { contact, relayWith } from '../../../test/support/index.ts';
import { latin1, samples, zipOf } from '../../../test/support/sample_files.ts';

type Sent = readonly [name: string, bytes: Uint8Array<ArrayBuffer>, type?: string];

/** Sends files to a form with a field `cv`. Returns what was delivered as text, or the errors. */
async function send(keys: string, ...files: readonly Sent[]): Promise<readonly string[] | string> {
  const form = await contact({ fields: `[{name: cv, type: file${keys && `, ${keys}`}}]` });
  const body = new FormData();
  for (const [name, bytes, type = ''] of files) body.append('cv', new File([bytes], name, { type }));
  const answer = await form.request('/api/v1/submit/contact', { method: 'POST', body });
  if (answer.status === 200) return form.delivered.flatMap((values) => values.map(([, value]) => value));
  expect(answer.status).toBe(422);
  expect(form.delivered).toEqual([]);
  return (answer.json as { error: string }).error;
}

type Case = [name: string, sample: keyof typeof samples, type?: string];

const refused = /because they can do harm/;
const another = /is not what its name says/;
const notAccepted = /is of a kind that is not accepted here/;

describe('without accept', () => {
  test.each<Case>([
    ['cv.pdf', 'pdf', 'application/pdf'],
    ['photo.jpeg', 'jpeg', 'image/jpeg'],
    ['photo.avif', 'avif'],
    ['letter.docx', 'docx', 'application/zip'],
    ['letter.doc', 'doc', 'application/msword'],
    ['letter.doc', 'rtf'],
    ['letter.odt', 'odt'],
    ['table.csv', 'csv', 'application/vnd.ms-excel'],
    ['notes.txt', 'windowsTxt'],
    ['notes.md', 'linkToShell'],
    ['memo.m4a', 'mp4', 'audio/x-m4a'],
    ['film.mov', 'mov'],
    ['plan.dwg', 'data'],
    ['scan 12.2030', 'pdf'],
  ])('accepts %s of %s', async (...[name, sample, type]: Case) =>
    expect(await send('', [name, samples[sample], type])).toEqual([expect.stringContaining('(')]),
  );

  test.each<`${string} of ${keyof typeof samples}`>([
    ...(['page.html of html', 'cv.pdf of html', 'cv.pdf of htmlWithPdf', 'notes.txt of utf16Html'] as const),
    ...(['logo.svg of svg', 'logo.png of svg', 'data.xml of svgInXml', 'data.xml of xml'] as const),
    ...(['run of script', 'notes.txt of script', 'cv.pdf.js of txt', 'cv.pdf.exe of pdf'] as const),
    ...(['cv.pdf of exe', 'tool of elf', 'cv.lnk of lnk', 'cv.url of url', 'notes.txt of url'] as const),
    ...(['all.zip of zip', 'all.tar.gz of gz', 'photo.jpg of zip', 'cv.docx of docm'] as const),
    ...(['cv.docx of docmInReferences', 'cv.docm of docx', 'cv.wsb of xmlWithoutHead'] as const),
    ...(['cv.mobileconfig of data', 'cv.doc of docWithMacros', 'cv.odt of odtWithMacros'] as const),
    ...(['cv.docx of jar', 'cv.ps1 of data', 'cv.pdf\u202e\u200b.exe of pdf', 'cv.exe. . of pdf'] as const),
  ])('rejects %s', async (file) => {
    const [name = '', sample = ''] = file.split(' of ');
    expect(await send('', [name, samples[sample as keyof typeof samples]])).toMatch(refused);
  });

  test.each<Case>([
    ['cv.pdf', 'png'],
    ['cv.pdf', 'textWithPdf'],
    ['cv.pdf', 'data'],
    ['cv.pdf', 'pdf', 'image/png'],
    ['cv.pdf', 'pdf', 'text/html'],
    ['cv', 'data', 'image/png'],
  ])('says that %s of %s has another type', async (...[name, sample, type]: Case) =>
    expect(await send('', [name, samples[sample], type])).toMatch(another),
  );
});

describe('accept', () => {
  test.each<readonly [accept: string, name: string, sample: keyof typeof samples]>([
    ['pdf', 'cv.pdf', 'pdf'],
    ['image', 'photo.png', 'png'],
    ['image/png', 'photo.png', 'png'],
    ['.JPG', 'photo.jpeg', 'jpeg'],
    ['office', 'cv.docx', 'docx'],
    ['archive', 'a.zip', 'zip'],
    ['svg', 'a.svg', 'svg'],
    ['.js', 'a.js', 'txt'],
    ['docm', 'a.docm', 'docm'],
    ['docm', 'a.docm', 'docx'],
    ['.dwg', 'a.dwg', 'data'],
    ['.kmz', 'a.kmz', 'zip'],
  ])('%s accepts %s of %s', async (accept, name, sample) =>
    expect(await send(`accept: ["${accept}"]`, [name, samples[sample]])).toHaveLength(1),
  );

  test.each<readonly [accept: string, name: string, sample: keyof typeof samples, says: RegExp]>([
    ['pdf', 'photo.png', 'png', notAccepted],
    ['pdf', 'a.exe', 'exe', notAccepted],
    ['pdf', 'cv.pdf', 'exe', another],
    ['pdf', 'cv.exe', 'pdf', another],
    ['image', 'a.svg', 'svg', notAccepted],
    ['office', 'a.docx', 'docm', another],
    ['office', 'a.docm', 'docm', notAccepted],
    ['.js', 'a.bat', 'txt', notAccepted],
    ['exe', 'a.com', 'exe', notAccepted],
    ['.dwg', 'a.dwg', 'html', another],
    ['zip', 'a.zip', 'jar', another],
  ])('%s rejects %s of %s', async (accept, name, sample, says) =>
    expect(await send(`accept: ["${accept}"]`, [name, samples[sample]])).toMatch(says),
  );
});

describe('how many, and how large', () => {
  test('a single file, unless the field accepts several', async () => {
    const two = [['a.txt', samples.txt] as const, ['b.txt', samples.txt] as const];
    expect(await send('', ...two)).toBe('cv: Choose 1 file only.');
    expect(await send('multiple: true', ...two)).toHaveLength(2);
    expect(await send('multiple: true, max_files: 1', ...two)).toBe('cv: Choose 1 file only.');
    const eleven = Array.from({ length: 11 }, (_, n) => [`${n}.txt`, samples.txt] as const);
    expect(await send('multiple: true', ...eleven)).toBe('cv: Choose at most 10 files.');
    expect(await send('multiple: true, max_files: 20', ...eleven)).toHaveLength(11);
  });

  test('at most max_size each, to the byte', async () => {
    const of = (length: number) => latin1('x'.repeat(length));
    expect(await send('max_size: 2KB', ['a.txt', of(2_048)])).toEqual(['a.txt (2 KB)']);
    expect(await send('max_size: 2KB', ['a.txt', of(2_049)])).toBe(
      'cv: The file a.txt is too large. The limit is 2 KB.',
    );
  });
});

describe('names', () => {
  test.each([
    ['../../etc/cv.txt', 'cv.txt'],
    ['..', 'file.txt'],
    ['.htaccess.txt', 'htaccess.txt'],
    ['COM1.tar.txt', '_COM1.tar.txt'],
    ['A\u030angstro\u0308m.txt', 'Ångström.txt'],
    ['cv\t\u0007.txt', 'cv.txt'],
    [' . .', 'file.txt'],
    [`${'ä'.repeat(300)}.txt`, `${'ä'.repeat(98)}.txt`],
    [`${'👍🏽'.repeat(60)}.txt`, `${'👍🏽'.repeat(24)}👍.txt`],
    ['日本語.txt', '日本語.txt'],
  ])('%j becomes %j', async (sent, cleaned) =>
    expect(await send('', [sent, samples.txt])).toEqual([`${cleaned} (19 bytes)`]),
  );

  test('no two in a submission are the same, in whatever field', async () => {
    const form = await contact({ fields: '[{name: a, type: file, multiple: true}, {name: b, type: file}]' });
    const body = new FormData();
    for (const name of ['cv.txt', 'CV.TXT', 'cv (2).txt']) body.append('a', new File(['x'], name));
    body.append('b', new File(['x'], 'x/cv.txt'));
    expect((await form.request('/api/v1/submit/contact', { method: 'POST', body })).status).toBe(200);
    expect(form.delivered.flat().map(([, value]) => value.replace(/ \(1 byte\)$/, ''))).toEqual([
      'cv.txt',
      'CV (2).TXT',
      'cv (2) (2).txt',
      'cv (3).txt',
    ]);
  });
});

describe('a zip with false data', () => {
  const whole = zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w/>' });
  const end = whole.lastIndexOf('PK\x05\x06');
  const changed = (change: (zip: Buffer) => void) => {
    const zip = Buffer.from(whole);
    change(zip);
    return zip;
  };
  test.each([
    ['a directory beyond the end', changed((zip) => zip.writeUInt32LE(0xfffffff0, end + 16))],
    ['more entries than there are', changed((zip) => zip.writeUInt16LE(0xffff, end + 10))],
    ['names beyond the end', changed((zip) => zip.writeUInt16LE(0xffff, zip.readUInt32LE(end + 16) + 28))],
    ['no end', whole.subarray(0, end)],
    ['an end alone', whole.subarray(end)],
    ['a start alone', whole.subarray(0, 4)],
  ])('with %s is an archive, not a document', async (_, zip) =>
    expect(await send('', ['cv.docx', zip as Buffer<ArrayBuffer>])).toMatch(refused),
  );

  test('content types that unpack to gigabytes cost nothing', async () => {
    const bomb = zipOf({ '[Content_Types].xml': ' '.repeat(50_000_000), 'word/document.xml': '<w/>' });
    expect(await send('', ['cv.docx', bomb])).toMatch(refused);
  });
});

test.each([
  ['de', 'Bis zu 1,5 MB: PDF, Bild oder DWG.', 'Bis zu 3 Dateien mit je höchstens 500 kB.'],
  ['fr', 'Jusqu’à 1,5 Mo\u202f: PDF, image ou DWG.', 'Jusqu’à 3 fichiers de 500 ko chacun.'],
  ['uk', 'До 1,5 МБ: PDF, зображення або DWG.', 'Кількість файлів: щонайбільше 3, кожен до 500 кБ.'],
  ['ja', '1.5 MB まで（PDF、画像、またはDWG）。', '3 個まで、1 個につき 500 KB まで。'],
  ['en', 'Up to 1.5 MB: PDF, image or DWG.', 'Up to 3 files of 500 KB each.'],
])('in %s, a field says what it accepts', async (language, one, several) => {
  const form = await relayWith({
    config: `
forms:
  apply:
    language: ${language}
    fields:
      - {name: cv, type: file, accept: [pdf, image, .dwg], max_size: 1.5MB}
      - {name: more, type: file, multiple: true, max_files: 3, max_size: 500KB}
    outputs: [{type: email, to: a@example.com, mapping: "*"}]`,
  });
  const { text } = await form.get('/api/v1/form/apply');
  const said = (text: string) => text.replaceAll(/\s/g, ' ');
  expect(said(text)).toContain(said(one));
  expect(said(text)).toContain(said(several));
});
