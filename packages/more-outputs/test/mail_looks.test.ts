import { expect, test } from 'vitest';
import { sampleMails, withoutHead } from '../../../test/support/sample_mails.ts';
import { type MailBody, renderMail } from '../src/html_mail.ts';

/** Texts at the edge of something: of a line, of a paragraph, of an apparent address. */
const edges: MailBody = {
  language: 'en',
  direction: 'ltr',
  title: 'Two\nlines,\tand  spaces \u202eturned',
  intro: [
    '\n\n  \nAfter empty lines, ',
    { href: 'https://acme.example/a' },
    '\n',
    'mailto:office@acme.example, office@acme.example\n \n\t\n',
    { href: 'https://acme.example/?to=mailto:office' },
    '.\n\n',
  ],
  entries: [
    { label: 'Nothing', values: [] },
    { label: 'Nothing but space', values: [' \t', '\u200e'] },
    { label: 'One of two', values: ['', 'one'] },
    { label: 'A\nlabel: of lines?', values: ['yes'] },
    { label: 'Ends with a colon:', values: ['a\tb', ' c \n\n \n\n\td\r\ne\u2028f'] },
    { label: '100 characters', values: [`${'ten chars '.repeat(9)}ten chars.`] },
    { label: '101 characters', values: [`${'ten chars '.repeat(10)}.`] },
    { label: '102 characters', values: [`${'ten chars '.repeat(10)}..`] },
    { label: '200 characters', values: [`${'ten chars '.repeat(19)}ten chars.`] },
    { label: 'A long word alone', values: ['x'.repeat(150)] },
    { label: 'A long word first', values: [`${'x'.repeat(150)} and ${'y'.repeat(100)}`] },
    { label: 'A long word after a space', values: [`a\n ${'x'.repeat(120)} b`] },
    { label: 'Addresses', values: ['see www.evil.example and  evil.example\n<ada@b.example>, ftp://c'] },
    { label: 'Letters', values: ['<b>"&amp;"</b> é 👩‍👩‍👧 \ud83d ~\x7f'] },
  ],
  page: { label: 'The\npage', url: 'https://acme.example/a?b=1&c="2"', isLink: false },
  footer: ['One\n\nTwo ', { href: 'https://acme.example/' }, '\nThree'],
};

const bare: MailBody = { ...edges, title: '', intro: [], entries: [], page: undefined, footer: [] };

/** Each byte, so that a change of how a mail looks is seen. `-u` rewrites them; look at them in a browser. */
test.each(Object.entries({ ...sampleMails, edges, bare }))('%s: as text and as HTML', async (name, mail) => {
  const { text, html } = renderMail(mail);
  await expect(text).toMatchFileSnapshot(`letters/${name}.txt`);
  const written = name === 'english' ? html : withoutHead(html);
  await expect(written).toMatchFileSnapshot(`letters/${name}.html`);
});
