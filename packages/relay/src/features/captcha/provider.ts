import * as v from 'valibot';
import { optional, required, section, withDefault } from '../../schema/keys.ts';
import { flag, httpUrl, name, template, text } from '../../schema/kinds.ts';
import type { Template } from '../../schema/template/render.ts';
import { parseJson } from '../../transports/http/answer.ts';

/** A captcha provider's verdict on a token, as its siteverify endpoint answers. */
export interface Verdict {
  readonly success?: unknown;
  readonly score?: unknown;
  readonly 'error-codes'?: unknown;
}

/** The verdict in an answer's body; `undefined` when that is no JSON object. */
export function readVerdict(body: string): Verdict | undefined {
  const verdict = parseJson(body);
  return typeof verdict === 'object' && verdict !== null ? verdict : undefined;
}

/** The first few of the provider's error codes, as far as they look like codes: they go into logs and reports. */
export const errorCodes = ({ 'error-codes': codes }: Verdict): readonly string[] =>
  Array.isArray(codes)
    ? codes.filter((code) => typeof code === 'string' && /^[a-z-]{1,60}$/.test(code)).slice(0, 5)
    : [];

/** The set of codes is open: whatever names the secret or a key is about those, and not about the visitor. */
export const refusesSecret = (codes: readonly string[]): boolean =>
  codes.some((code) => /secret|sitekey|keys/.test(code));

export type Widget =
  /** The provider's script turns an element of this class into a challenge. */
  | {
      readonly kind: 'box';
      readonly script: string;
      readonly className: string;
      /** The script's global object, whose `render` makes a challenge on demand. */
      readonly global: string;
      /** Whether the script can submit its token under another field name. */
      readonly renames?: boolean;
    }
  /** Nothing to see: the script scores the visitor and gives a token on demand. */
  | { readonly kind: 'score'; readonly script: (siteKey: string) => string };

export interface TestKeys {
  /** The first one lets everybody pass. */
  readonly siteKeys: readonly string[];
  readonly secrets: readonly string[];
}

/** A form's captcha, ready to verify tokens. */
export interface Captcha {
  readonly provider: string;
  readonly secret: Template;
  readonly tokenField: string;
  readonly siteKey: string | undefined;
  /** Only doubted visitors solve it. */
  readonly onlyInDoubt: boolean;
  readonly widget: Widget;
  /** The origins of the provider's scripts and frames, for the Content-Security-Policy of the relay's own pages. */
  readonly origins: readonly string[];
  readonly verifyUrl: URL;
  readonly testKeys: TestKeys;
  /** Whether a verification may be repeated with the same `idempotency_key`; elsewhere a retry burns the token. */
  readonly isIdempotent: boolean;
  /** Whether a verdict of `success: true` is good enough. */
  accepts(verdict: Verdict): boolean;
}

export const commonKeys = {
  secret: required('The provider\'s server-side secret, usually `{{ env "CAPTCHA_SECRET" }}`.', template()),
  field: optional("The submitted field that carries the token, instead of the provider's own.", name()),
  site_key: optional('The public key; with it the rendered form holds the widget.', text()),
  only_in_doubt: withDefault(
    'false',
    'Asks only those for it whom `spam.doubt` challenges, or `origins_unknown`; nobody else sees it.',
    flag(),
  ),
  verify_url: optional('Another verification endpoint, such as the one at recaptcha.net.', httpUrl()),
};

type Keys = v.ObjectEntries;

export interface CaptchaProvider {
  readonly provider: string;
  readonly summary: string;
  readonly field: string;
  /** The class of the element that the provider's script turns into a challenge; `undefined` if there is none. */
  readonly className: string | undefined;
  /** Whether a rendered form can submit the token under another name. */
  readonly canRename: boolean;
  readonly verifyUrl: string;
  /** The keys that this provider has beyond the common ones, for docs/reference.md. */
  readonly keys: Keys;
  readonly schema: v.GenericSchema<unknown, Captcha>;
}

interface Definition<K extends Keys> {
  readonly provider: string;
  readonly summary: string;
  /** The field that the provider's widget submits. */
  readonly field: string;
  readonly verifyUrl: string;
  readonly widget: Widget;
  readonly origins: readonly string[];
  /** Default: none. */
  readonly testKeys?: TestKeys;
  readonly isIdempotent?: boolean;
  readonly keys: K;
  readonly accepts?: (captcha: v.InferOutput<v.ObjectSchema<K, undefined>>, verdict: Verdict) => boolean;
}

export function captchaProvider<K extends Keys>(definition: Definition<K>): CaptchaProvider {
  const {
    provider,
    summary,
    field,
    verifyUrl,
    widget,
    origins,
    testKeys = { siteKeys: [], secrets: [] },
    isIdempotent = false,
    keys,
    accepts,
  } = definition;
  const schema = v.pipe(
    section({ provider: required('The provider.', v.literal(provider)), ...commonKeys, ...keys }),
    v.transform((parsed): Captcha => {
      const own = parsed as unknown as v.InferOutput<v.ObjectSchema<K, undefined>>;
      const common = parsed as unknown as v.InferOutput<v.ObjectSchema<typeof commonKeys, undefined>>;
      return {
        provider,
        secret: common.secret,
        tokenField: common.field ?? field,
        siteKey: common.site_key,
        onlyInDoubt: common.only_in_doubt,
        widget,
        origins,
        verifyUrl: common.verify_url ?? new URL(verifyUrl),
        testKeys,
        isIdempotent,
        accepts: (verdict) => accepts?.(own, verdict) ?? true,
      };
    }),
  );
  return {
    provider,
    summary,
    field,
    className: widget.kind === 'box' ? widget.className : undefined,
    canRename: widget.kind === 'score' || widget.renames === true,
    verifyUrl,
    keys,
    schema: schema as unknown as v.GenericSchema<unknown, Captcha>,
  };
}
