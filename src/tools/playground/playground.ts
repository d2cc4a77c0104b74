import { createHash } from 'node:crypto';
import { parseQuery, parseUrlencoded } from '../../bodies/urlencoded.ts';
import type { ParseResult } from '../../config/parse.ts';
import type { Effects } from '../../effects.ts';
import type { Form } from '../../form.ts';
import type { Html } from '../../html.ts';
import type { RelayRequest, RelayResponse } from '../../http.ts';
import type { Settings } from '../../settings.ts';
import type { Handle } from '../../street/app.ts';
import { decodeSegment } from '../../url.ts';
import { renderForm } from '../../views/form_view.ts';
import { createDryRun } from '../dry_run/dry_run.ts';
import { notes } from '../dry_run/notes.ts';
import { captchaScriptCode, clientCode } from './browser_code.ts';
import { type Mode, modes } from './forms_view.ts';
import { elsewhere, type Framed, hostPage } from './framed_page.ts';
import { refusalOf } from './guard.ts';
import { type Entry, Inbox } from './inbox.ts';
import { createLiveConfig } from './live_config.ts';
import { renderPlayground } from './playground_page.ts';
import { style } from './playground_style.ts';
import { sampleValues } from './samples.ts';
import { endingOf, storyView } from './story_view.ts';
import { Switches } from './switches.ts';

export interface PlaygroundOptions {
  readonly settings: Settings;
  readonly effects: Effects;
  /** The config's name, for people. */
  readonly name: string;
  readonly load: () => Promise<ParseResult>;
  /** What calls the relay with this config in a shell, such as `relay --config site/webform.yaml`. */
  readonly command: string;
  /** The source of htmx. */
  readonly htmx: (version: 'htmx2' | 'htmx4') => Promise<string>;
  /** `true`: outputs deliver for real, too. */
  readonly isDelivering?: boolean;
}

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
  const config = createLiveConfig(options.name, options.load);
  const inbox = new Inbox();
  const listeners = new Set<(event: PlaygroundEvent) => void>();
  const tell = (event: PlaygroundEvent) => {
    for (const send of listeners) send(event);
  };
  const formOf = (id: string) => config.current?.forms.get(id);

  const dryRun = createDryRun({
    settings,
    config,
    effects,
    onStory: (story) => tell(storyEvent(inbox.add(story, effects.now()))),
    faultOf: (id, index): string | undefined => switches.of(formOf(id), index),
    isDelivering,
    captchaScript: '/playground/captcha.js',
  });
  const switches = new Switches(dryRun.faultsOf);

  let underWay = 0;
  const submit = async (request: RelayRequest): Promise<RelayResponse> => {
    underWay += 1;
    tell({ type: 'busy', data: underWay });
    const answer = await dryRun.handle(request);
    underWay -= 1;
    tell({ type: 'busy', data: underWay });
    // Nothing leaves this machine, and no browser either.
    return answer.status === 303 ? framed(elsewhere(answer.headers.location ?? '')) : answer;
  };

  /** With the inbox or, for a page that has it, without. */
  const show = ({ query, headers }: RelayRequest, isWhole: boolean): RelayResponse => {
    const wanted = parseQuery(query) ?? new Map<string, string[]>();
    const forms = config.current?.forms;
    const form = forms?.get(wanted.get('form')?.[0] ?? '') ?? forms?.values().next().value;
    const mode = wanted.get('mode')?.[0] ?? '';
    const page = renderPlayground({
      config,
      form,
      mode: Object.hasOwn(modes, mode) ? (mode as Mode) : 'htmx4',
      look: form ? lookOf(form) : '',
      samples: form ? sampleValues(form, effects.now()) : [],
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

  const change = ({ path, body }: RelayRequest): RelayResponse => {
    const values = parseUrlencoded(body ?? new Uint8Array()) ?? new Map<string, string[]>();
    const [form = '', output = '', fault = ''] = ['form', 'output', 'fault'].map(
      (name) => values.get(name)?.[0],
    );
    if (path === '/playground/fault') {
      switches.set(form, Number(output), fault);
      tell({ type: 'changed', data: '' });
    } else if (path === '/playground/clear') {
      inbox.clear();
      tell({ type: 'cleared', data: '' });
    } else return nothing(404);
    return { status: 204, headers: {}, body: '' };
  };

  const file = async ({ path, query }: RelayRequest): Promise<RelayResponse> => {
    const [, name = '', formId = ''] = /^\/playground\/([\w.]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (formId !== '' && (name === 'htmx2' || name === 'htmx4')) {
      const form = formOf(decodeSegment(formId) ?? '');
      return form ? framed(hostPage(form, name, query)) : nothing(404);
    }
    switch (name) {
      case 'style.css':
        return answer('text/css', style);
      case 'client.js':
        return answer('text/javascript', clientCode);
      case 'captcha.js':
        return answer('text/javascript', captchaScriptCode);
      case 'htmx2.js':
      case 'htmx4.js': {
        const text = await options.htmx(name.slice(0, -3) as 'htmx2' | 'htmx4').catch(() => undefined);
        return text === undefined
          ? answer('text/plain', `${name} is missing beside the program`, {}, 500)
          : answer('text/javascript', text);
      }
      default:
        return nothing(404);
    }
  };

  const handle: Handle = async (request) => {
    const { method, path } = request;
    const refusal = refusalOf(request);
    if (refusal !== undefined) return answer('text/plain', refusal, {}, 403);
    if (path.startsWith('/api/') || path === '/healthz' || path === '/readyz') {
      return method === 'POST' ? submit(request) : dryRun.handle(request);
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
    data: { html: String(storyView(entry)), says: `${form}: ${word}, ${says}`, word, tone },
  };
};

/** Changes with whatever a visitor sees of the form. */
function lookOf(form: Form): string {
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

const nothing = (status: 404 | 405) =>
  answer('text/plain', status === 404 ? 'there is no such page' : 'use GET or POST', {}, status);
