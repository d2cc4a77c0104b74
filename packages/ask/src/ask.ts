/** An ask as contained in its link and its id. Nothing about it is stored. */
import { createHash } from 'node:crypto';
import { sign, verify } from '@form-relay/base/seal';
import type { Files, Form, Values } from '@form-relay/core/index';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { LocalizedText } from '@form-relay/schema/scalars';

/** `ask` of a form. */
export interface Asking {
  readonly name: LocalizedText;
  readonly text: LocalizedText | undefined;
  readonly expires: number;
  readonly page: URL | undefined;
}

export interface AskContext {
  readonly asking: Asking;
  readonly form: Form;
  readonly services: Services;
  readonly settings: Settings;
  /** Aborted when the relay stops. */
  readonly signal: AbortSignal | undefined;
}

export const longestMs = 365 * 86_400_000;

/** The field beside an answer's values: the ask's id, where to send the answer, and the asker's reference. */
export const askField = '_ask';

/** The content of an ask's id: when it expires, and whether its answer waits for the asker. Forged ids are rejected. */
export interface AskId {
  readonly text: string;
  readonly until: number;
  /** Whether the answer waits for the asker, since there is no `answer_to`. */
  readonly isAwaited: boolean;
}

const use = 'ask';

/** @param fresh Must be the same for each attempt to make the same ask. */
export function newId(
  secret: string,
  formId: string,
  { until, isAwaited }: Omit<AskId, 'text'>,
  fresh: string,
): string {
  const unique = createHash('sha256').update(fresh).digest('hex').slice(0, 20);
  const head = `${isAwaited ? 'w' : 's'}${Math.floor(until / 1_000).toString(36)}.${unique}`;
  return `${head}.${sign(secret, use, `${formId} ${head}`)}`;
}

/** `undefined`: the id does not belong to this form. */
export function readId(secret: string, formId: string, text: string): AskId | undefined {
  const [, kind, until = '', unique, mac = ''] = /^([ws])([\da-z]+)\.([\da-f]+)\.([\w-]+)$/.exec(text) ?? [];
  if (!verify(secret, use, `${formId} ${kind}${until}.${unique}`, mac)) return undefined;
  return { text, until: Number.parseInt(until, 36) * 1_000, isAwaited: kind === 'w' };
}

/** The id of an answer. Depends only on the values, so that outputs recognise an answer that is sent again after a crash. */
export function answerId(id: string, values: Values, files: Files): string {
  const hash = createHash('sha256').update(JSON.stringify([id, [...values]]));
  for (const { bytes } of [...files.values()].flat()) hash.update(bytes);
  const hex = hash.digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
