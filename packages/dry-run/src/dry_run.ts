/** A relay whose services record what they would send: all checks, templates and payloads are real. */

import type { RelayRequest } from '@form-relay/core/http/request';
import { always, bundled } from '@form-relay/runtimes/bundled';
import { createRelay, type RelayOptions } from '@form-relay/runtimes/relay';
import type { Relay, RelayHandle } from '@form-relay/runtimes/running_relay';
import { openNode } from '@form-relay/runtimes/services';
import { notes, placeholderSettings, placeholdersOf } from './placeholders.ts';
import { printing, recordingLog } from './printing.ts';
import { currentRecording, type Recording, record, recordingPlugin } from './recording.ts';
import type { SubmissionReport } from './report.ts';
import { Secrets } from './secrets.ts';
import { reportOf } from './write_report.ts';

/** As for any relay. The clients among its `services` are used where `isDelivering`. */
export interface DryRunOptions extends Omit<RelayOptions, 'dryRun'> {
  /** Receives the report of each answered submission, before its answer. */
  readonly onReport: (report: SubmissionReport) => void;
  /** Whether outputs really deliver. Captchas are never verified. */
  readonly isDelivering?: boolean;
  /** The relay's URL in this run, read for each request. Default: PUBLIC_URL, or a stand-in. */
  readonly publicUrl?: () => string | undefined;
}

/** A relay whose settings have placeholders for unset variables. */
export interface DryRun extends Relay {
  /** The differences between this run and a relay with these variables, for a form that its config has. */
  notesOf(formId: string): readonly string[];
}

export function createDryRun({
  onReport,
  isDelivering = false,
  publicUrl,
  ...options
}: DryRunOptions): DryRun {
  const secrets = new Secrets();
  const real = options.env ?? process.env;
  const made = placeholderSettings();
  const env = { ...made, ...withoutEmpty(real) };
  /** Placeholders for the outputs of the config as it is now. Real deliveries use none. */
  const placeholders = () => (isDelivering ? new Map() : placeholdersOf(relay.config.current?.env ?? []));
  const relay = createRelay(
    {
      bundled,
      ...options,
      env,
      plugins: [recordingPlugin(isDelivering), ...always, ...(options.plugins ?? [])],
      dryRun: isDelivering ? 'delivering' : true,
      throttled: false,
      services: {
        ...(options.services?.now && { now: options.services.now }),
        log: recordingLog(options.services?.log ?? (() => {})),
      },
      observe: (event) => {
        options.observe?.(event);
        const recording = currentRecording();
        if (recording) recording.answered = event;
      },
    },
    (base) => {
      const runtime = openNode(base);
      const services = { ...runtime.services, ...options.services };
      const readEnv = (name: string) => {
        const value = services.env(name);
        // Links in mails are no secret.
        if (value && name !== 'PUBLIC_URL' && value !== made[name]) secrets.add(name, value);
        return value || placeholders().get(name)?.value;
      };
      return { ...runtime, services: printing({ ...services, env: readEnv }, secrets, isDelivering) };
    },
  );
  if (publicUrl)
    Object.defineProperty(relay.settings, 'publicUrl', { get: () => publicUrl() ?? env.PUBLIC_URL });
  const { admit, uploads } = relay.handle;
  const notesOf = (formId: string) => {
    const { forms, env = [] } = relay.config.current ?? {};
    const form = forms?.get(formId);
    return form ? notes(form, env, { isSet: (name) => Boolean(real[name]), isDelivering }) : [];
  };
  const handle = async (request: RelayRequest) => {
    const recording: Recording = { answered: undefined, deliveries: new Map(), logged: [] };
    // The report ends with the answer, so nothing is left for later.
    const answer = await record(recording, () => relay.handle({ ...request, livesOn: false }));
    const { answered } = recording;
    if (answered)
      onReport(await reportOf(request, { ...recording, answered }, secrets, notesOf(answered.formId ?? '')));
    return answer;
  };
  return { ...relay, handle: Object.assign(handle, { admit, uploads }) satisfies RelayHandle, notesOf };
}

const withoutEmpty = (env: RelayOptions['env'] = {}) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value));

/** The confirmation link in the mail for a held submission, without the relay's origin. */
export function confirmLink({ outcome, mails }: SubmissionReport): string | undefined {
  if (outcome !== 'held') return undefined;
  const texts = mails.flatMap(({ sent }) => sent).map((sent) => (sent.kind === 'mail' ? sent.text : ''));
  return /^https?:\/\/[^\s/]+(\/(?:[\w-]+\/)?api\/v1\/confirm\/\S+)$/m.exec(texts.join('\n'))?.[1];
}
