/** Several clients on one relay: CONFIG_DIR names a folder with one config per client (docs/clients.md). */
import { failure, ok as fine } from '@form-relay/base/finding';
import { ok } from '@form-relay/base/result';
import { count } from '@form-relay/base/terminal';
import { maxBodyBytes } from '@form-relay/core/http/request';
import { overloaded, uploadsBusy } from '@form-relay/core/http/resolve';
import type { Life, LifeEnd, Plugin } from '@form-relay/core/plugin';
import type { Handler, Submission } from '@form-relay/core/submission';
import type { AlertSender } from '@form-relay/queue/alert_sender';
import type {} from '@form-relay/queue/alerts';
import { variable } from '@form-relay/schema/variables';
import type { MergedConfig } from './members.ts';
import { clientsFeature } from './rules.ts';

const retryMs = 1_000;

/** Alerts the operator when a client's config breaks, and when it loads again. */
export function plugin(): Plugin {
  let told: ReadonlyMap<string, string> = new Map();
  let sender: AlertSender | undefined;
  let stop: (() => void) | undefined;

  const tell = async ({ services, settings, hold, shared, forms }: Life): Promise<void> => {
    const broken = shared.get('clients')?.broken ?? new Map<string, string>();
    const before = told;
    told = broken;
    const to = shared.get('alerts');
    if (!to || (broken.size === 0 && before.size === 0)) return;
    const { AlertSender } = await import('@form-relay/queue/alert_sender');
    sender ??= new AlertSender(services, settings, hold);
    stop ??= services.repeat(retryMs, () => sender?.retry());
    for (const [client, reason] of broken)
      if (!before.has(client)) sender.client('broken', client, reason, to);
    const isServed = (client: string) => [...forms.keys()].some((form) => form.startsWith(`${client}/`));
    for (const client of before.keys())
      if (!broken.has(client) && isServed(client)) sender.client('mended', client, '', to);
  };

  return {
    name: 'clients',
    features: [clientsFeature(new Shares())],
    start: (life) => {
      if (life.livesOn) life.wait(tell(life));
      life.signal.addEventListener('abort', () => {
        if ((life.signal.reason as LifeEnd).why === 'replaced') return;
        stop?.();
        life.wait(sender?.close() ?? Promise.resolve());
      });
    },
    checks: [
      {
        name: 'Clients',
        probe: async ({ config }) =>
          ((config as Partial<MergedConfig> | undefined)?.clients?.all ?? []).map(
            ({ client: { name }, config: own, problems }) =>
              problems.length === 0
                ? fine(name, count(own?.forms.size ?? 0, 'form'))
                : failure(
                    name,
                    'the config does not load',
                    'Correct the mistakes; the other clients are served.',
                  ),
          ),
      },
    ],
    variables: {
      configDir: variable(
        'CONFIG_DIR',
        'Folder with a config for each client, instead of one config (docs/clients.md).',
        ok<string>,
      ),
    },
  };
}

// Shares SUBMISSION_LIMIT and UPLOAD_BUDGET among clients, so that a slow server of one client does not block the others.

interface Held {
  requests: number;
  bytes: number;
}

export class Shares {
  readonly #all: Held = { requests: 0, bytes: 0 };
  readonly #own = new Map<string, Held>();

  /**
   * Rejects a submission if its client already holds more than is left free. So a single client may hold
   * half, two may hold a third each, and so on.
   */
  limit(client: string, handler: Handler): Handler {
    const all = this.#all;
    const own = this.#own.get(client) ?? { requests: 0, bytes: 0 };
    this.#own.set(client, own);
    const add = (requests: number, bytes: number) => {
      for (const held of [all, own]) {
        held.requests += requests;
        held.bytes += bytes;
      }
    };
    return async (submission: Submission) => {
      const { settings, request } = submission;
      const length = request.body?.length ?? 0;
      const bytes = length > maxBodyBytes ? length : 0;
      if (own.requests >= settings.submissionLimit - all.requests) return overloaded;
      if (own.bytes > 0 && bytes > 0 && own.bytes + bytes > settings.uploadBudget - all.bytes)
        return uploadsBusy;
      add(1, bytes);
      try {
        return await handler(submission);
      } finally {
        add(-1, -bytes);
      }
    };
  }
}
