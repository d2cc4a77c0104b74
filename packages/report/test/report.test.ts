import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTerminal } from '../../cli/test/terminal.ts';
import { Ledger } from '../src/figures.ts';

const at = (day: string, time = '10:00') => `2026-${day}T${time}:00.000Z`;
const line = (event: string, id: string, time: string, more: object) =>
  JSON.stringify({ time, level: 'info', event, request_id: id, form: 'contact', ...more });
const submission = (id: string, time: string, outcome: string, ...outputs: readonly string[]) =>
  line('submission', id, time, {
    outcome,
    ms: 400,
    ...(outputs.length > 0 && {
      deliveries: outputs.map((outcome, output) => ({ output, outcome, ms: 400 })),
    }),
  });
const tried = (id: string, time: string, outcome: string, output = 1) =>
  line('kept_delivery', id, time, { output, outcome, age_s: 60 });

/** The log of a month, with comments on its lines. */
const log = [
  submission('a', at('10-01'), 'delivered', 'delivered', 'delivered'),
  submission('b', at('10-02'), 'delivered', 'delivered', 'skipped'),
  'not JSON: "submission"',
  submission('dropped', at('10-02'), 'dropped'),
  submission('invalid', at('10-02'), 'invalid'),
  submission('late', at('10-31', '23:59'), 'delivered', 'delivered', 'kept'),
  tried('late', at('11-01', '00:10'), 'put_off'),
  tried('late', at('11-01', '01:59'), 'delivered'),
  submission('waits', at('10-03'), 'delivered', 'delivered', 'kept'),
  tried('waits', at('10-03', '10:05'), 'aside'),
  // The relay retried the output before the visitor got a response.
  tried('early', at('10-04', '09:59'), 'delivered'),
  submission('early', at('10-04'), 'delivered', 'delivered', 'kept'),
  submission('told', at('10-05'), 'undelivered', 'delivered', 'failed'),
  submission('half', at('10-06'), 'delivered', 'delivered', 'failed'),
  line('submission', 'changed', at('10-08'), {
    outcome: 'delivered',
    change_of: 'a',
    deliveries: [{ output: 0, outcome: 'delivered' }],
  }),
  // The process was killed before it wrote the line.
  tried('killed', at('10-07', '10:05'), 'delivered'),
  submission('before', at('09-30'), 'delivered', 'delivered'),
  submission('after', at('11-01'), 'delivered', 'delivered'),
];

test('each submission of the month is counted once, by the log, archives and the store', () => {
  const ledger = new Ledger({ from: Date.parse('2026-10-01'), to: Date.parse('2026-11-01') });
  for (const one of log) ledger.line(one);
  for (const id of ['a', 'archived', 'half', 'changed'])
    ledger.archived(id, 'contact', Date.parse(at('10-08')));
  ledger.archived('other', 'quote', Date.parse(at('10-08')));
  const { days, ...figures } = ledger.figures(new Set(['contact']), (id) => id === 'waits');
  expect(figures).toEqual({
    ...{ received: 9, onTime: 2, late: 3, waiting: 1, lost: 2, unknown: 1, told: 1 },
    medianMs: 60_000,
  });
  expect([...days.values()].reduce((sum, count) => sum + count)).toBe(9);
  // The owner settled the waiting delivery manually, so nothing is queued.
  expect(ledger.figures(new Set(['contact']), () => false)).toMatchObject({ waiting: 0, unknown: 2 });
});

test('relay report writes a page and a PDF for each form and client, and names what is unknown', async () => {
  const form = (title: string) => ({
    title,
    look: { name: 'Bakery', accent: '#0f766e', footer: 'By [North](https://north.example)' },
    fields: [{ name: 'email' }],
    outputs: [{ type: 'folder', path: '.' }],
  });
  const forms = { contact: form('<Contact>'), 'shop/order': form('Order'), 'shop/return': form('Return') };
  const { run, cwd } = await openTerminal({
    files: { 'webform.yaml': JSON.stringify({ forms }), 'relay.log': log.join('\n') },
  });
  const { stdout, stderr } = await run('relay report --month 2026-10 --log relay.log --out reports');
  expect(stderr).toBe('');
  expect(stdout).toContain('reports/contact.html, .pdf: 5 of 8 submissions arrived; ');
  expect(
    (await readdir(join(cwd, 'reports'), { recursive: true })).filter((name) => name.endsWith('.pdf')),
  ).toHaveLength(4);
  const page = await readFile(join(cwd, 'reports/contact.html'), 'utf8');
  expect(page).toContain('<h1>&lt;Contact&gt;</h1>');
  expect(page).toContain('--accent:#0f766e');
  expect(page).toContain('No store of queued deliveries was read.');
  const text = execFileSync('pdftotext', ['-layout', join(cwd, 'reports/contact.pdf'), '-'], {
    encoding: 'utf8',
  });
  expect(text).toContain('<Contact>: October 2026');
  expect(text).toContain('By North');
  const blind = await run('relay report --month 2026-10 --client shop --form shop/order');
  expect(blind.stdout.split('\n').map((one) => one.split(':')[0])).toEqual([
    'report-2026-10/shop/order.html, .pdf',
    'report-2026-10/shop.html, .pdf',
    '',
  ]);
  expect((await run('relay report --month 2026-10 --client shop --form shop/order')).stdout).toMatch(
    /^report-2026-10\/shop\/order\.html, \.pdf \(replaced\): /,
  );
  expect(await readFile(join(cwd, 'report-2026-10/shop.html'), 'utf8')).toContain(
    'delivery times and losses are unknown',
  );
});
