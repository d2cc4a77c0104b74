/** A form sent by a browser, and a sink that may fail. */
import { httpSink, relayWith, type TestRelayOptions } from '../../../test/support/index.ts';

export const secret = 'f2a1c09d77e34b18a6d5';

export interface StageOptions extends TestRelayOptions {
  /** Keys of the form, one per line. */
  readonly keys?: string;
  /** Top-level keys of the config. */
  readonly top?: string;
  readonly fields?: string;
}

/** A form `contact`, and one that differs only in its name. */
export async function staged({
  keys = '',
  top = '',
  fields = '[{name: name, required: true}]',
  env,
  ...options
}: StageOptions = {}) {
  let status = 200;
  const sink = await httpSink({ answer: () => ({ status }) });
  const form = `    title: Write to us
    ${keys.replaceAll('\n', '\n    ')}
    fields: ${fields}
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", retries: 0}]`;
  const relay = await relayWith({
    config: `${top}\nforms:\n  contact:\n${form}\n  other:\n${form}\n`,
    env: { FORM_TOKEN_SECRET: secret, ...env },
    ...options,
  });
  const post = (
    body = 'name=Ada',
    headers: Record<string, string> = {},
    query = '?as=page',
    form = 'contact',
  ) => relay.post(`/api/v1/submit/${form}${query}`, body, headers);
  const fail = (code = 500) => {
    status = code;
  };
  return { ...relay, sink, post, fail };
}

export const titleOf = ({ text }: { readonly text: string }) => /<title>(.*)<\/title>/.exec(text)?.[1];
