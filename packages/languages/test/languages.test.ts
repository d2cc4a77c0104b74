import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { timeWords } from '@form-relay/more-fields/times/steps';
import { en, loadTexts, writtenLanguages } from '../../../test/support/languages.ts';
import { momentWords } from '../../base/src/time_zone.ts';
import type { Messages, Text } from '../../core/src/messages/message.ts';

const languages = readdirSync(new URL('../src/words/', import.meta.url))
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'));
languages.push('en');
const texts = new Map<string, Messages>(
  await Promise.all(languages.map(async (tag) => [tag, await loadTexts(tag)] as const)),
);

const codes = Object.keys(en).sort();
const formsOf = (text: Text): readonly string[] =>
  typeof text === 'string'
    ? [text]
    : Object.entries(text).flatMap(([name, form]) => (name === 'count' ? [] : [form]));
const parametersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** Plural forms for exactly one number, which may be written in words: one letter, two letters. */
const mayLeaveOutTheNumber = (language: string, form: string) =>
  ['ar', 'he'].includes(language) && ['one', 'two'].includes(form);

it('the relay has every language', () => {
  expect(writtenLanguages).toEqual(languages.sort());
  expect(languages.sort()).toEqual('ar cs da de en es fi fr he it ja ko nl pl pt sv tr uk zh'.split(' '));
});

describe.each([...texts])('%s', (language, all) => {
  const each = codes.flatMap((code) => formsOf(all[code] ?? '').map((text) => [code, text] as const));

  it('has every text', () => {
    expect(Object.keys(all).sort()).toEqual(codes);
    expect(each.filter(([, text]) => text.trim() === '' || text !== text.trim())).toEqual([]);
  });

  it('writes times with 24 hours', () => {
    const at = Date.UTC(2026, 10, 25, 14, 20);
    expect(momentWords(at).spell([language])).toMatch(/14[:.]20/);
    expect(timeWords((at / 1000) % 86_400).spell([language])).toMatch(/^14[:.]20$/);
  });

  it('has the same parameters as English', () => {
    for (const code of codes) {
      const [wanted = ''] = formsOf(en[code] ?? '');
      const text = all[code] ?? '';
      for (const [form, words] of typeof text === 'string' ? [['other', text]] : Object.entries(text)) {
        if (form === 'count' || mayLeaveOutTheNumber(language, form as string)) continue;
        expect(parametersIn(words as string), `${code} ${form}`).toEqual(parametersIn(wanted));
      }
    }
  });

  it('has the language’s plural forms, for the same number as English', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const code of codes) {
      const text = all[code];
      if (text === undefined || typeof text === 'string') continue;
      const { count, ...given } = text;
      expect(Object.keys(given).sort(), code).toEqual([...forms].sort());
      const wanted = en[code];
      if (typeof wanted === 'object') expect(count, code).toBe(wanted.count);
    }
  });

  it('contains nothing that markup or a template language interprets', () =>
    expect(each.filter(([, text]) => /\{\{|\{%|[<>]|&\w+;/.test(text))).toEqual([]));

  it.skipIf(language === 'en')('is translated', () => {
    /** Texts that are the same in English, or names. */
    const alike = [
      ...['method_not_allowed', 'invalid', 'field_error', 'page_title_with_errors', 'submit', 'step_of'],
      ...['asterisk_note', 'mail_page', 'files_image', 'files_video', 'files_archive', 'ranking_place'],
    ];
    const same = codes.filter((code) => JSON.stringify(all[code]) === JSON.stringify(en[code]));
    expect(same.filter((code) => !alike.includes(code))).toEqual([]);
  });
});
