import type { Story } from '@form-relay/dry-run/story';
import type { Effects, Handle, Observer, RelayRequest, RelayResponse } from '@form-relay/relay/base';
import { createDryRun } from '@form-relay/relay/dry_run';
import type { Settings } from '@form-relay/relay/schema';
import { framed } from './answers.ts';
import { elsewhere } from './framed_page.ts';
import type { LiveConfig } from './live_config.ts';
import { Switches } from './switches.ts';

interface LiveRelayOptions {
  readonly settings: Settings;
  readonly effects: Effects;
  readonly config: LiveConfig;
  readonly isDelivering: boolean;
  readonly onStory: (story: Story) => void;
  readonly observe: Observer;
  /** How many submissions are under way now. */
  readonly onBusy: (count: number) => void;
}

/** The relay's API, of the config as it is now, and what the studio adds: faults. */
export interface LiveRelay {
  readonly handle: Handle;
  readonly switches: Switches;
  /** Forgets what is taken. */
  readonly forgetCounts: () => void;
}

export function createLiveRelay(options: LiveRelayOptions): LiveRelay {
  const { settings, effects, config, isDelivering, onStory, observe, onBusy } = options;
  /** As the browser says, which is on this machine (guard.ts). */
  let origin: string | undefined;
  const relay = createDryRun({
    settings,
    config,
    effects,
    onStory,
    observe,
    faultOf: (id, index): string | undefined => switches.of(config.current?.forms.get(id), index),
    isDelivering,
    // The links of mails that nobody gets lead back here.
    publicUrl: () => (isDelivering ? (settings.publicUrl ?? origin) : origin),
    captchaScript: '/studio/captcha.js',
  });
  const switches = new Switches(relay.faultsOf);

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

  const handle: Handle = async (request) => {
    origin = `http://${request.headers.host}`;
    return request.method === 'POST' ? submit(request) : relay.handle(request);
  };
  const { admit, uploads } = relay.handle;
  return {
    handle: Object.assign(handle, { admit, uploads }),
    switches,
    forgetCounts: relay.forgetCounts,
  };
}

/** A script is told where the visitor goes next: to a page that stands for it. */
function stayingHere(answer: RelayResponse, origin: string): RelayResponse {
  if (answer.status !== 200 || !answer.headers['content-type']?.includes('json')) return answer;
  const { redirect, ...others } = JSON.parse(answer.body);
  if (redirect === undefined) return answer;
  const here = `${origin}/studio/elsewhere?${new URLSearchParams({ to: redirect })}`;
  return { ...answer, body: JSON.stringify({ ...others, redirect: here }) };
}
