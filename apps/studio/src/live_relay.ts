import type { ParseResult } from '@form-relay/config/parse';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { createDryRun, type DryRun, type DryRunOptions } from '@form-relay/dry-run/dry_run';
import type { BundledPlugin } from '@form-relay/plugin-host/bundled_plugin';
import { bundled } from '@form-relay/runtimes/bundled';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { framed } from './answers.ts';
import { elsewhere } from './framed_page.ts';
import { type ConfigFile, LiveConfig } from './live_config.ts';

/** Gives captchas a script that replaces their provider's. */
const studioPlugin: BundledPlugin = {
  name: 'studio',
  owns: [],
  uses: ['form captcha'],
  load: async () => ({
    name: 'studio',
    features: [
      feature({
        name: 'studio_captcha',
        after: ['captcha'],
        before: ['proof', 'captcha_widget'],
        configure: ({ provided }) => {
          const captcha = provided.get('captcha');
          // In production, a form without a site key has a page of its own, which the studio does not have.
          if (captcha)
            Object.assign(captcha, { script: '/studio/captcha.js', siteKey: captcha.siteKey ?? 'dry-run' });
          return undefined;
        },
      }),
    ],
  }),
};

interface LiveRelayOptions extends Pick<DryRunOptions, 'env' | 'services' | 'onReport'> {
  readonly file: ConfigFile;
  readonly isDelivering: boolean;
  /** The number of submissions being processed. */
  readonly onBusy: (count: number) => void;
}

/** The relay's API with the current config. */
interface LiveRelay extends Pick<DryRun, 'notesOf' | 'services'> {
  readonly handle: RelayHandle;
  readonly config: LiveConfig;
  /** Resets all counters, such as places that are taken. */
  readonly startOver: () => Promise<void>;
}

export function createLiveRelay(options: LiveRelayOptions): LiveRelay {
  const { env, services, file, isDelivering, onReport, onBusy } = options;
  /** The origin that the browser uses, which is on this machine (guard.ts). */
  let origin: string | undefined;
  let parse: (text: string) => Promise<ParseResult>;
  const config = new LiveConfig(file, (text) => parse(text));
  const open = () =>
    createDryRun({
      ...(env && { env }),
      ...(services && { services }),
      // The config may name plug-ins, as any file.
      configFile: file.path ?? file.name,
      bundled: [...bundled, studioPlugin],
      openConfig: (parseFile) => {
        parse = (text) => parseFile(text, file.name, file.readSibling);
        return config;
      },
      onReport,
      isDelivering,
      // Links in mails that are not sent lead back to the studio.
      publicUrl: () => (isDelivering ? (env ?? process.env).PUBLIC_URL || origin : origin),
    });
  let relay = open();

  let underWay = 0;
  const submit = async (request: RelayRequest): Promise<RelayResponse> => {
    underWay += 1;
    onBusy(underWay);
    const answer = await relay.handle(request);
    underWay -= 1;
    onBusy(underWay);
    const { location = '' } = answer.headers;
    // Neither data nor the browser leaves this machine. Relative addresses are local.
    return answer.status === 303 && !location.startsWith('../')
      ? framed(elsewhere(location))
      : stayingHere(answer, `http://${request.headers.host}`);
  };

  const handle = async (request: RelayRequest) => {
    origin = `http://${request.headers.host}`;
    return request.method === 'POST' ? submit(request) : relay.handle(request);
  };
  const { uploads } = relay.handle;
  const admit: RelayHandle['admit'] = (head) => relay.handle.admit(head);
  return {
    handle: Object.assign(handle, { admit, uploads }),
    config,
    services: relay.services,
    notesOf: (id) => relay.notesOf(id),
    startOver: async () => {
      const before = relay;
      relay = open();
      await config.check();
      await before.close();
    },
  };
}

/** Changes a script's redirect to a page that replaces the target. */
function stayingHere(answer: RelayResponse, origin: string): RelayResponse {
  if (answer.status !== 200 || !answer.headers['content-type']?.includes('json')) return answer;
  const { redirect, ...others } = JSON.parse(answer.body);
  if (redirect === undefined) return answer;
  const here = `${origin}/studio/elsewhere?${new URLSearchParams({ to: redirect })}`;
  return { ...answer, body: JSON.stringify({ ...others, redirect: here }) };
}
