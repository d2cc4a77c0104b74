import type { Effects, Handle, Observer, RelayRequest, RelayResponse } from '@form-relay/relay/base';
import { countInMemory, createDryRun, type DryRun, type DryRunOptions } from '@form-relay/relay/dry_run';
import type { Settings } from '@form-relay/relay/schema';
import type { Story } from '@form-relay/relay/telling';
import { framed } from './answers.ts';
import { below, bootstrapPath, inBootstrap } from './bootstrap_theme.ts';
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

/** The relay's API, of the config as it is now, with what the studio adds: faults and a theme. */
export interface LiveRelay {
  readonly handle: Handle;
  readonly switches: Switches;
  /** Forgets what is taken, in all looks together. */
  readonly forgetCounts: () => void;
}

export function createLiveRelay(options: LiveRelayOptions): LiveRelay {
  const { settings, effects, config, isDelivering, onStory, observe, onBusy } = options;
  /** As the browser says, which is on this machine (guard.ts). */
  let origin: string | undefined;
  const counts = countInMemory(effects.now);
  const relayWith = (change: Partial<DryRunOptions> = {}) =>
    createDryRun({
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
      openCounter: counts.openCounter,
      openTexts: counts.openTexts,
      ...change,
    });
  const relay = relayWith();
  const switches = new Switches(relay.faultsOf);
  // With its settings: what one of them signs, the other must know.
  const relayInBootstrap = relayWith({ settings: relay.settings, config: inBootstrap(config) });

  let underWay = 0;
  const submit = async (to: DryRun, request: RelayRequest): Promise<RelayResponse> => {
    underWay += 1;
    onBusy(underWay);
    const answer = await to.handle(request);
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
    const inside = below(bootstrapPath, request);
    const [relayHere, asked] = inside ? [relayInBootstrap, inside] : [relay, request];
    return asked.method === 'POST' ? submit(relayHere, asked) : relayHere.handle(asked);
  };
  const admit: Handle['admit'] = (head) =>
    relay.handle.admit?.(below(bootstrapPath, head) ?? head) ?? { kind: 'admitted' };
  return {
    handle: Object.assign(handle, { admit, uploads: relay.handle.uploads }),
    switches,
    forgetCounts: counts.forget,
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
