import { type Contact, contact, type LogEvent } from '../../../test/support/index.ts';

const output = (name: string, when?: string) =>
  `{type: http_post, url: $sink, static: {to: ${name}}, mapping: {kind: kind}${when === undefined ? '' : `, when: ${when}`}}`;

/** The outputs that received the last submission: the `to` of each post. */
const reached = ({ delivered }: Contact) =>
  delivered.map((pairs) => new Map(pairs).get('to') ?? '').toSorted();

const last = ({ logged }: Contact): LogEvent | undefined =>
  logged.findLast(({ event }) => event === 'submission');

const kinds = '{name: kind, type: select, options: [sales, support, other]}';

describe('sales to the CRM, support to the desk', () => {
  const routed = () =>
    contact({
      fields: `[${kinds}]`,
      outputs: `[${output('crm', '{field: kind, is: sales}')}, ${output('desk', '{field: kind, is: [support, other]}')}, ${output('archive')}]`,
    });

  test.each([
    ['sales', ['archive', 'crm']],
    ['support', ['archive', 'desk']],
    ['other', ['archive', 'desk']],
    ['', ['archive']],
  ])('%j reaches %j', async (kind, to) => {
    const form = await routed();
    expect((await form.send(['kind', kind])).json).toEqual({ message: 'ok' });
    expect(reached(form)).toEqual(to);
  });

  test('the log line of a submission lists skipped outputs in order, without conditions', async () => {
    const form = await routed();
    await form.send(['kind', 'support']);
    expect(last(form)).toMatchObject({
      level: 'info',
      outcome: 'delivered',
      deliveries: [
        { output: 0, type: 'http_post', outcome: 'skipped' },
        { output: 1, type: 'http_post', outcome: 'delivered', tries: 1 },
        { output: 2, type: 'http_post', outcome: 'delivered', tries: 1 },
      ],
    });
    expect(form.logged.map(({ event }) => event)).toEqual(['config_loaded', 'submission']);
    expect(JSON.stringify(form.logged)).not.toMatch(/support|sales|kind/);
  });
});

describe('a submission to which no output applies', () => {
  const lost = (more = '') =>
    contact({
      fields: `[${kinds}]`,
      outputs: `[${output('crm', `{field: kind, is: sales}${more}`)}, ${output('desk', `{field: kind, is: support}${more}`)}]`,
    });

  test.each(['', ', on_error: continue'])('is never acknowledged {%s}', async (more) => {
    const form = await lost(more);
    const answer = await form.send(['kind', 'other']);
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({ error: 'the submission could not be delivered; please try again later' });
    expect(form.delivered).toEqual([]);
  });

  test('is logged as an error that says what to do, without the submitted values', async () => {
    const form = await lost();
    await form.send(['kind', 'other']);
    const [, event, line] = form.logged;
    expect(event).toMatchObject({ level: 'error', event: 'no_output_applies', form: 'contact' });
    expect(event?.reason).toContain('when');
    expect(line).toMatchObject({
      level: 'error',
      event: 'submission',
      outcome: 'undelivered',
      deliveries: [{ outcome: 'skipped' }, { outcome: 'skipped' }],
    });
    expect(JSON.stringify(form.logged)).not.toContain('other');
  });
});

describe('values that a condition reads', () => {
  /** Whether an output with this `when` gets the submission. */
  async function applies(fields: string, when: string, ...sent: [string, string][]) {
    const form = await contact({
      fields,
      outputs: `[${output('it', when)}, {type: http_post, url: $sink, static: {to: rest}}]`,
    });
    expect((await form.send(...sent)).status).toBe(200);
    return reached(form).includes('it');
  }

  const coming = `[{name: kind}, {name: firm, visible_when: {field: kind, is: company}}]`;

  test.each([
    ['{field: firm, is: ACME}', false],
    ['{field: firm, filled: true}', false],
    // As `visible_when`, this condition would not hold for a hidden field. As `when`, it does, so that the lead is not lost.
    ['{field: firm, is_not: ACME}', true],
    ['{field: firm, filled: false}', true],
  ])('a hidden field counts as empty, whatever was sent for it: %s is %j', async (when, holds) =>
    expect(await applies(coming, when, ['kind', 'private'], ['firm', 'ACME'])).toBe(holds),
  );
});

describe('an output of an unregistered type', () => {
  const withUnknown = (when: string, more = '') =>
    contact({ fields: `[${kinds}]`, outputs: `[{type: nobody_knows${when}${more}}, ${output('rest')}]` });

  test('does no harm if its `when` does not apply', async () => {
    const form = await withUnknown(', when: {field: kind, is: sales}');
    expect((await form.send(['kind', 'support'])).status).toBe(200);
    expect(reached(form)).toEqual(['rest']);
  });

  test.each([
    ['where it holds', ', when: {field: kind, is: sales}'],
    ['without one', ''],
  ])('is a 500 %s, whatever on_error says', async (_, when) => {
    const form = await withUnknown(when, ', on_error: continue');
    expect((await form.send(['kind', 'sales'])).status).toBe(500);
    expect(reached(form)).toEqual(['rest']);
    expect(form.logged.find(({ event }) => event === 'delivery_failed')).toMatchObject({
      level: 'error',
      output: 0,
      type: 'nobody_knows',
      on_error: 'fail',
      reason: 'no such output type',
    });
  });
});
