import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { slack } from '../../../test/support/slack.ts';

const fields = `
    title: Ask us
    page: true
    fields:
      - {name: name, label: Your name}
      - {name: topics, type: checkboxes, options: [{value: r, label: The roof}, {value: w, label: Walls}]}
      - {name: consent, label: "I agree", type: checkbox}
      - {name: message, type: textarea}
      - {name: code, type: textarea}`;

const sent: [string, string][] = [
  ['name', 'Ada *Lovelace* <ada@visitor.test>'],
  ['topics', 'w'],
  ['topics', 'r'],
  ['consent', 'on'],
  ['message', 'The roof\n\n- leaks_badly'],
  ['code', 'a ``b`` and `c`'],
  ['_page_url', 'https://firm.test/boots?a=1'],
];

/** Each byte, so that a change of how a message looks is seen. `-u` rewrites them; look at them in Slack. */
test('sent messages', async () => {
  const sink = await httpSink({ answer: slack.answer });
  const address = `url: "${slack.url(sink.origin)}"`;
  const outputs = [
    `{type: slack, ${address}}`,
    `{type: slack, ${address}, title: "From {{ .fields.name }}", mapping: {Who: name, Code: code}}`,
    `{type: slack, ${address}, title: Somebody wrote, mapping: {}}`,
  ];
  const relay = await relayWith({
    config: `forms:\n  contact:${fields}\n    outputs:\n${outputs.map((output) => `      - ${output}\n`).join('')}`,
  });
  expect((await relay.submit('contact', sent)).status).toBe(200);
  const requests = sink.requests.map(({ method, url, headers, bytes }) =>
    [
      `${method} ${url.replace(/[\w-]{20,}$/, 'ID')}`,
      `content-type: ${headers['content-type']}`,
      '',
      JSON.stringify(JSON.parse(bytes.toString()), undefined, 2),
      '',
    ].join('\n'),
  );
  await expect(requests.toSorted().join('\n')).toMatchFileSnapshot('slack_message.txt');
});
