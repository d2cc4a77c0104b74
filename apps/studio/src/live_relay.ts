import type { ParseResult } from '@form-relay/config/parse';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { createDryRun, type DryRun, type DryRunOptions } from '@form-relay/dry-run/dry_run';
import type { BundledPlugin } from '@form-relay/plugin-host/bundled_plugin';
import { bundled } from '@form-relay/runtimes/bundled';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { framed } from './answers.ts';
import { elsewhere } from './framed_page.ts';
import { type ConfigFile, createLiveConfig, type LiveConfig } from './live_config.ts';

/** Gives captchas a script that stands in for their provider's. */
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
          // A form without a site key has a page of its own in production, and none here.
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
  /** How many submissions are under way now. */
  readonly onBusy: (count: number) => void;
}

/** The relay's API, of the config as it is now. */
interface LiveRelay extends Pick<DryRun, 'notesOf' | 'services'> {
  readonly handle: RelayHandle;
  readonly config: LiveConfig;
  /** Forgets all that it counted, such as places that are taken. */
  readonly startOver: () => Promise<void>;
}

export function createLiveRelay(options: LiveRelayOptions): LiveRelay {
  const { env, services, file, isDelivering, onReport, onBusy } = options;
  /** As the browser says, which is on this machine (guard.ts). */
  let origin: string | undefined;
  let parse: (text: string) => Promise<ParseResult>;
  const config = createLiveConfig(file, (text) => parse(text));
  const open = () =>
    createDryRun({
      ...(env && { env }),
      ...(services && { services }),
      // The config's keys may name plug-ins, as those of any file.
      configFile: file.path ?? file.name,
      bundled: [...bundled, studioPlugin],
      openConfig: (parseFile) => {
        parse = (text) => parseFile(text, file.name, file.readSibling);
        return config;
      },
      onReport,
      isDelivering,
      // The links of mails that nobody gets lead back here.
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
    // Nothing leaves this machine, and no browser either. Relative addresses stay here.
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

/** Points a script's redirect to a page that stands for the next one. */
function stayingHere(answer: RelayResponse, origin: string): RelayResponse {
  if (answer.status !== 200 || !answer.headers['content-type']?.includes('json')) return answer;
  const { redirect, ...others } = JSON.parse(answer.body);
  if (redirect === undefined) return answer;
  const here = `${origin}/studio/elsewhere?${new URLSearchParams({ to: redirect })}`;
  return { ...answer, body: JSON.stringify({ ...others, redirect: here }) };
}
