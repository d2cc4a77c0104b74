import { failed } from '../../base/client_error.ts';

/** Throws a `ClientError` for a header that cannot be sent, or that is the client's own. */
export function checkHeader(name: string, value: string): void {
  const header = headerOf(name);
  if (header.complaint !== undefined) throw failed('request_malformed', { reason: header.complaint });
  if (value === header.sound) return;
  if (notInValue.test(value)) throw failed('request_malformed', { reason: `invalid ${name} header` });
  header.sound = value;
}

/** A name that was looked at. Configs name few. */
interface Header {
  readonly complaint: string | undefined;
  /** The last value under it that can be sent: most stay the same. */
  sound: string | undefined;
}

function headerOf(name: string): Header {
  const before = known.get(name);
  if (before) return before;
  const header = { complaint: complaintOf(name), sound: undefined };
  if (known.size >= mostKnown) known.clear();
  known.set(name, header);
  return header;
}

const known = new Map<string, Header>();
const mostKnown = 1_000;

/** Says what is wrong with a header's name. */
function complaintOf(name: string): string | undefined {
  if (!token.test(name)) return 'invalid header key';
  if (/^expect$/i.test(name)) return 'expect header not supported';
  return clientsOwn.test(name) ? `invalid ${name} header` : undefined;
}

/** RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** The client writes these itself, or knows nothing of what they ask for. */
const clientsOwn = /^(?:connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** RFC 9110, 5.5. */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;
