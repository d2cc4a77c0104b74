import { basename } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import type { Form } from '@form-relay/relay/base';
import { keyProblems } from '@form-relay/relay/config';
import { page as asksForPage, keys } from '@form-relay/relay/features';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig, readBytes } from './load_config.ts';
import { showStory } from './show_story.ts';
import { type Body, tellStory, urlencoded } from './tell_story.ts';
import type { GlobalOptions } from './usage.ts';

export interface ExplainOptions extends GlobalOptions {
  /** A file with the body as a browser or a script sends it; `-` for stdin. */
  readonly body?: string;
  /** `field=path`, in the order given. */
  readonly file?: readonly string[];
  /** The address of the page that it comes from. */
  readonly page?: string;
  /** The variable with the key of a server that sends it. */
  readonly key?: string;
  readonly json?: boolean;
}

/**
 * Tells what a submission would lead to: the checks, the payloads and the bytes that each output would send. Nothing is
 * sent. Exit code 0 when it would be delivered, 1 otherwise.
 */
export async function explainSubmission(
  name: string,
  pairs: readonly string[],
  { body, file = [], page, key, json = false, config: configOption }: ExplainOptions,
): Promise<void> {
  const config = await loadConfig(configOption);
  const form = findForm(config, name);
  if (page !== undefined && !asksForPage.of(form)) {
    throw new CommandFailed(`"${name}" does not ask for its page; write page: true beside its fields`);
  }
  if (key !== undefined) checkKey(form, key);
  const files = file.map(parted).map(async ([field, path]) => ({
    field,
    name: basename(path),
    bytes: await readBytes(path),
  }));
  const { story, words, confirmed } = await tellStory(config, form, {
    pairs: pairs.map(parted),
    files: await Promise.all(files),
    page,
    key,
    body: body === undefined ? undefined : await readBody(body),
  });
  const all = { ...story, ...(words && { words }), ...(confirmed && { confirmed }) };
  process.stdout.write(
    json ? `${JSON.stringify(all, null, 2)}\n` : showStory(all, process.stdout, confirmed),
  );
  if ((confirmed ?? story).outcome !== 'delivered') process.exitCode = 1;
}

/** Throws if the form's `keys_env` does not name this variable, or the relay would not take the key that is set in it. */
export function checkKey(form: Form, key: string): void {
  const { names = [] } = keys.of(form) ?? {};
  if (names.includes(key)) {
    const [problem] = keyProblems([{ name: key, place: '', isKey: true }], (name) => process.env[name]);
    if (problem)
      throw new CommandFailed(`${key} ${problem.reason}: the relay answers it 401. Make one: relay keys new`);
    return;
  }
  const known = names.length > 0 ? `its keys are ${names.join(', ')}` : 'it has no keys_env';
  throw new CommandFailed(`"${form.id}" has no key ${key}: ${known}`);
}

/** `name=value`. */
function parted(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=');
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

async function readBody(path: string): Promise<Body> {
  const bytes = path === '-' ? await readAll(process.stdin) : await readBytes(path);
  // Editors end a file with a line break; no body ends with one. What is not UTF-8 is the relay's to refuse.
  const text = bytes.toString('latin1').replace(/\r?\n$/, '');
  // Browsers encode braces and brackets. What is JSON, but no object, is the relay's to refuse.
  const isJson = /^\s*[{[]/.test(text);
  return { type: isJson ? 'application/json' : urlencoded, body: Buffer.from(text, 'latin1') };
}
