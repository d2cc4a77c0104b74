import { isIPv4, isIPv6 } from 'node:net';
import { err, ok, type Result } from '@form-relay/base/result';

/** A mechanism of an SPF record (RFC 7208, 5). */
export interface Mechanism {
  /** The term as written in the record. */
  readonly term: string;
  readonly sign: '+' | '-' | '~' | '?';
  readonly kind: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists';
  /** A domain with macros, or an address; empty for the domain itself. */
  readonly value: string;
  readonly length4: number;
  readonly length6: number;
}

export interface SpfTerms {
  readonly mechanisms: readonly Mechanism[];
  /** A domain with macros. */
  readonly redirect: string | undefined;
}

/** RFC 7208, 12. */
const macro = /%(?:[%_-]|\{[slodiphv](?:0*[1-9]\d*)?r?[.\-+,/_=]*\})/i;
/** Unknown modifiers may also use the macros reserved for explanations. */
const macroString = /^(?:[!-$&-~]|%(?:[%_-]|\{[slodiphvcrt](?:0*[1-9]\d*)?r?[.\-+,/_=]*\}))*$/i;
const domainSpec = new RegExp(
  `^(?:(?:[!-$&-~]|${macro.source})*\\.(?:[a-z\\d]*[a-z][a-z\\d]*|[a-z\\d]+-[a-z\\d-]*[a-z\\d])\\.?|(?:[!-$&-~]|${macro.source})*%\\{[^}]*\\})$`,
  'i',
);

/** Parses the whole record, since receivers give up at a mistake anywhere in it (RFC 7208, 4.6). */
export function spfTerms(record: string): Result<SpfTerms, string> {
  const mechanisms: Mechanism[] = [];
  const modifiers = new Map<string, string>();
  for (const term of record.split(/ +/).slice(1)) {
    if (term === '') continue;
    const [, name = '', text = ''] = /^([a-z][\w.-]*)=(.*)$/is.exec(term) ?? [];
    if (name === '') {
      const mechanism = mechanismOf(term);
      if (!mechanism) return err(`"${term}" is not an SPF term`);
      mechanisms.push(mechanism);
      continue;
    }
    const key = name.toLowerCase();
    const isKnown = key === 'redirect' || key === 'exp';
    if (isKnown && modifiers.has(key)) return err(`${key}= appears twice, but only one is allowed`);
    if (!(isKnown ? domainSpec : macroString).test(text)) return err(`"${term}" is not an SPF term`);
    modifiers.set(key, text);
  }
  return ok({ mechanisms, redirect: modifiers.get('redirect') });
}

const kinds = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?=[:/]|$)(.*)$/i;
const length4Of = '\\/(0|[1-9]\\d?)';
const length6Of = '(0|[1-9]\\d{0,2})';
const dualLength = new RegExp(`^(.*?)(?:${length4Of})?(?:\\/\\/${length6Of})?$`);

function mechanismOf(term: string): Mechanism | undefined {
  const [, sign = '', name = '', rest = ''] = kinds.exec(term) ?? [];
  const kind = name.toLowerCase() as Mechanism['kind'];
  const common = { term, sign: (sign || '+') as Mechanism['sign'], kind, length4: 32, length6: 128 };
  const named = rest.startsWith(':') ? rest.slice(1) : undefined;
  switch (kind) {
    case 'all':
      return rest === '' ? { ...common, value: '' } : undefined;
    case 'include':
    case 'exists':
      return named !== undefined && domainSpec.test(named) ? { ...common, value: named } : undefined;
    case 'ptr':
      return rest === '' || domainSpec.test(named ?? '') ? { ...common, value: named ?? '' } : undefined;
    case 'ip4': {
      const [, value = '', length] = new RegExp(`^:([^/]*)(?:${length4Of})?$`).exec(rest) ?? [];
      const length4 = Number(length ?? 32);
      return isIPv4(value) && length4 <= 32 ? { ...common, value, length4 } : undefined;
    }
    case 'ip6': {
      const [, value = '', length] = new RegExp(`^:([^/]*)(?:\\/${length6Of})?$`).exec(rest) ?? [];
      const length6 = Number(length ?? 128);
      return isIPv6(value) && length6 <= 128 ? { ...common, value, length6 } : undefined;
    }
    case 'a':
    case 'mx': {
      const [, before = '', four, six] = dualLength.exec(rest) ?? [];
      const value = before.startsWith(':') ? before.slice(1) : undefined;
      const length4 = Number(four ?? 32);
      const length6 = Number(six ?? 128);
      const isRight = before === '' || (value !== undefined && domainSpec.test(value));
      return isRight && length4 <= 32 && length6 <= 128
        ? { ...common, value: value ?? '', length4, length6 }
        : undefined;
    }
    default:
      return undefined;
  }
}
