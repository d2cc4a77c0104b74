import { inspectInLanguages } from '@form-relay/relay/config';
import { data } from '../src/data.ts';

/** All of that JSON, by path: the page without a server has it as files. */
export async function studioData(): Promise<Readonly<Record<string, string>>> {
  const parse = (text: string) =>
    inspectInLanguages(text, 'webform.yaml', () => Promise.reject(new Error('no file is beside it')));
  const made = Object.entries(data).map(async ([path, make]) => [path, await make(parse)]);
  return Object.fromEntries(await Promise.all(made));
}
