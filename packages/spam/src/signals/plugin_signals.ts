/** Signals from plug-ins. Plug-ins may ask services, so their time is limited; a signal without an answer adds no points. */

import { ClientError, fail, stackOf } from '@form-relay/base/client_error';
import { privateNetworkOf, readAddress, writeAddress } from '@form-relay/base/networks';
import { signalAfter, withTimeout } from '@form-relay/base/with_timeout';
import { boundHttp, type Http } from '@form-relay/core/http/bound_http';
import type { Submission } from '@form-relay/core/index';
import type { SignalInput, SignalType } from '@form-relay/core/signal';
import type { SignalResult } from './signal.ts';

/** A plug-in's signal as a form uses it. */
export interface PluginSignal {
  readonly name: string;
  /** The maximum points. */
  readonly weight: number;
  readonly needs: readonly string[];
  ask(seen: SignalInput, submission: Submission): Promise<SignalResult>;
}

/** The visitor waits for the answer. */
const mostMs = 1_500;

export function pluginSignal(
  type: SignalType,
  weight: number,
  keys: Readonly<Record<string, unknown>>,
): PluginSignal {
  const { name } = type;
  return {
    name,
    weight,
    needs: type.needs?.(keys) ?? [],
    ask: async (seen, submission) => {
      const { services, deadline } = submission;
      const timeoutMs = Math.max(1, Math.min(mostMs, deadline - services.now()));
      const late = () => {
        throw fail(`no answer within ${timeoutMs} ms`);
      };
      const { signal, clear } = signalAfter(timeoutMs, fail(`no answer within ${timeoutMs} ms`));
      const http = services.isDryRun === true ? sendingNothing : boundHttp({ services, signal, timeoutMs });
      try {
        const address = publicAddress(seen.address);
        const context = { http, signal, env: services.env };
        const asked = (async () => type.score(keys, { ...seen, address }, context))();
        const found = await withTimeout(timeoutMs, asked, late);
        if (found === undefined) return undefined;
        const score = Math.max(0, Number(found.score) || 0);
        return score > 0 ? { score, why: String(found.why) } : undefined;
      } catch (error) {
        const isKnown = error instanceof ClientError;
        const silent = isKnown ? error.message : 'internal error';
        if (!isKnown) submission.log('error', 'internal_error', { signal: name, stack: stackOf(error) });
        else if (services.isDryRun !== true)
          submission.log('warn', 'service_silent', { signal: name, reason: silent });
        return { silent };
      } finally {
        clear();
      }
    },
  };
}

/** Services know only public addresses. */
function publicAddress(text = ''): string | undefined {
  const address = readAddress(text);
  return address && !privateNetworkOf(address) ? writeAddress(address) : undefined;
}

/** Records what a request would tell its server, without sending it. */
const sendingNothing: Http = {
  send: async ({ url, query, form, json }) => {
    const names = Object.keys({ ...query, ...form, ...(typeof json === 'object' ? json : {}) });
    const { host } = new URL(String(url));
    throw fail(`not asked in a dry run; ${host} would get ${names.join(', ')}`);
  },
};
