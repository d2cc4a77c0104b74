import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpSink, type HttpSinkOptions, httpSink, relayWith } from '../../../test/support/index.ts';
import type { TestRelay, TestRelayOptions } from '../../../test/support/relay.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { systemDisk } from '../../stores/src/folder/disk.ts';
import { Log } from '../../stores/src/folder/log.ts';
import { withoutHead } from '../src/counters/tally.ts';

/** The log in a folder, and the text of its first record. */
export async function logIn(counted: string): Promise<{ readonly path: string; readonly text: string }> {
  for (const name of readdirSync(counted).filter((one) => /^[0-9a-f]{16}$/.test(one))) {
    const path = join(counted, name);
    const log = await Log.open(systemDisk(), path);
    const [, record] = /(\[.*\])\t/.exec(log.shortened().toString()) ?? [];
    if (log.next === undefined && record) return { path, text: JSON.parse(record)[5] };
  }
  throw new Error(`no log in ${counted}`);
}

/** The file of a count, as soon as all submissions but the hidden ones are settled. */
export const settled = (counted: string, hidden = 0): Promise<string> =>
  vi.waitFor(async () => {
    const { path, text } = await logIn(counted);
    expect(JSON.parse(withoutHead(counted, text) ?? '').open).toHaveLength(hidden);
    return path;
  });

/** Damages a count, and returns its file. */
export async function damage(counted: string, hidden = 0): Promise<string> {
  const file = await settled(counted, hidden);
  writeFileSync(file, 'x');
  return file;
}

export interface Course extends TestRelay {
  readonly sink: HttpSink;
  /** The delivered values, in order. */
  readonly delivered: readonly Readonly<Record<string, string>>[];
  /** Submits to the form like a program, which gets problems as JSON. */
  send(values?: Readonly<Record<string, string>> | [string, string][]): ReturnType<TestRelay['submit']>;
  /** Submits to the form like a browser, which gets pages. */
  page(body: string): ReturnType<TestRelay['submit']>;
  /** The rendered form. */
  form(headers?: Record<string, string>): Promise<string>;
  /** Another process that counts in the same store and delivers to the same sink. */
  another(options?: Partial<TestRelayOptions>): Promise<Course>;
}

interface CourseOptions extends Partial<Omit<TestRelayOptions, 'config'>> {
  /** Keys of the form in YAML, one per line. */
  readonly keys: string;
  /** The fields, in YAML. */
  readonly fields?: string;
  /** The outputs, in YAML; `$sink` is the sink's address. */
  readonly outputs?: string;
  readonly in?: string;
  readonly sink?: HttpSinkOptions;
  /** Keys at the top, in YAML. */
  readonly top?: string;
}

const toSink = '{type: http_post, url: $sink, mapping: "*", retries: 0}';

/** A relay with a form that has limited places, counted in a folder. */
export async function openCourse({
  keys,
  fields = '{name: name, required: true}',
  outputs = toSink,
  in: place = tempFolder(),
  sink: sinkOptions,
  top = '',
  ...options
}: CourseOptions): Promise<Course> {
  const sink = await httpSink(sinkOptions);
  const lines = [
    `counted_in: ${place}`,
    top,
    'forms:',
    '  course:',
    `    fields: [${fields}]`,
    `    outputs: [${outputs.replaceAll('$sink', `"${sink.origin}/"`)}]`,
    ...keys.split('\n').map((line) => `    ${line}`),
  ];
  const config = lines.join('\n');
  const open = async (more: Partial<TestRelayOptions>): Promise<Course> => {
    const relay = await relayWith({ config, ...options, ...more });
    return {
      ...relay,
      sink,
      get delivered() {
        return sink.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
      },
      send: (values = { name: 'Ada' }) =>
        relay.submit('course', Array.isArray(values) ? values : Object.entries(values), {
          accept: 'application/problem+json',
        }),
      page: (body) => relay.post('/api/v1/submit/course?as=page', body, { accept: 'text/html' }),
      form: async (headers = {}) => (await relay.get('/api/v1/form/course', headers)).text,
      another: (yetMore = {}) => open({ ...more, ...yetMore }),
    };
  };
  return open({});
}
