import type { Diagnostics, Outcome, Plugin, Submission } from '@form-relay/core/index';
import {
  array,
  clientNames,
  clientNetwork,
  feature,
  guard,
  jsonSchemaOf,
  oneOf,
  optional,
  parseUrl,
  readClient,
  type Schema,
  schema,
  schemaLike,
} from '@form-relay/core/kit';
import { type OriginPattern, originPattern } from './origin_pattern.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly origin: Origins;
  }
}

export interface Origins {
  readonly patterns: readonly OriginPattern[];
  /** What becomes of a submission without an origin. */
  readonly unknown: 'allow' | 'refuse';
  /** Why a request to another address of the form is refused; `undefined`: its page may send the form. */
  refusal(submission: Submission): Outcome | undefined;
}

const patterns = array(originPattern(), { least: 1 });

/** `"*"`: any page. */
const patternsOrAny: Schema<readonly OriginPattern[] | '*'> = schema(
  () => ({ anyOf: [{ const: '*' }, jsonSchemaOf(patterns)] }),
  (value, at) => (value === '*' ? '*' : patterns(value, at)),
);

const allowOrRefuse = oneOf(['allow', 'refuse']);
const withoutOriginSchema: typeof allowOrRefuse = schemaLike(allowOrRefuse, (value, at) =>
  value === 'challenge'
    ? at.error('challenge was removed in 0.2.0, because browsers hide origins of people, too; write allow')
    : allowOrRefuse(value, at),
);

const keys = {
  origins: optional(
    'The origins of the pages on which the form may be filled in, such as `[https://example.com, "https://*.example.com"]`; beside them, the relay’s own. `"*"` is any (docs/spam.md).',
    patternsOrAny,
  ),
  origins_unknown: optional(
    'What becomes of a submission whose browser does not say from which page it comes, where `origins` are named: `allow` or `refuse`. Default: `allow`.',
    withoutOriginSchema,
  ),
};

const areNamed = (origins: unknown) => origins !== undefined && origins !== '*';
const unused = (at: Diagnostics) =>
  at.in('origins_unknown').error('this has no effect: without `origins`, a form may be sent from anywhere');

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
        configureTop: ({ origins, origins_unknown: unknown }, at, { forms }) => {
          const all = [origins, ...[...forms.values()].map((form) => form.origins)];
          if (unknown !== undefined && !all.some(areNamed)) unused(at);
          return undefined;
        },
        configure: ({ form, top }, at) => {
          const named = form.origins ?? top.origins;
          if (form.origins_unknown !== undefined && !areNamed(named)) unused(at);
          if (named === undefined || named === '*') return undefined;
          const unknown = form.origins_unknown ?? top.origins_unknown ?? 'allow';
          const origins: Origins = {
            patterns: named,
            unknown,
            refusal: (submission) => check(origins, submission, nameOf),
          };
          return {
            provides: origins,
            browsersOnly: true,
            onRequest: guard(origins.refusal),
          };
        },
      }),
    ],
    messages: {
      en: { origin_refused: 'This form cannot be sent from this page. Please tell its owner.' },
    },
  };
};

const refused = (why: string): Outcome => ({
  kind: 'origin_refused',
  status: 403,
  message: { code: 'origin_refused' },
  why,
  isFrequent: true,
});

const unknownWords = {
  null: 'its browser hides from which page it comes (Origin: null)',
  absent: 'it does not say from which page it comes',
} as const;

function check(
  origins: Origins,
  submission: Submission,
  nameOf: ReturnType<typeof clientNames>,
): Outcome | undefined {
  const { request, settings, trace } = submission;
  const { headers } = request;
  // Browsers say it themselves, and no page can: whatever the page's Referrer-Policy hides.
  if (headers['sec-fetch-site'] === 'same-origin') return own(submission);
  const sent = headers.origin || undefined;
  if (sent === 'null') return withoutOrigin('null', origins, submission);
  const page = webPage(sent ?? headers.referer ?? '');
  if (!page && sent === undefined) return withoutOrigin('absent', origins, submission);
  if (page && (page.origin === settings.publicUrl || isHost(page, headers))) return own(submission);
  if (page && origins.patterns.some((pattern) => pattern.matches(page))) {
    trace?.note('sent from a page among the origins');
    return undefined;
  }
  const client = readClient(request, settings);
  if ('address' in client)
    submission.addLogFields({ client: nameOf(clientNetwork(client.address), submission) });
  const origin = page?.origin ?? sent ?? '';
  const told = origin.length > mostTold ? `${origin.slice(0, mostTold)}…` : origin;
  return refused(`sent from ${told}, which is not among the origins`);
}

/** A header may be long, and a host may be, too. */
const mostTold = 100;

function own({ trace }: Submission): undefined {
  trace?.note('sent from a page of the relay’s own origin');
}

function withoutOrigin(
  how: keyof typeof unknownWords,
  { unknown }: Origins,
  submission: Submission,
): Outcome | undefined {
  if (unknown === 'refuse') return refused(unknownWords[how]);
  submission.trace?.note(unknownWords[how]);
  return undefined;
}

function webPage(text: string): URL | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** As the relay's own pages know their address where PUBLIC_URL does not say it. */
function isHost({ protocol, host }: URL, headers: Submission['request']['headers']): boolean {
  const [forwarded = ''] = headers['x-forwarded-host']?.split(',') ?? [];
  const named = forwarded.trim() || headers.host;
  // A port that the scheme has anyway may be written or not.
  return named !== undefined && parseUrl(`${protocol}//${named}`)?.host === host;
}
