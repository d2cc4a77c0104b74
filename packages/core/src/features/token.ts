import { firstValue, type Values } from '../base/values.ts';

const crypto = () => process.getBuiltinModule('node:crypto');

/** The claims of a min-fill token: when this relay issued it, for this form. */
export interface Token {
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Waiting that was already done when it was issued: a correction is never punished. Milliseconds. */
  readonly waitedMs: number;
}

/**
 * `<issuedAt>.<waitedMs>.<signature>`, both numbers in base 36. The signature is HMAC-SHA-256 over the form's name and
 * both numbers, so a token can be neither forged, backdated nor carried to another form (SPEC: Spam block).
 */
export function issueToken(secret: string, formId: string, { issuedAt, waitedMs }: Token): string {
  const claims = `${Math.trunc(issuedAt).toString(36)}.${Math.ceil(waitedMs).toString(36)}`;
  return `${claims}.${sign(secret, formId, claims)}`;
}

/** The token's claims, or `undefined` when this relay did not issue it for this form. Compares in constant time. */
export function readToken(secret: string, formId: string, token: string): Token | undefined {
  const [, claims = '', issuedAt = '', waitedMs = '', signature = ''] =
    /^(([0-9a-z]{1,10})\.([0-9a-z]{1,10}))\.([\w-]{43})$/.exec(token) ?? [];
  if (claims === '') return undefined;
  // As text: two texts can be base64url of the same bytes, and only one of them was issued.
  const isGenuine = crypto().timingSafeEqual(
    Buffer.from(signature),
    Buffer.from(sign(secret, formId, claims)),
  );
  return isGenuine
    ? { issuedAt: Number.parseInt(issuedAt, 36), waitedMs: Number.parseInt(waitedMs, 36) }
    : undefined;
}

// NUL cannot stand in a form's name, so no two forms sign the same text; the prefix keeps the secret's uses apart.
const sign = (secret: string, formId: string, claims: string) =>
  crypto()
    .createHmac('sha256', secret)
    .update(`form-relay min-fill\0${formId}\0${claims}`)
    .digest('base64url');

const dayMs = 86_400_000;

/**
 * How long the sender waited, as far as a token proves it: a correction is never punished. A token that has expired and is older
 * than a day proves nothing: bots keep them.
 */
export function creditMs(
  secret: string,
  formId: string,
  rule: {
    readonly field: string;
    readonly minFillMs: number;
    readonly ttlMs: number;
    readonly sent: Values;
    readonly now: number;
  },
): number {
  const token = readToken(secret, formId, firstValue(rule.sent, rule.field));
  const ageMs = token ? rule.now - token.issuedAt : -1;
  return token && ageMs >= 0 && ageMs <= Math.max(rule.ttlMs, dayMs)
    ? Math.min(rule.minFillMs, token.waitedMs + ageMs)
    : 0;
}
