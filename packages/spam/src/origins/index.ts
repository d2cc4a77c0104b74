import { clientNames } from '@form-relay/base/client';
import { clientNetwork } from '@form-relay/base/networks';
import { parseUrl } from '@form-relay/base/url';
import { hostOf } from '@form-relay/core/http/address';
import type { Outcome, Plugin, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard } from '@form-relay/core/submission';
import { array } from '@form-relay/schema/collections';
import { jsonSchemaOf, optional, removed, type Schema, schema } from '@form-relay/schema/schema';
import { type OriginPattern, originPattern } from './origin_pattern.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly origin: Origins;
  }
}

export interface Origins {
  /** Why a request to another address of the form is refused; `undefined`: its page may send the form. */
  refusal(submission: Submission): Outcome | undefined;
}

const patterns = array(originPattern(), { least: 1 });

/** `"*"`: any page. */
const patternsOrAny: Schema<readonly OriginPattern[] | '*'> = schema(
  () => ({ anyOf: [{ const: '*' }, jsonSchemaOf(patterns)] }),
  (value, at) => (value === '*' ? '*' : patterns(value, at)),
);

const keys = {
  origins: optional(
    'The origins of the pages on which the form may be filled in, such as `[https://example.com, "https://*.example.com"]`; beside them, the relay’s own. `"*"` is any (docs/spam.md).',
    patternsOrAny,
  ),
  origins_unknown: removed(
    '0.2.0',
    'browsers hide origins of people, too',
    'leave it out: submissions without an origin are taken',
  ),
};

/**
 * A form is sent from the pages that its owner names, and from the relay's own. That stops pages of others, and programs that
 * don't bother; a program can claim anything.
 */
export const plugin = (): Plugin => {
  const nameOf = clientNames();
  return {
    name: 'origins',
    features: [
      feature({
        name: 'origin',
        keys: { form: keys, top: keys },
        configure: ({ form, top }) => {
          const named = form.origins ?? top.origins;
          if (named === undefined || named === '*') return undefined;
          const refusal: Origins['refusal'] = (submission) => check(named, submission, nameOf);
          return { provides: { refusal }, browsersOnly: true, onRequest: guard(refusal) };
        },
      }),
    ],
    messages: {
      en: { origin_refused: 'This form cannot be sent from this page. Please tell its owner.' },
    },
  };
};

function check(
  origins: readonly OriginPattern[],
  submission: Submission,
  nameOf: ReturnType<typeof clientNames>,
): Outcome | undefined {
  const { request, settings, trace } = submission;
  const { headers } = request;
  const noted = (words: string) => {
    trace?.note(words);
    return undefined;
  };
  // Browsers say it themselves, and no page can: whatever the page's Referrer-Policy hides.
  if (headers['sec-fetch-site'] === 'same-origin') return noted('sent from a page of the relay’s own origin');
  const sent = headers.origin || undefined;
  const page = webPage(sent ?? headers.referer ?? '');
  if (sent === 'null' || (!page && sent === undefined))
    return noted('its browser does not say from which page it comes');
  if (page && (`${settings.publicUrl}/`.startsWith(`${page.origin}/`) || isHost(page, hostOf(request))))
    return noted('sent from a page of the relay’s own origin');
  if (page && origins.some((pattern) => pattern.matches(page)))
    return noted('sent from a page among the origins');
  const { client } = submission;
  if ('address' in client)
    submission.addLogFields({ client: nameOf(clientNetwork(client.address), submission) });
  const origin = page?.origin ?? sent ?? '';
  const shown = origin.length > mostShown ? `${origin.slice(0, mostShown)}…` : origin;
  return {
    kind: 'origin_refused',
    status: 403,
    message: { code: 'origin_refused' },
    why: `sent from ${shown}, which is not among the origins`,
    isFrequent: true,
  };
}

/** A header may be long, and a host may be, too. */
const mostShown = 100;

function webPage(text: string): URL | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** As the relay's own pages know their address where PUBLIC_URL does not say it. */
const isHost = ({ protocol, host }: URL, named: string | undefined): boolean =>
  // A port that the scheme has anyway may be written or not.
  named !== undefined && parseUrl(`${protocol}//${named}`)?.host === host;
