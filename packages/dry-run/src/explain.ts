/** Sends a submission into a dry run as a browser or a server would, and reports what would happen. */
import { formSegments } from '@form-relay/base/url';
import { CommandFailed } from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import type {} from '@form-relay/spam/origins/index';
import { pageFields } from '@form-relay/spam/page/index';
import { hardness, proofField, solutionFor } from '@form-relay/spam/proof/challenge';
import type {} from '@form-relay/spam/proof/index';
import { confirmLink, createDryRun, type DryRun } from './dry_run.ts';
import { humanToken } from './printing.ts';
import type { SubmissionReport } from './report.ts';

export interface Body {
  readonly type: string;
  readonly body: Uint8Array;
}

export interface ChosenFile {
  readonly field: string;
  readonly name: string;
  /** Default: unknown, as for a file without an extension. */
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** A visitor's request: values and files with what a browser adds, or a whole body. */
export interface ExplainRequest {
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly files?: readonly ChosenFile[];
  /** The URL of the page that sends the form. */
  readonly page?: string | undefined;
  readonly body?: Body | undefined;
  /** The variable with the key of the server that sends the form. Default: a browser sends it. */
  readonly key?: string | undefined;
}

export interface Explained {
  readonly report: SubmissionReport;
  /** The report after a click on the link in the mail (double opt-in). */
  readonly confirmed?: SubmissionReport;
}

/**
 * Reports what a submission would lead to: the checks, and the payloads and bytes that each output would
 * send. Sends nothing.
 *
 * @param options The config and environment of the dry run. Default: this process's own.
 */
export async function explain(
  formId: string,
  given: ExplainRequest,
  options: RelayOptions = {},
): Promise<Explained> {
  const reports: SubmissionReport[] = [];
  // A busy machine must not change how long filling in the form seems to take.
  const startedAt = (options.services?.now ?? Date.now)();
  let aheadMs = 0;
  /** The plug-in function that threw, without the error's message. */
  let culprit: string | undefined;
  const env = options.env ?? process.env;
  const readEnv = options.services?.env;
  const dryRun = createDryRun({
    ...options,
    // Nothing is sent, so the real key is not needed.
    env: given.key === undefined ? env : { ...env, [given.key]: madeUpKey },
    services: {
      ...options.services,
      ...(readEnv && { env: (name) => (name === given.key ? madeUpKey : readEnv(name)) }),
      now: () => startedAt + aheadMs,
      log: (level, event, fields) => {
        if (event === 'internal_error' && Array.isArray(fields?.stack)) culprit ??= String(fields.stack[0]);
        options.services?.log?.(level, event, fields);
      },
    },
    onReport: (report) => reports.push(report),
  });
  try {
    const loaded = await dryRun.config.get();
    const form = loaded?.forms.get(formId);
    if (!form) throw new Error(`there is no form "${formId}"`);
    const { headers, sent } = await requestOf(form, dryRun, given, (ms) => {
      aheadMs += ms;
    });
    await dryRun.handle({
      ...request,
      path: `/api/v1/submit/${formSegments(formId)}`,
      headers: { ...headers, 'content-type': sent.type },
      body: sent.body,
      // A documentation address (RFC 5737), so the visitor has no history.
      peerAddress: '192.0.2.1',
    });
    const [answered] = reports;
    if (!answered) throw new CommandFailed(`internal error: ${culprit ?? 'the submission has no report'}`);
    const isBroken = answered.outcome === 'internal_error' && culprit !== undefined;
    const report = isBroken ? { ...answered, says: `${answered.says}; ${culprit}` } : answered;
    const link = confirmLink(report);
    if (link !== undefined) await dryRun.handle(clickOn(link));
    const [, confirmed] = reports;
    return { report, ...(confirmed && { confirmed }) };
  } finally {
    await dryRun.close();
  }
}

async function requestOf(
  form: Form,
  dryRun: DryRun,
  { pairs, files = [], page, body, key }: ExplainRequest,
  wait: (ms: number) => void,
) {
  const all = page === undefined ? pairs : [...pairs, [pageFields.url, page] as const];
  const headers =
    key === undefined
      ? browserHeaders(form, page ?? dryRun.settings.publicUrl)
      : { authorization: `Bearer ${madeUpKey}` };
  if (body !== undefined) return { headers, sent: body };
  const own = key === undefined ? await inputsOf(form, dryRun, headers, wait) : [];
  const filled = [...all, ...own.filter(([name]) => !all.some(([given]) => given === name))];
  if (files.length > 0) return { headers, sent: await withFiles(filled, files) };
  const text = new URLSearchParams(filled.map(([...pair]) => pair)).toString();
  return { headers, sent: { type: urlencoded, body: Buffer.from(text) } };
}

/** The inputs that a browser sends automatically: the form's tokens, and those that scripts fill in. */
async function inputsOf(
  form: Form,
  dryRun: DryRun,
  headers: Readonly<Record<string, string>>,
  wait: (ms: number) => void,
): Promise<readonly (readonly [name: string, value: string])[]> {
  const reserved = form.reservedNames;
  const path = `/api/v1/form/${formSegments(form.id)}`;
  const { body, status } = await dryRun.handle({ ...request, method: 'GET', path, headers, body: undefined });
  const captcha = form.provided.get('captcha');
  const solved: [name: string, value: string][] =
    captcha && !captcha.onlyInDoubt ? [[captcha.field, humanToken]] : [];
  const proof = form.provided.get('proof');
  const now = dryRun.services.now();
  const puzzle = { nonce: 'explain', expiresAt: now + (proof?.formToken.ttlMs ?? 0), most: hardness.usual };
  const { formTokenSecret } = dryRun.settings;
  if (proof?.isForAll) solved.push([proofField, solutionFor(formTokenSecret, form.id, puzzle)]);
  if (status !== 200) return solved;
  wait(Math.max(0, ...[...form.provided.values()].map(minFillMs)));
  const hidden = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    .map(([, name = '', value = '']) => [name, value] as const)
    .filter(([name, value]) => reserved.has(name) && value !== '');
  return [...hidden, ...solved];
}

/** The minimum time to fill in the form. */
function minFillMs(provided: unknown): number {
  if (typeof provided !== 'object' || provided === null || !('formToken' in provided)) return 0;
  const { formToken } = provided;
  if (typeof formToken !== 'object' || formToken === null || !('minFillMs' in formToken)) return 0;
  return Number(formToken.minFillMs ?? 0);
}

const request: RelayRequest = { method: 'POST', path: '', query: '', headers: {}, body: undefined };

export const urlencoded = 'application/x-www-form-urlencoded';

/** A made-up key for this run. */
const madeUpKey = 'frk_explain0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The headers that browsers send and signals check, and the page if the form asks for it. */
const browserHeaders = (form: Form, page = ''): Readonly<Record<string, string>> => ({
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: '*/*',
  'accept-language': form.locale(undefined).language ?? 'en',
  'accept-encoding': 'gzip, deflate, br',
  ...(form.provided.get('origin') && { origin: new URL(page).origin }),
});

async function withFiles(
  values: readonly (readonly [name: string, value: string])[],
  files: readonly ChosenFile[],
): Promise<Body> {
  const all = new FormData();
  for (const [name, value] of values) all.append(name, value);
  for (const { field, name, bytes, type } of files) {
    all.append(field, new File([Uint8Array.from(bytes)], name, type === undefined ? {} : { type }));
  }
  const encoded = new Response(all);
  return {
    type: encoded.headers.get('content-type') ?? '',
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}

/** The request that the link's page sends. */
function clickOn(link: string): RelayRequest {
  const [path = '', query = ''] = link.split('?');
  return { ...request, path, headers: { 'content-type': urlencoded }, body: Buffer.from(query) };
}
