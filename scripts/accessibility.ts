/** Generates docs/accessibility.md from axe-core's checks and success criteria in titles of browser tests. */

import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import { load } from 'js-yaml';
import { tracked } from '../test/support/tracked.ts';
import { filled, readPage } from './pages/template.ts';

const criteria = load(readPage('criteria.yaml')) as Readonly<Record<string, string>>;
/** The relay's pages and apps have no sound, video, flashing or motion gestures. */
const isAbsent = (criterion: string) => /^(1\.2\.|1\.4\.2$|2\.3\.1$|2\.5\.4$)/.test(criterion);

const tests = tracked
  .filter((path) => /^test\/browser\/.*\.test\.ts$/.test(path))
  .map((path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

export function accessibility(): string {
  // axe-core runs experimental, deprecated and AAA rules only on request.
  const rules = axe
    .getRules()
    .filter(({ tags }) => !tags.some((tag) => /^(experimental|deprecated|wcag2aaa|wcag22aa)$/.test(tag)));
  const byAxe = rules.flatMap(({ tags }) =>
    tags.flatMap((tag) => /^EN-9\.(\d\.\d\.\d+)$/.exec(tag)?.[1] ?? []),
  );
  const byTest = tests.flatMap((text) =>
    [...text.matchAll(/\(WCAG ([\d., ]+)\)/g)].flatMap(([, named = '']) => named.split(', ')),
  );
  const files = tests.filter((text) => /\b(isSound|violationsIn)\b/.test(text)).length;
  const unknown = byTest.filter((criterion) => !(criterion in criteria));
  if (unknown.length > 0) throw new Error(`WCAG 2.1 A and AA do not contain ${unknown.join(', ')}`);
  const listOf = (holds: (criterion: string) => boolean) =>
    Object.entries(criteria)
      .filter(([criterion]) => holds(criterion))
      .map(([criterion, name]) => `${name} (9.${criterion})`)
      .join(', ');
  const isTried = (criterion: string) => byAxe.includes(criterion) || byTest.includes(criterion);

  return filled('accessibility', {
    axe: axe.version,
    rules: rules.length,
    files,
    'by axe': listOf((one) => byAxe.includes(one) && !isAbsent(one)),
    'by steps': listOf((one) => byTest.includes(one)),
    'not tried': listOf((one) => !isTried(one) && !isAbsent(one)),
    absent: listOf(isAbsent),
  });
}
