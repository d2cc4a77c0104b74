import { noFiles } from '../files.ts';
import type { Message } from '../messages/message.ts';
import { err, ok, type Result } from '../result.ts';
import type { Sent } from './parse_body.ts';

/** A JSON object of text, numbers, flags, and lists of them. */
export function parseJsonBody(body: Uint8Array): Result<Sent, Message> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return err({ code: 'json_malformed' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return err({ code: 'json_malformed' });
  const values = new Map<string, readonly string[]>();
  for (const [name, one] of Object.entries(value)) {
    values.set(name, (Array.isArray(one) ? one : [one]).map(String));
  }
  return ok({ values, files: noFiles });
}
