/** Fields for times: what they accept, what outputs get, what visitors read. */
import { contact, httpSink, relayWith, smtpSink, warningsOf } from '../../../test/support/index.ts';

const problems = 'application/problem+json';

interface Rule {
  readonly keys: string;
  /** The typed text and the value for outputs, or a single text if both are the same. */
  readonly takes: readonly string[];
  /** Texts by the code of their error. */
  readonly refuses: Readonly<Record<string, readonly string[]>>;
}

const rules: Readonly<Record<string, Rule>> = {
  'a time as people type it': {
    keys: 'type: time',
    takes: [
      ...'14:30|00:00|23:59|9:05 > 09:05|9h05 > 09:05|12:00 a.m. > 00:00|１４：３０ > 14:30'.split('|'),
      '٠٩:٠٥ > 09:05',
    ],
    refuses: {
      not_a_time: ['24:00', '9:5', '13:00 pm', 'noon', '9:0⁵', '2030-12-31T09:05'],
      off_step: ['09:05:30'],
    },
  },
  'a time within its limits': {
    keys: 'type: time, min: 9:00, max: 17:00',
    takes: ['09:00', '17:00'],
    refuses: { time_too_early: ['08:59'], time_too_late: ['17:01'] },
  },
  'a time on its steps': {
    keys: 'type: time, min: 08:10, step: 15m',
    takes: ['08:10', '8:25 > 08:25'],
    refuses: { off_step: ['08:15', '08:10:01'] },
  },
  'a time counted from its initial value': {
    keys: 'type: time, value: 09:10, step: 15m',
    takes: ['09:25', '00:10'],
    refuses: { off_step: ['09:15'] },
  },
  'a time with seconds': {
    keys: 'type: time, step: 30s',
    takes: ['09:05:30', '09:05'],
    refuses: { off_step: ['09:05:31'] },
  },
  'a day and a time, with the offset of its time zone': {
    keys: 'type: datetime',
    takes: [
      ...['2026-03-02T14:20 > 2026-03-02T14:20:00+01:00', '2026-07-02 9:20 > 2026-07-02T09:20:00+02:00'],
      ...['2024-02-29, 14:20 > 2024-02-29T14:20:00+01:00', '۲۰۲۶-۰۳-۰۲ ۱۴:۲۰ > 2026-03-02T14:20:00+01:00'],
      // When clocks go back, the first of the two moments.
      ...['2026-10-25T02:30 > 2026-10-25T02:30:00+02:00', '2026-10-25T03:00 > 2026-10-25T03:00:00+01:00'],
      // When clocks go forward.
      ...['2026-03-29T01:59 > 2026-03-29T01:59:00+01:00', '2026-03-29T02:30 > 2026-03-29T02:30:00+01:00'],
      ...['2026-03-29T03:00 > 2026-03-29T03:00:00+02:00', '1850-01-01T12:00 > 1850-01-01T12:00:00+00:53'],
      ...['0001-01-01T00:00 > 0001-01-01T00:00:00+00:53', '9999-12-31T23:59 > 9999-12-31T23:59:00+01:00'],
    ],
    refuses: {
      no_such_day: ['2023-02-29T14:20', '1900-02-29, 14:20', '۲۰۲۶-۰۴-۳۱ ۱۴:۲۰'],
      not_a_datetime: [
        ...['0000-01-01T14:20', '2026-13-01T14:20', '2026-03-02', '2026-03-02T24:00', '2026-03-02T14:20Z'],
        ...['14:20', '02/03/2026 14:20'],
      ],
      off_step: ['2026-03-02T14:20:30'],
    },
  },
  'a moment within its limits and on its steps': {
    keys: 'type: datetime, min: 2026-03-02 09:10, max: 2026-03-03 18:00, step: 30m',
    takes: ['2026-03-03T09:10 > 2026-03-03T09:10:00+01:00'],
    refuses: {
      time_too_early: ['2026-03-02T08:40'],
      time_too_late: ['2026-03-03T18:10'],
      off_step: ['2026-03-03T09:00'],
    },
  },
  'a day that exists': {
    keys: 'type: date',
    takes: ['2024-02-29', '２０００-０２-２９ > 2000-02-29'],
    refuses: {
      no_such_day: ['2100-02-29', '2026-02-30', '２０２６-０４-３１', '٢٠٢٦-٠٢-٣٠'],
      not_a_date: ['2026-31-12', '2026-12-32', '0000-01-01', '30.02.2026'],
    },
  },
};

test.each(Object.entries(rules))('%s', async (_, { keys, takes, refuses }) => {
  const form = await contact({ fields: `[{name: f, ${keys}}], time_zone: Europe/Berlin` });
  for (const row of takes) {
    const [typed = '', stored = typed] = row.split(' > ');
    const { status, text } = await form.send(['f', typed]);
    expect({ typed, status, text }).toMatchObject({ status: 200 });
    expect({ typed, got: form.delivered.at(-1) }).toEqual({ typed, got: [['f', stored]] });
  }
  for (const [code, texts] of Object.entries(refuses))
    for (const typed of texts) {
      const { status, json } = await form.submit('contact', [['f', typed]], { accept: problems });
      expect({ typed, status, json }).toMatchObject({
        status: 422,
        json: { errors: [{ field: 'f', code }] },
      });
    }
  expect(form.delivered).toHaveLength(takes.length);
});

test.each([
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T12:00:00-10:00'],
  ['Pacific/Apia', '2011-12-31T12:00', '2011-12-31T12:00:00+14:00'],
  ['Asia/Kathmandu', '2026-01-01T12:00', '2026-01-01T12:00:00+05:45'],
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T01:30:00-04:00'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T02:30:00-05:00'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-04T02:15:00+10:30'],
  ['Australia/Lord_Howe', '2026-10-04T02:30', '2026-10-04T02:30:00+11:00'],
  ['UTC', '2026-03-29T02:30', '2026-03-29T02:30:00+00:00'],
] as const)('in %s, %s is %s', async (zone, typed, stored) => {
  const form = await contact({ fields: `[{name: f, type: datetime}], time_zone: ${zone}` });
  expect((await form.send(['f', typed])).status).toBe(200);
  expect(form.delivered).toEqual([[['f', stored]]]);
});

const two = (top: string, form: string, sink: string) =>
  `${top}
forms:
  contact:
    ${form}
    fields: [{name: f, type: datetime}]
    outputs: [{type: http_post, url: "${sink}", mapping: "*"}]
`;

test.each([
  ['time_zone: Asia/Tokyo', '', '+09:00'],
  ['time_zone: Asia/Tokyo', 'time_zone: America/Bogota', '-05:00'],
  ['', '', '+00:00'],
])('a form has the top-level time zone, unless it sets its own (%s, %s)', async (top, own, offset) => {
  const sink = await httpSink();
  const form = await relayWith({ config: two(top, own, `${sink.origin}/`) });
  expect((await form.submit('contact', [['f', '2026-03-02T14:20']])).status).toBe(200);
  expect(new URLSearchParams(sink.requests[0]?.body).get('f')).toBe(`2026-03-02T14:20:00${offset}`);
});

test('a form without a time zone causes a warning', async () => {
  const warnings = await warningsOf(two('', '', 'https://example.com/'));
  expect(warnings).toContain('fields[0].type: times are in UTC');
  expect(await warningsOf(two('time_zone: UTC', '', 'https://example.com/'))).not.toContain('UTC');
});

test('other values, and empty ones, are kept', async () => {
  const form = await contact({ fields: '[{name: a}, {name: t, type: time}, {name: u, type: time}]' });
  await form.send(['a', '9:05'], ['t', '9:05'], ['u', '']);
  expect(form.delivered).toEqual([Object.entries({ a: '9:05', t: '09:05' })]);
});

test('a mail shows the local time and its offset, and a webhook gets the moment', async () => {
  const mails = await smtpSink();
  const sink = await httpSink();
  const outputs = `[{type: smtp, host: localhost, port: ${mails.port}, to: a@b.example, html: true, mapping: "*"}, {type: webhook, url: $sink, mapping: "*"}]`;
  const form = await contact({
    fields: '[{name: when, type: datetime}, {name: at, type: time}], time_zone: Europe/Berlin',
    outputs: outputs.replace('$sink', `"${sink.origin}/"`),
  });
  await form.send(['when', '2026-03-02T14:20'], ['at', '9:05']);
  const { raw = '' } = mails.mails[0] ?? {};
  expect(raw).toContain('2026-03-02 14:20 (+01:00)');
  expect(raw).toContain('09:05');
  expect(raw).not.toContain('T14:20');
  expect(JSON.parse(sink.requests[0]?.body ?? '')).toEqual({
    when: '2026-03-02T14:20:00+01:00',
    at: '09:05',
  });
});

const shown = async (fields: string, query = '', more = '') => {
  const form = await contact({ fields: `[${fields}]${more}` });
  return (await form.get(`/api/v1/form/contact${query}`)).text;
};

test('the form has the browser’s controls', async () => {
  expect(await shown('{name: f, type: time, min: 9:00, max: 17:00, step: 15m, value: 9:30}')).toContain(
    'type="time" id="form-contact--f" name="f" value="09:30" min="09:00" max="17:00" step="900"',
  );
  expect(await shown('{name: f, type: datetime, min: 2026-03-02 09:00}')).toContain(
    'type="datetime-local" id="form-contact--f" name="f" min="2026-03-02T09:00" step="60"',
  );
  // Otherwise browsers would count the steps from this value.
  expect(await shown('{name: f, type: time, step: 15m}', '?f=9:07')).toContain('value="09:07" step="any"');
});

test.each([
  ['type: time, max: 17:00', '18:00', 'en', 'Enter a time that is 17:00 or earlier.'],
  ['type: time, min: 14:30', '9:00', 'fi', 'Anna aika, joka on 14.30 tai myöhempi.'],
  ['type: time, step: 15m', '9:10', 'en', 'This cannot be chosen. The nearest choice is 09:15.'],
  ['type: time, step: 1h', '23:50', 'en', 'choice is 23:00.'],
  ['type: datetime, step: 30m', '2026-03-29T01:50', 'en', 'choice is 2026-03-29 02:00.'],
])('{%s} answers %s in %s: %s', async (keys, typed, language, words) => {
  const fields = `[{name: f, ${keys}}], time_zone: Europe/Berlin, languages: [${language}]`;
  const form = await contact({ fields });
  const { json } = await form.submit('contact', [['f', typed]], { accept: problems });
  expect(json).toMatchObject({ errors: [{ message: expect.stringContaining(words) }] });
});

test('a step beyond the limits is not suggested as the nearest', async () => {
  const form = await contact({ fields: '[{name: f, type: time, min: 09:00, max: 09:20, step: 15m}]' });
  expect((await form.send(['f', '09:20'])).text).toContain('09:15');
});
