import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { parseQuery, parseUrlencoded } from '../../bodies/urlencoded.ts';
import type { Effects } from '../../effects.ts';
import type { Form } from '../../form.ts';
import type { Html } from '../../html.ts';
import { maxBodyBytes, type RelayRequest, type RelayResponse } from '../../http.ts';
import type { Settings } from '../../settings.ts';
import type { Handle } from '../../street/app.ts';
import { decodeSegment } from '../../url.ts';
import { renderForm } from '../../views/form_view.ts';
import { createDryRun, type DryRun, type DryRunOptions } from '../dry_run/dry_run.ts';
import { notes } from '../dry_run/notes.ts';
import { captchaScriptCode, clientCode } from './browser_code.ts';
import { editorState } from './editor_state.ts';
import { elsewhere, type Framed, hostPage } from './framed_page.ts';
import { isOwnPage, refusalOf } from './guard.ts';
import { type Entry, Inbox } from './inbox.ts';
import { type ConfigFile, createLiveConfig } from './live_config.ts';
import { type HostMode, inLanguage, lookIn, type Theme, themes } from './looks.ts';
import { ownerGot } from './owner_got.ts';
import { renderPlayground } from './playground_page.ts';
import { besideBootstrap, besidePico, ownTheme, style } from './playground_style.ts';
import { sampleValues } from './samples.ts';
import { scenesOf } from './scenes.ts';
import { endingOf, storyView } from './story_view.ts';
import { Switches } from './switches.ts';
import { below, bootstrapPath, inBootstrap } from './themed.ts';

/** Where the page reads the config's text, and writes it. */
const configPath = '/playground/config';

export interface PlaygroundOptions {
  readonly settings: Settings;
  readonly effects: Effects;
  readonly file: ConfigFile;
  /** What calls the relay with this config in a shell, such as `relay --config site/webform.yaml`. */
  readonly command: string;
  /** What others made and pages load: htmx and stylesheets. */
  readonly asset: (name: Asset) => Promise<string>;
  /** `true`: outputs deliver for real, too. */
  readonly isDelivering?: boolean;
}

export const assets = ['htmx2.js', 'htmx4.js', 'bootstrap.css', 'pico.css'] as const;

/** What a theme needs besides its stylesheet. */
const beside: Readonly<Partial<Record<(typeof assets)[number], Html>>> = {
  'bootstrap.css': besideBootstrap,
  'pico.css': besidePico,
};
export type Asset = (typeof assets)[number];

/** Something that pages learn of at once. */
export interface PlaygroundEvent {
  readonly type: 'hello' | 'story' | 'busy' | 'changed' | 'cleared';
  /** For `story`: its number, with which a page that lost its connection says what it has. */
  readonly id?: number;
  readonly data: unknown;
}

export interface Playground {
  /** Answers everything but the stream of events. Never rejects. */
  readonly handle: Handle;
  /** Sends what happened since the story of number `after`, and what happens; until the function returned is called. */
  readonly listen: (after: number, send: (event: PlaygroundEvent) => void) => () => void;
  /** Loads the config again, and shows it. */
  readonly reload: () => Promise<void>;
  /** How many forms there are; `undefined` while the config never loaded. */
  readonly formCount: () => number | undefined;
}

/** The relay with a page around it that shows all that it does. */
export function createPlayground(options: PlaygroundOptions): Playground {
  const { settings, effects, isDelivering = false } = options;
  const run = effects.uuid();
  const config = createLiveConfig(options.file);
  const inbox = new Inbox();
  const listeners = new Set<(event: PlaygroundEvent) => void>();
  const tell = (event: PlaygroundEvent) => {
    for (const send of listeners) send(event);
  };
  const formOf = (id: string) => config.current?.forms.get(id);

  const relayWith = (change: Partial<DryRunOptions> = {}) =>
    createDryRun({
      settings,
      config,
      effects,
      onStory: (story) => tell(storyEvent(inbox.add(story, effects.now()))),
      faultOf: (id, index): string | undefined => switches.of(formOf(id), index),
      isDelivering,
      captchaScript: '/playground/captcha.js',
      ...change,
    });
  const relay = relayWith();
  const switches = new Switches(relay.faultsOf);
  // With its settings: what one of them signs, the other must know.
  const relayInBootstrap = relayWith({ settings: relay.settings, config: inBootstrap(config) });

  let underWay = 0;
  const submit = async (relay: DryRun, request: RelayRequest): Promise<RelayResponse> => {
    underWay += 1;
    tell({ type: 'busy', data: underWay });
    const answer = await relay.handle(request);
    underWay -= 1;
    tell({ type: 'busy', data: underWay });
    // Nothing leaves this machine, and no browser either.
    return answer.status === 303
      ? framed(elsewhere(answer.headers.location ?? ''))
      : stayingHere(answer, `http://${request.headers.host}`);
  };

  /** A form may be asked for as it was some time ago, so that nobody has to wait until it has expired. */
  const call = async (request: RelayRequest): Promise<RelayResponse> => {
    const inside = below(bootstrapPath, request);
    const [relayHere, asked] = inside ? [relayInBootstrap, inside] : [relay, request];
    if (asked.method === 'POST') return submit(relayHere, asked);
    const [part, age] = /(?:^|&)playground-age=(\d{1,10})\b/.exec(asked.query) ?? [];
    if (part === undefined) return relayHere.handle(asked);
    const past = {
      settings: relay.settings,
      effects: { ...effects, now: () => effects.now() - Number(age) },
      config: inside ? inBootstrap(config) : config,
    };
    return relayWith(past).handle({ ...asked, query: asked.query.replace(part, '') });
  };

  /** With the inbox or, for a page that has it, without. */
  const show = ({ query, headers }: RelayRequest, isWhole: boolean): RelayResponse => {
    const wanted = parseQuery(query) ?? new Map<string, string[]>();
    const forms = config.current?.forms;
    const named = forms?.get(wanted.get('form')?.[0] ?? '') ?? forms?.values().next().value;
    const form = named && inLanguage(named, wanted);
    const page = renderPlayground({
      config,
      form,
      languages: [...(named?.variants.values() ?? [])],
      look: lookIn(wanted),
      shape: form ? shapeOf(form) : '',
      scenes: form && scenesOf(form, sampleValues(form, effects.now())),
      notes: form ? notes(form, settings, effects) : [],
      switches,
      isDelivering,
      origin: `http://${headers.host}`,
      command: options.command,
      run,
      inbox: isWhole ? inbox : undefined,
    });
    return answer('text/html', page, { 'content-security-policy': pagePolicy });
  };

  const change = async (request: RelayRequest): Promise<RelayResponse> => {
    const { path, body = new Uint8Array(), query } = request;
    if (path === '/playground/fault') {
      const values = parseUrlencoded(body) ?? new Map<string, string[]>();
      const [form = '', output = '', fault = ''] = ['form', 'output', 'fault'].map(
        (name) => values.get(name)?.[0],
      );
      switches.set(form, Number(output), fault);
      tell({ type: 'changed', data: '' });
    } else if (path === '/playground/clear') {
      inbox.clear();
      tell({ type: 'cleared', data: '' });
    } else return path.startsWith(configPath) ? edit(request) : nothing(404);
    return { status: 204, headers: {}, body: '' };

    /** A draft, or the file itself: for the playground's own page alone. */
    async function edit({ path }: RelayRequest): Promise<RelayResponse> {
      if (!isOwnPage(request)) return answer('text/plain', 'only the playground itself may do this', {}, 403);
      let trouble: string | undefined;
      if (path === `${configPath}/draft`) {
        if (body.length > maxBodyBytes || !isUtf8(body)) return nothing(413);
        await config.draft(Buffer.from(body).toString('utf8'));
      } else if (path === `${configPath}/revert`) {
        await config.revert();
      } else if (path === `${configPath}/save`) {
        const saved = await config.save(query === 'anyway');
        trouble = saved.ok ? undefined : saved.error;
      } else return nothing(404);
      tell({ type: 'changed', data: '' });
      return answer('application/json', JSON.stringify(editorState(config, trouble)));
    }
  };

  const file = async ({ path, query }: RelayRequest): Promise<RelayResponse> => {
    const [, mode, theme = '', formId = ''] =
      /^\/playground\/(element|htmx[24])\/(\w+)\/([^/]+)$/.exec(path) ?? [];
    if (mode !== undefined) {
      const form = Object.hasOwn(themes, theme) ? formOf(decodeSegment(formId) ?? '') : undefined;
      return form ? framed(hostPage(form, mode as HostMode, theme as Theme, query)) : nothing(404);
    }
    const [, name = ''] = /^\/playground\/(?:theme\/)?([\w.]+)$/.exec(path) ?? [];
    const asset = assets.find((one) => one === name);
    if (asset) {
      const text = await options.asset(asset).catch(() => undefined);
      const type = asset.endsWith('.js') ? 'text/javascript' : 'text/css';
      return text === undefined
        ? answer('text/plain', `${name} is missing beside the program`, {}, 500)
        : answer(type, `${text}${beside[asset] ?? ''}`);
    }
    switch (name) {
      case 'elsewhere':
        return framed(elsewhere(parseQuery(query)?.get('to')?.[0] ?? ''));
      case 'config':
        return answer('application/json', JSON.stringify(editorState(config)));
      case 'style.css':
        return answer('text/css', style);
      case 'own.css':
        return answer('text/css', ownTheme);
      case 'client.js':
        return answer('text/javascript', clientCode);
      case 'captcha.js':
        return answer('text/javascript', captchaScriptCode);
      default:
        return nothing(404);
    }
  };

  const handle: Handle = async (request) => {
    const { method, path } = request;
    const refusal = refusalOf(request);
    if (refusal !== undefined) return answer('text/plain', refusal, {}, 403);
    if (/^(\/playground\/bootstrap)?\/api\//.test(path) || path === '/healthz' || path === '/readyz') {
      return call(request);
    }
    if (method === 'POST') return change(request);
    if (method !== 'GET' && method !== 'HEAD') return nothing(405);
    if (path === '/' || path === '/playground/now') return show(request, path === '/');
    return file(request);
  };

  return {
    handle,
    listen: (after, send) => {
      send({ type: 'hello', data: { run, oldest: inbox.oldest } });
      for (const entry of [...inbox.entries].reverse()) {
        if (entry.number > after) send(storyEvent(entry));
      }
      listeners.add(send);
      return () => listeners.delete(send);
    },
    reload: async () => {
      await config.reload();
      tell({ type: 'changed', data: '' });
    },
    formCount: () => config.current?.forms.size,
  };
}

const storyEvent = (entry: Entry): PlaygroundEvent => {
  const { form, says } = entry.story;
  const { word, tone } = endingOf(entry.story);
  return {
    type: 'story',
    id: entry.number,
    data: {
      html: String(storyView(entry)),
      says: `${form}: ${word}, ${says}`,
      word,
      tone,
      outcome: entry.story.outcome,
      got: ownerGot(entry.story),
    },
  };
};

/** A script is told where the visitor goes next: to a page that stands for it. */
function stayingHere(answer: RelayResponse, origin: string): RelayResponse {
  if (answer.status !== 200 || !answer.headers['content-type']?.includes('json')) return answer;
  const { redirect, ...others } = JSON.parse(answer.body);
  if (redirect === undefined) return answer;
  const here = `${origin}/playground/elsewhere?${new URLSearchParams({ to: redirect })}`;
  return { ...answer, body: JSON.stringify({ ...others, redirect: here }) };
}

/** Changes with whatever a visitor sees of the form. */
function shapeOf(form: Form): string {
  const view = {
    base: '',
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    token: undefined,
    medium: 'plain',
  } as const;
  const hash = createHash('sha256');
  for (const one of [form, ...form.variants.values()]) hash.update(String(renderForm(one, view)));
  return hash.digest('base64url');
}

/** No script, style, picture or font but the playground's own, and nobody frames it. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const answer = (
  type: string,
  body: Html | string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): RelayResponse => ({
  status,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...headers,
  },
  body: String(body),
});

const framed = ({ markup, policy }: Framed) =>
  answer('text/html', markup, { 'content-security-policy': policy });

const says = { 404: 'there is no such page', 405: 'use GET or POST', 413: 'no text, or over 64 KB' } as const;
const nothing = (status: keyof typeof says) => answer('text/plain', says[status], {}, status);
