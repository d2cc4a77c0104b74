import { type HttpSinkOptions, httpSink, relayWith, tempFolder } from '../../../test/support/index.ts';
import type { TestRelayOptions } from '../../../test/support/relay.ts';

export const env = { FORM_TOKEN_SECRET: '3d1d0f6dd1f34c2b8a5e', PUBLIC_URL: 'https://forms.acme.example' };

interface Options extends Partial<Omit<TestRelayOptions, 'config'>> {
  /** Keys of the form in YAML, one per line. */
  readonly keys?: string;
  readonly fields?: string;
  /** More outputs. `$sink` is an address that accepts everything. */
  readonly outputs?: string;
  readonly top?: string;
  readonly sink?: HttpSinkOptions;
}

/** A relay with a form named `course`. Visitors may change their submissions. */
export async function openChanges({
  keys = '',
  fields = '{name: name, required: true}, {name: email, type: email}, {name: day, type: select, options: [mon, tue]}, {name: text, type: textarea}',
  outputs = '{type: http_post, url: $sink, mapping: "*", retries: 0}',
  top = `counted_in: ${tempFolder()}`,
  sink: sinkOptions,
  ...options
}: Options = {}) {
  const sink = await httpSink(sinkOptions);
  const lines = [
    top,
    'forms:',
    '  course:',
    '    title: A course',
    '    changes: 7d',
    `    fields: [${fields}]`,
    `    outputs: [${outputs.replaceAll('$sink', `"${sink.origin}/"`)}]`,
    ...keys.split('\n').map((line) => `    ${line}`),
  ];
  const open = async (more: Partial<TestRelayOptions> = {}) => {
    const relay = await relayWith({ config: lines.join('\n'), env, ...options, ...more });
    const post = (path: string, values: object, accept = 'text/html') =>
      relay.post(path, new URLSearchParams(Object.entries(values)).toString(), { accept });
    return {
      ...relay,
      sink,
      /** The delivered values, in order. */
      get delivered() {
        return sink.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
      },
      /** Submits the form like a program. */
      send: (values: object) => post('/api/v1/submit/course', values, 'application/problem+json'),
      /** The encrypted part of the link in a response. */
      sealedOf: async (values: object) => {
        const { json } = await post('/api/v1/submit/course', values, '*/*');
        const { changes } = json as { changes?: string };
        return new URL(changes ?? 'none:').searchParams.get('t') ?? '';
      },
      show: (sealed: string) => relay.get(`/api/v1/changes/course?t=${sealed}`, { accept: 'text/html' }),
      form: (sealed: string) => relay.get(`/f/course?change=${sealed}`, { accept: 'text/html' }),
      withdraw: (sealed: string) => post('/api/v1/changes/course', { t: sealed }),
      another: open,
    };
  };
  return open();
}
