/** Owners' texts between and around fields: notes, links, groups, steps, and the contact for failed submissions. */
import { httpSink, relayWith } from '../../../../test/support/index.ts';
import { mistakesIn } from '../../../../test/support/validate.ts';

const privacy = '[privacy notice](https://www.example.com/privacy)';

async function staged(keys: string, title = 'title: Write to us,') {
  let status = 200;
  const sink = await httpSink({ answer: () => ({ status }) });
  const relay = await relayWith({
    config: `forms: {contact: {${title} ${keys}, outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}}`,
  });
  const post = (body: string, headers: Record<string, string> = {}, query = '') =>
    relay.post(`/api/v1/submit/contact${query}`, body, headers);
  const fail = () => {
    status = 500;
  };
  const form = async () => (await relay.get('/api/v1/form/contact')).text;
  const page = async () => (await relay.get('/api/v1/form/contact?as=page')).text;
  return { relay, sink, post, fail, form, page };
}

const htmx = { 'hx-request': 'true' };
const problemJson = { accept: 'application/problem+json' };

describe('links', () => {
  const link = '<a href="https://www.example.com/privacy">privacy notice</a>';

  test('in labels, help and notes', async () => {
    const { form } = await staged(`fields: [{note: "Read the ${privacy}."},
      {name: a, label: "Our ${privacy}", help: "More in the ${privacy}"},
      {name: b, type: checkbox, label: "I read the ${privacy}."},
      {name: c, type: radios, options: [x], label: "The ${privacy}?"}]`);
    const text = await form();
    expect(text.split(link)).toHaveLength(6);
    expect(text).toContain(`<p class="field-note">Read the ${link}.</p>`);
    expect(await mistakesIn(text)).toEqual([]);
  });

  test('are plain text in messages, attributes and JSON', async () => {
    const { form, post } = await staged(
      `fields: [{name: a, label: "Our ${privacy}", required: true, pattern: "x", help: "As in the ${privacy}"}]`,
    );
    expect(await form()).toContain('title="As in the privacy notice"');
    expect((await post('a=y', problemJson)).json).toMatchObject({
      errors: [{ label: 'Our privacy notice', message: 'Use the expected format: As in the privacy notice' }],
    });
  });

  test('are not parsed in visitors’ values and in other keys of the config', async () => {
    const { post } = await staged(`fields: [{name: a, type: email, value: "${privacy}"},
      {name: b, type: select, options: ["${privacy}"]}]`);
    const { text } = await post(new URLSearchParams({ a: privacy, b: privacy }).toString(), htmx);
    expect(text).not.toContain('<a ');
    expect(text).toContain(`value="${privacy}"`);
  });

  test('are brackets after a backslash, in the confirmation and in the message of a failure', async () => {
    const { post, fail } = await staged(String.raw`fields: [],
      confirmation: 'Write \[words](https://example.com).', failure_message: "Write \\[us](/us)."`);
    const confirmation = '<div class="form-confirmation">Write [words](https://example.com).</div>';
    expect((await post('', htmx)).text).toBe(`${confirmation}\n`);
    expect((await post('', {}, '?as=page')).text).toContain(confirmation);
    expect((await post('', problemJson)).json).toEqual({
      message: 'ok',
      confirmation: 'Write [words](https://example.com).',
    });
    fail();
    expect((await post('', htmx)).text).toContain('<li>Write [us](/us).</li>');
    const problem = (await post('', problemJson)).json;
    expect(problem).toMatchObject({ failure_message: 'Write [us](/us).' });
    expect(problem).not.toHaveProperty('failure_message_html');
  });

  test('in the confirmation: fragment, page, and as markup along with the text for scripts', async () => {
    const { post } = await staged(`fields: [], confirmation: "Read the ${privacy}."`);
    const confirmation = `<div class="form-confirmation">Read the ${link}.</div>`;
    expect((await post('', htmx)).text).toBe(`${confirmation}\n`);
    expect((await post('', {}, '?as=page')).text).toContain(confirmation);
    expect((await post('', problemJson)).json).toEqual({
      message: 'ok',
      confirmation: 'Read the privacy notice.',
      confirmation_html: `Read the ${link}.`,
    });
  });
});

describe('steps', () => {
  const keys = `fields: [{name: h, type: hidden}, {name: a, required: true}, {name: b}, {note: Inside}, {name: c},
      {name: i, type: hidden}, {name: d, required: true}, {note: After}],
    groups: [{legend: Both, fields: [c, d]}],
    steps: [{title: First & foremost, fields: [a, b]}, {title: Then, fields: [c, d]}]`;

  test('are all on one page, each under its title, with hidden fields and notes', async () => {
    const { page } = await staged(keys);
    const text = await page();
    const sections = [...text.matchAll(/<section class="form-step" data-step="(\d)">(.*?)<\/section>/gs)];
    expect(sections.map(([, number]) => number)).toEqual(['1', '2']);
    expect(
      sections.map(([, , inside = '']) =>
        [...inside.matchAll(/(?:<h2.*?>|note">|name=")([\w &;]+)/g)].map(([, one]) => one),
      ),
    ).toEqual([
      ['First &amp; foremost', 'h', 'a', 'b'],
      ['Then', 'Inside', 'c', 'i', 'd', 'After'],
    ]);
    expect(await mistakesIn(text)).toEqual([]);
  });
});

describe('a summary of errors', () => {
  const fields =
    'fields: [{name: a, required: true}, {name: b, type: checkboxes, options: [x, y], required: true}, {name: c, type: hidden, required: true}, {name: d, type: checkbox, label: "I agree.", required: true}]';

  test('links to each control, the first one of a group, or the message; it has a heading and the focus', async () => {
    const { post } = await staged(fields);
    for (const [headers, query, level] of [
      [htmx, '', 3],
      [{}, '?as=page', 2],
    ] as const) {
      const { text } = await post('', headers, query);
      expect(text).toContain(
        `<div class="form-status" role="alert" tabindex="-1" autofocus><h${level} class="form-summary">There is a problem</h${level}><ul class="form-errors">`,
      );
      const links = [...text.matchAll(/<li><a href="#([^"]+)">(.*?)<\/a><\/li>/g)].map(([, id, words]) => [
        id,
        words,
      ]);
      expect(links).toEqual([
        ['form-contact--a', 'A: Enter a value.'],
        ['form-contact--b', 'B: Choose at least one option.'],
        ['form-contact--c--error', 'C: Enter a value.'],
        ['form-contact--d', 'I agree: Tick this box.'],
      ]);
      for (const [id] of links) expect(text).toContain(` id="${id}"`);
      expect(text.match(/autofocus/g)).toHaveLength(1);
      expect(await mistakesIn(text)).toEqual([]);
    }
  });
});

describe('failure_message', () => {
  const keys =
    'fields: [{name: a, required: true}], failure_message: "Call [us](mailto:office@example.com)."';
  const words = '<li>Call <a href="mailto:office@example.com">us</a>.</li>';

  test('is shown next to the relay’s own text: page, fragment, problem', async () => {
    const { post, fail } = await staged(keys);
    fail();
    expect((await post('a=1', {}, '?as=page')).text).toMatch(new RegExp(`again in a moment\\.</li>${words}`));
    expect((await post('a=1', htmx)).text).toBe(
      `<ul class="form-errors"><li>the submission could not be delivered; please try again later</li>${words}</ul>\n`,
    );
    expect((await post('a=1', problemJson)).json).toMatchObject({
      status: 500,
      failure_message: 'Call us.',
      failure_message_html: 'Call <a href="mailto:office@example.com">us</a>.',
    });
    expect((await post('a=1')).json).toEqual({
      error: 'the submission could not be delivered; please try again later',
    });
  });

  test('is on the page of a throttled visitor', async () => {
    const relay = await relayWith({
      config: `forms: {contact: {${keys}, outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
      env: { THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' },
    });
    await relay.get('/api/v1/form/contact');
    const { status, text } = await relay.request('/api/v1/submit/contact?as=page', { method: 'POST' });
    expect([status, text.includes(words)]).toEqual([429, true]);
  });
});
