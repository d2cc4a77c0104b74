import { failed } from '../../client_error.ts';

/** Throws a `ClientError` for a header that cannot be sent, or that is the client's own. */
export function checkHeader(name: string, value: string): void {
  const complaint = complaintOf(name) ?? (notInValue.test(value) ? `invalid ${name} header` : undefined);
  if (complaint !== undefined) throw failed('request_malformed', { reason: complaint });
}

/** Says what is wrong with a header's name. Configs name few. */
function complaintOf(name: string): string | undefined {
  if (known.has(name)) return known.get(name);
  const complaint = newComplaintOf(name);
  if (known.size >= mostKnown) known.clear();
  known.set(name, complaint);
  return complaint;
}

const known = new Map<string, string | undefined>();
const mostKnown = 1_000;

function newComplaintOf(name: string): string | undefined {
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
