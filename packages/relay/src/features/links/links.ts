import { linkField } from '../../api_urls.ts';
import type { LinkEvidence } from '../../base/event.ts';
import { late } from '../../base/late.ts';
import { optional } from '../../schema/keys.ts';
import { choice } from '../../schema/kinds.ts';
import { feature } from '../feature.ts';

export const linkParts = late(() => import('./link_answers.ts'), 'links', 'resume');

/** Links of the owner's fill in the form (docs/links.md). */
export const links = feature({
  name: 'links',
  isForBrowsers: true,
  keys: {
    form: {
      links: optional(
        'Takes links that fill in the form, as `relay link` makes them: `optional`, or `required`, so that nobody can send it without one (docs/links.md). Needs FORM_TOKEN_SECRET in the environment.',
        choice(['optional', 'required']),
      ),
    },
  },
  check: { key: 'links', isToldIfOn: true },
  settings: ({ form }: { readonly form: { readonly links?: 'optional' | 'required' | undefined } }) =>
    form.links,
  needs: () => [{ name: 'FORM_TOKEN_SECRET', path: ['links'] }],
  stages: (mode) => (mode === 'required' ? { check: (passage) => linkParts.loaded.checkLink(passage) } : {}),
  explain: (evidence: LinkEvidence) => {
    switch (evidence.code) {
      case 'open':
        return 'it came with a link of yours';
      case 'missing':
        return 'it came without a link of yours, or with a part of one';
      case 'expired':
        return 'its link has expired';
      case 'used':
        return 'its link works once, and was used before';
      case 'awaited':
        return 'its link works once, and another submission with it is still being delivered';
      case 'nowhere':
        return 'its link works once, and the config names no place to count that';
      case 'uncounted':
        return `whether its link was used could not be told: ${evidence.reason}`;
    }
  },
});

/** What the links of `links` and of `resume` have in common: both fill in the form. Listed after them. */
export const filledLink = feature({
  name: 'filled_link',
  isForBrowsers: true,
  settings: (_, before) => (before.has('links') || before.has('resume') ? true : undefined),
  names: () => [linkField],
  reserves: ({ form }) =>
    form.links === undefined && form.resume === undefined ? [] : [{ name: linkField, check: 'link' }],
  stages: () => ({ fixed: (...given) => linkParts.loaded.fixedValues(...given) }),
  answers: (_, features) => ({
    filling: (...given) => linkParts.loaded.filling(features.get('links') === 'required', ...given),
  }),
});
