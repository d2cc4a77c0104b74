/** A request's position in a distributed trace (W3C Trace Context 1), by which tracing tools find the relay's part. */
export interface TraceContext {
  /** 32 hexadecimal digits, the same in all services. */
  readonly traceId: string;
  /** 16 hexadecimal digits for this step. */
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  /** The number of relays that the submission passed on its way here. */
  readonly hops: number;
}

/** The trace of a `traceparent` header, or a new trace named after the request. Drops `tracestate`, because it is free text. */
export function traceOf(
  given: string | undefined,
  requestId: string,
  uuid: () => string,
  hops = 0,
): TraceContext {
  const own = digitsOf(requestId) ?? digitsOf(uuid()) ?? noDigits;
  const spanId = own.slice(16);
  const fresh = { traceId: own, spanId, parentId: undefined, isSampled: true, hops };
  if (given === undefined) return fresh;
  const [, version = '', traceId = '', parentId = '', flags = '', rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s.exec(given) ?? [];
  // Later versions may have more parts; version 00 may not.
  const isKnown = version !== 'ff' && (version !== '00' || rest === '');
  if (!isKnown || /^0*$/.test(traceId) || /^0*$/.test(parentId)) return fresh;
  return { traceId, spanId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, hops };
}

/** A child span. */
export const stepOf = (
  { traceId, spanId, isSampled, hops }: TraceContext,
  uuid: () => string,
): TraceContext => ({
  traceId,
  spanId: (digitsOf(uuid()) ?? noDigits).slice(0, 16),
  parentId: spanId,
  isSampled,
  hops,
});

/** The `traceparent` header for the next service. */
export const traceparentOf = ({
  traceId,
  spanId,
  isSampled,
}: Pick<TraceContext, 'traceId' | 'spanId' | 'isSampled'>) =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The digits of a UUID; its version and variant keep either half from being all zeros. `undefined` for other text. */
function digitsOf(uuid: string): string | undefined {
  if (uuid.length !== 36) return undefined;
  let written = 0;
  for (let i = 0; i < 36; i += 1) {
    const unit = uuid.charCodeAt(i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (unit !== dash) return undefined;
      continue;
    }
    const digit = unit >= 0x41 && unit <= 0x46 ? unit | 0x20 : unit;
    if (!((digit >= 0x30 && digit <= 0x39) || (digit >= 0x61 && digit <= 0x66))) return undefined;
    digits[written] = digit;
    written += 1;
  }
  return digits.toString('latin1');
}

const dash = 0x2d;

/** A buffer, reused for every UUID. */
const digits = Buffer.alloc(32);

/** The digits for services whose `uuid` returns something else. */
const noDigits = 'f'.repeat(32);

/**
 * Counts the relays on the way here: two relays can post to each other, or a receiver can redirect a post
 * back, in an endless loop. Uses neither `Via` nor `CDN-Loop`, which proxies and CDNs write and act on.
 */
export const hopsHeader = 'form-relay-hops';

/** A post that passed this many relays is rejected. */
export const mostHops = 3;

/** If a proxy joined several headers, the largest counts. Anything but a number counts as 0. */
export const hopsIn = (header: string): number =>
  Math.max(0, ...(header.match(/\d{1,3}/g) ?? []).map(Number));

export interface TracingHeaders {
  readonly traceparent: string;
  readonly hops: string;
}

/**
 * The trace headers of the output with this index, as a span of its own: the id differs in two digits, which
 * is cheaper than a random one.
 */
export function tracingHeaders(
  { traceId, spanId, isSampled, hops }: TraceContext,
  index: number,
): TracingHeaders {
  const digits = Number.parseInt(spanId.slice(0, 2), 16) ^ ((index + 1) & 0xff);
  const stepId = `${digits.toString(16).padStart(2, '0')}${spanId.slice(2)}`;
  return { traceparent: traceparentOf({ traceId, spanId: stepId, isSampled }), hops: String(hops + 1) };
}
