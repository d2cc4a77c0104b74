/** Examines a public relay from outside: its name, its certificate, and a form. */
import { lookup } from 'node:dns/promises';
import { connect } from 'node:tls';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import { formSegments, isThisMachine, parseUrl, reservedHostIn } from '@form-relay/base/url';
import type { Form } from '@form-relay/core/index';

const askMs = 8_000;
/** The page of a form is shorter. */
const mostBytes = 2_000_000;

/** The findings of the check, or the reason why it could not run. */
export interface Outside {
  readonly findings: readonly Finding[];
  readonly trouble?: string;
}

/** Sends requests to a public relay as a visitor's browser would. Delivers nothing. */
export async function lookFromOutside(address: string, form: Form): Promise<Outside> {
  const url = parseUrl(/^https?:/.test(address) ? address : `https://${address}`);
  if (!url || url.username || (url.protocol !== 'https:' && !isThisMachine(url.host)))
    return { findings: [], trouble: 'Enter the public address, such as https://forms.your-company.com.' };
  const example = reservedHostIn(url.hostname);
  if (example !== undefined)
    return { findings: [], trouble: `${example} is an example; enter your own host name` };
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  const found = [await lookUp(url.hostname)];
  if (found[0]?.level !== 'failure' && url.protocol === 'https:') found.push(await seeCertificate(url));
  if (found.every(({ level }) => level !== 'failure')) {
    found.push(await askReady(base));
    found.push(await findForm(base, form));
    found.push(await submitNothing(base, form));
  }
  return { findings: found };
}

async function lookUp(host: string) {
  const all = await lookup(host, { all: true }).catch(() => []);
  return all.length > 0
    ? ok('DNS', `${host} is at ${all.map(({ address }) => address).join(', ')}`)
    : failure(
        'DNS',
        `${host} has no address yet`,
        'Add the record below at your DNS provider. New records may take an hour to appear.',
      );
}

const seeCertificate = ({ hostname, port }: URL) =>
  new Promise<Finding>((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port) || 443,
      servername: hostname,
      timeout: askMs,
    });
    const end = (finding: Finding) => {
      socket.destroy();
      resolve(finding);
    };
    socket.once('secureConnect', () =>
      end(ok('TLS', `the certificate is good until ${socket.getPeerCertificate().valid_to}`)),
    );
    socket.once('timeout', () =>
      end(failure('TLS', `no answer within ${askMs / 1000} s`, 'Open port 443 in the firewall.')),
    );
    socket.once('error', ({ message }) =>
      end(
        failure(
          'TLS',
          message,
          'Check the log of the TLS proxy, such as Caddy: ports 80 and 443 must be open.',
        ),
      ),
    );
  });

interface Heard {
  readonly status: number;
  readonly text: string;
}

const ask = async (url: string, init: RequestInit = {}): Promise<Heard> => {
  try {
    const heard = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(askMs), ...init });
    return { status: heard.status, text: (await heard.text()).slice(0, mostBytes) };
  } catch (error) {
    const { cause, message } = error as Error & { readonly cause?: { readonly code?: string } };
    return { status: 0, text: cause?.code ?? message };
  }
};

const inWords = ({ status, text }: Heard) => (status === 0 ? text : `the server answers ${status}`);

async function askReady(base: string) {
  const heard = await ask(`${base}/readyz`);
  if (heard.status === 200) return ok('Relay', 'ready');
  const remedy = "Check the relay's log, or that of the proxy in front of it.";
  // Google's front end reserves these paths.
  return heard.status === 404
    ? warning('Relay', `${base}/readyz does not exist`, 'On Cloud Run that is normal.')
    : failure('Relay', inWords(heard), remedy);
}

async function findForm(base: string, { id, fields }: Form) {
  const heard = await ask(`${base}/api/v1/form/${formSegments(id)}`);
  if (heard.status !== 200)
    return failure('Form', `${id}: ${inWords(heard)}`, 'Copy the latest config to the server.');
  const missing = fields.filter(({ name, inputs }) => !inputs && !heard.text.includes(`name="${name}"`));
  return missing.length === 0
    ? ok('Form', `${id} is available`)
    : warning(
        'Form',
        `${id} is missing ${missing.map(({ name }) => name).join(', ')}`,
        'Copy the latest config to the server.',
      );
}

/** Sends an empty submission, which the relay rejects before it delivers anything. */
async function submitNothing(base: string, { id, fields }: Form) {
  const subject = 'Submission';
  if (!fields.some(({ required }) => required))
    return warning(
      subject,
      'not tested: no field is required, so an empty submission would be delivered',
      'Send a submission from the page.',
    );
  const heard = await ask(`${base}/api/v1/submit/${formSegments(id)}`, {
    method: 'POST',
    body: new URLSearchParams(),
    headers: { accept: 'application/json' },
  });
  if (heard.status === 422)
    return ok(subject, 'an empty submission was rejected, as expected; nothing was delivered');
  if (heard.status === 200)
    return warning(
      subject,
      'an empty submission was treated as one from a bot; nothing was delivered',
      'Send a submission from the page.',
    );
  return failure(subject, inWords(heard), "Check the relay's log for the request id of the response.");
}
