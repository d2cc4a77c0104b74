/** docs/accessibility.md, from what axe-core checks and from the success criteria that tests in browsers name in their titles. */

import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import { tracked } from '../test/support/tracked.ts';

/** WCAG 2.1, levels A and AA, which chapter 9 of EN 301 549 repeats. */
const criteria: Readonly<Record<string, string>> = {
  '1.1.1': 'Non-text content',
  '1.2.1': 'Audio and video alone',
  '1.2.2': 'Captions',
  '1.2.3': 'Audio description or alternative',
  '1.2.4': 'Live captions',
  '1.2.5': 'Audio description',
  '1.3.1': 'Info and relationships',
  '1.3.2': 'Meaningful sequence',
  '1.3.3': 'Sensory characteristics',
  '1.3.4': 'Orientation',
  '1.3.5': 'Input purpose',
  '1.4.1': 'Use of colour',
  '1.4.2': 'Audio control',
  '1.4.3': 'Contrast',
  '1.4.4': 'Resize text',
  '1.4.5': 'Images of text',
  '1.4.10': 'Reflow',
  '1.4.11': 'Non-text contrast',
  '1.4.12': 'Text spacing',
  '1.4.13': 'Content on hover or focus',
  '2.1.1': 'Keyboard',
  '2.1.2': 'No keyboard trap',
  '2.1.4': 'Character key shortcuts',
  '2.2.1': 'Timing adjustable',
  '2.2.2': 'Pause, stop, hide',
  '2.3.1': 'Three flashes',
  '2.4.1': 'Bypass blocks',
  '2.4.2': 'Page titled',
  '2.4.3': 'Focus order',
  '2.4.4': 'Link purpose',
  '2.4.5': 'Multiple ways',
  '2.4.6': 'Headings and labels',
  '2.4.7': 'Focus visible',
  '2.5.1': 'Pointer gestures',
  '2.5.2': 'Pointer cancellation',
  '2.5.3': 'Label in name',
  '2.5.4': 'Motion actuation',
  '3.1.1': 'Language of page',
  '3.1.2': 'Language of parts',
  '3.2.1': 'On focus',
  '3.2.2': 'On input',
  '3.2.3': 'Consistent navigation',
  '3.2.4': 'Consistent identification',
  '3.3.1': 'Error identification',
  '3.3.2': 'Labels or instructions',
  '3.3.3': 'Error suggestion',
  '3.3.4': 'Error prevention',
  '4.1.1': 'Parsing',
  '4.1.2': 'Name, role, value',
  '4.1.3': 'Status messages',
};
/** Neither the relay's pages nor its apps have sound, video, flashes or gestures by moving the device. */
const isAbsent = (criterion: string) => /^(1\.2\.|1\.4\.2$|2\.3\.1$|2\.5\.4$)/.test(criterion);

const tests = tracked
  .filter((path) => /^test\/browser\/.*\.test\.ts$/.test(path))
  .map((path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

export function accessibility(): string {
  // axe-core runs no experimental, no deprecated and no AAA rules unless it is told to.
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
  if (unknown.length > 0) throw new Error(`WCAG 2.1 A and AA have no ${unknown.join(', ')}`);
  const listOf = (holds: (criterion: string) => boolean) =>
    Object.entries(criteria)
      .filter(([criterion]) => holds(criterion))
      .map(([criterion, name]) => `${name} (9.${criterion})`)
      .join(', ');
  const isTried = (criterion: string) => byAxe.includes(criterion) || byTest.includes(criterion);

  return `<!-- Written by \`npm run generate\` from the tests in test/browser. -->

# Accessibility

We aim for [EN 301 549](https://www.etsi.org/human-factors-accessibility/en-301-549-v3-the-harmonized-european-standard-for-ict-accessibility) V3.2.1,
whose chapter 9 contains WCAG 2.1 AA: forms, the pages and mails for visitors, the [studio](studio.md), the [inbox](inbox.md) and the manual. Programs test
the parts below before each release. No external audit has been made and no person with a screen reader has tested it yet, so we claim partial conformance.

## Tested

- **By axe-core** ${axe.version}, with ${rules.length} rules, in ${files} test files, in light and dark, wide and narrow: ${listOf((one) => byAxe.includes(one) && !isAbsent(one))}.
- **By a person's steps,** repeated by a program: ${listOf((one) => byTest.includes(one))}.

Tests also cover forced colours, reduced motion, right-to-left languages, pages without JavaScript, and controls at least 44 pixels tall.

## Not tested

- **Web content:** ${listOf((one) => !isTried(one) && !isAbsent(one))}.
- **Documents** (chapter 10): no checker has tried the [PDFs](pdf.md) of submissions, which are tagged.
- **Authoring tools** (11.8): the studio writes labels and structure itself; nothing checks the words that you choose.
- **Your own site:** its styles, your [look](look.md)'s colours and pictures, and a third party's captcha.

There is no sound, video, flashing or motion control, so these do not apply: ${listOf(isAbsent)}.

## Report a barrier

[Open an issue](../SUPPORT.md). Name the page, your browser and your assistive technology.
`;
}
