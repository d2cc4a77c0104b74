import { letter, mark, numberSign } from '@form-relay/base/unicode';
import { withoutEmpty } from '@form-relay/base/values';
import type { Field } from '@form-relay/core/index';
import { unspaced } from '../words.ts';
import type { SignalInput } from './signal.ts';

interface Typed extends Pick<SignalInput, 'values'> {
  readonly fields: readonly Pick<Field, 'name' | 'type'>[];
}

function typedInto({ fields, values }: Typed, types: readonly string[]): readonly string[] {
  const typed: string[] = [];
  for (const { name, type } of fields) {
    if (!types.includes(type)) continue;
    for (const value of withoutEmpty(values.get(name) ?? [])) typed.push(value.trim());
  }
  return typed;
}

export const freeTexts = (seen: Typed): readonly string[] => typedInto(seen, ['text', 'textarea']);

/** Mail addresses, as far as they are some. */
export const mailAddresses = (seen: Typed): readonly string[] => typedInto(seen, ['email']);

/** More domains in one submission are not looked at. */
const mostDomains = 200;

/** The domains of mail addresses, of web addresses, and whatever else may be a domain in what was typed. */
export function domainsIn(seen: Typed): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const text of typedInto(seen, ['email', 'url', 'text', 'textarea'])) {
    if (!text.includes('.')) continue;
    for (const found of domainLike(text)) {
      domains.add(found.toLowerCase());
      if (domains.size >= mostDomains) return domains;
    }
  }
  return domains;
}

/** Names with dots between them, wherever they stand: a link may be glued to a word, or be part of another. */
const named = (one: string, flags: string) => new RegExp(`${one}+(?:(?:\\.|-+)${one}+)*`, flags);
const plain = named('[a-z\\d]', 'gi');
const written = named(`[${letter}${numberSign}${mark}]`, 'gu');
/** Sentences of some languages go on without a space. */
const sentence = new RegExp(`[${unspaced}]+`, 'u');
/** `/`, `:` and `=`, where one link is the query of another. */
const escaped = /%(?:2f|3a|3d)/gi;
/** The part before the `@` of a mail address is no domain: `call.me@example.com`. */
const beforeAt = /[\w.+%~-]{0,64}@/y;

function* domainLike(typed: string): Generator<string> {
  const text = typed.replaceAll(escaped, ' ');
  for (const { 0: run, index } of text.matchAll(/[^\0-\x7f]/.test(text) ? written : plain)) {
    if (!run.includes('.')) continue;
    beforeAt.lastIndex = index + run.length;
    if (beforeAt.test(text)) continue;
    yield run;
    yield* run.split(sentence).filter((part) => part !== run && part.includes('.'));
  }
}
