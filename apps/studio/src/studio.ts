import { basename } from 'node:path';
import { stackOf } from '@form-relay/base/client_error';
import { html } from '@form-relay/base/html';
import { decodeSegment } from '@form-relay/base/url';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { Form, Html, Plugin, RelayRequest, RelayResponse, Services } from '@form-relay/core/index';
import type { Environment } from '@form-relay/core/settings';
import { formStyle } from '@form-relay/element/built/style';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { captchaScriptCode } from '../built/browser.ts';
import { answer, framed, json, nothing, page, pagePolicy } from './answers.ts';
import { bodyLimitOf, configPath, editConfig } from './config_editing.ts';
import { elsewhere, hostPage, localeIn } from './framed_page.ts';
import { Inbox, reportEvent, type StudioEvent } from './inbox.ts';
import type { ConfigFile, LiveConfig } from './live_config.ts';
import { createLiveRelay } from './live_relay.ts';
import { connectPath, createConnecting, type SaveSecrets } from './mail_connection.ts';
import { mailPath, serveMail } from './mails.ts';
import { createPublishing, type Publishing, publishPath } from './publish.ts';
import type { StudioState } from './state.ts';
import { stateOf } from './state_of.ts';
import { isForVisitors, withNotice } from './studio_server.ts';

export interface StudioOptions {
  /** Default: `process.env`. */
  readonly env?: Environment;
  /** Replaces services of this process, such as the clock or the log. */
  readonly services?: Partial<Services>;
  readonly file: ConfigFile;
  /** Reads a file for the pages: htmx, stylesheets, the page's own script. */
  readonly asset: (name: Asset) => Promise<string>;
  /** Whether outputs really deliver. */
  readonly isDelivering?: boolean;
  /** Stores the passwords entered in the page. */
  readonly saveSecrets?: SaveSecrets;
  /** Serves the file on this machine, and supplies what a server needs. */
  readonly publishing?: Publishing;
}

export interface Studio {
  /** Handles everything but the event stream. Never rejects. */
  readonly handle: RelayHandle;
  /** Sends the events after report `after`, then each new one, until the returned function is called. */
  readonly listen: (after: number, send: (event: StudioEvent) => void) => () => void;
  /** Loads the config again, and shows it. */
  readonly reload: () => Promise<void>;
  /** The number of forms; `undefined` until the config has loaded once. */
  readonly formCount: () => number | undefined;
}

/** The relay, and a page that shows everything it does. */
export function createStudio(options: StudioOptions): Studio {
  const { env = process.env, isDelivering = false } = options;
  const inbox = new Inbox();
  const listeners = new Set<(event: StudioEvent) => void>();
  const tell = (event: StudioEvent) => {
    for (const send of listeners) send(event);
  };
  const {
    handle: call,
    config,
    services,
    notesOf,
    startOver,
  } = createLiveRelay({
    env,
    ...(options.services && { services: options.services }),
    file: options.file,
    isDelivering,
    onReport: (report) => tell(reportEvent(inbox.add(report, services.now()))),
    onBusy: (count) => tell({ type: 'busy', data: count }),
  });
  const connect = createConnecting({
    config,
    file: options.file,
    env,
    services: options.services ?? {},
    now: services.now,
    saveSecrets: options.saveSecrets,
    startOver,
  });
  const published =
    options.publishing &&
    createPublishing({
      config,
      file: basename(options.file.name),
      publishing: options.publishing,
      changed: (data) => tell({ type: 'served', data }),
    });
  /** Changes with each start, so that a page notices a restart. */
  const run = services.uuid();
  const files = { asset: options.asset, formOf: (id: string) => config.current?.forms.get(id) };

  /** The state for a page with this URL. */
  const stateFor = ({ query, headers }: RelayRequest): StudioState => {
    const wanted = parseQuery(query) ?? new Map<string, string[]>();
    const forms = config.current?.forms;
    const form = forms?.get(wanted.get('form')?.[0] ?? '') ?? forms?.values().next().value;
    return stateOf({
      config,
      form,
      locale: form && localeIn(form, wanted),
      notes: form ? notesOf(form.id) : [],
      isDelivering,
      isSet: (name) => Boolean(env[name]),
      now: services.now(),
      origin: `http://${headers.host}`,
      publicUrl: env.PUBLIC_URL || undefined,
      run,
    });
  };

  /** The effects of sample values. */
  const consequences = async ({ query }: RelayRequest): Promise<RelayResponse> => {
    const wanted = parseQuery(query) ?? new Map<string, string[]>();
    const form = config.current?.forms.get(wanted.get('form')?.[0] ?? '');
    if (!form) return nothing(404);
    const { consequencesOf } = await import('@form-relay/dry-run/logic');
    const values = parseQuery(wanted.get('values')?.[0] ?? '') ?? new Map<string, string[]>();
    const found = consequencesOf(form, values, localeIn(form, wanted), services.now());
    return json(found);
  };

  const change = async (request: RelayRequest): Promise<RelayResponse> => {
    const { path } = request;
    if (path.startsWith(configPath)) {
      const edited = await editConfig(config, request, () => stateFor(request));
      // The page that made the change gets the state in its answer.
      if (edited.status === 200 && path !== `${configPath}check`)
        tell({ type: 'changed', data: parseQuery(request.query)?.get('by')?.[0] ?? '' });
      return edited;
    }
    if (request.isTooLong) return answer('text/plain', 'the request is too long', {}, 413);
    if (path.startsWith(connectPath)) return connect(request);
    if (path === '/studio/start_over') {
      await startOver();
    } else if (path === '/studio/clear') {
      inbox.entries = [];
      tell({ type: 'cleared', data: '' });
    } else return nothing(404);
    return { status: 204, headers: {}, body: '' };
  };

  const route = async (request: RelayRequest): Promise<RelayResponse> => {
    const { method, path } = request;
    if (isForVisitors(path)) return call(request);
    if (path === publishPath || path.startsWith(`${publishPath}/`))
      return (await published?.handle(request)) ?? nothing(404);
    if (method === 'POST') return change(request);
    if (method !== 'GET' && method !== 'HEAD') return nothing(405);
    if (path === '/') return answer('text/html', page, { 'content-security-policy': pagePolicy });
    if (path === '/studio/state') return json(stateFor(request));
    if (path === '/studio/consequences') return consequences(request);
    const makeJson = Object.hasOwn(data, path) ? data[path] : undefined;
    if (makeJson) return json(await makeJson(config));
    if (path.startsWith(mailPath)) return serveMail(inbox.entries, path);
    return serveFile(files, request);
  };

  const handle = async (request: RelayRequest) => {
    try {
      return withNotice(await route(request), request, isDelivering);
    } catch (error) {
      services.log('error', 'internal_error', { stack: stackOf(error) });
      return answer('text/plain', 'internal error in the studio; see its log', {}, 500);
    }
  };

  const admit: RelayHandle['admit'] = (head) => {
    const bodyLimit = bodyLimitOf(head);
    return bodyLimit === undefined ? call.admit(head) : { bodyLimit };
  };

  return {
    handle: Object.assign(handle, { admit, uploads: call.uploads }),
    listen: (after, send) => {
      send({ type: 'hello', data: { run, oldest: inbox.oldest, latest: inbox.latest } });
      if (published?.state().isRunning) send({ type: 'served', data: published.state() });
      for (const entry of inbox.entries.toReversed()) {
        if (entry.number > after) send(reportEvent(entry));
      }
      listeners.add(send);
      return () => listeners.delete(send);
    },
    reload: async () => {
      await config.reload();
      published?.fileChanged();
      tell({ type: 'changed', data: '' });
    },
    formCount: () => config.current?.forms.size,
  };
}

type MakeJson = (config: LiveConfig) => Promise<unknown>;

/** Plug-ins of the config that are not bundled with the relay. */
async function othersOf({ current }: LiveConfig): Promise<readonly Plugin[]> {
  return current ? (await import('@form-relay/runtimes/inspect')).othersIn(current) : [];
}

/** Keyed by the request's path. */
const data: Readonly<Record<string, MakeJson>> = {
  '/studio/schema.json': async (config) => {
    const { bundledRegistry } = await import('@form-relay/runtimes/inspect');
    const { configJsonSchema } = await import('@form-relay/config/registry');
    return configJsonSchema(await bundledRegistry(await othersOf(config)));
  },
  '/studio/palette.json': async (config) => (await import('./palette.ts')).palette(await othersOf(config)),
  '/studio/gallery.json': async () => (await import('./gallery.ts')).gallery,
  '/studio/templates.json': async ({ parse }) => (await import('./gallery.ts')).startingPoints(parse),
};

/** The page's own files (vite.config.ts). */
export type Asset = `app/${string}`;

/** The style of the page around the live form, outside the relay's own stylesheet. */
const ownTheme = html`${formStyle}
:root{color-scheme:light dark}
body{margin:0;padding:.875rem 1.25rem 1rem;color:#1b1b1f;background:#fff;font:.875rem/1.4 system-ui,sans-serif;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){body{color:#ececf1;background:#17171b}}
.form-relay{--form-relay-space:.875rem}
`;

const own: Readonly<Record<string, readonly [type: string, text: Html]>> = {
  'own.css': ['text/css', ownTheme],
  'captcha.js': ['text/javascript', captchaScriptCode],
};

interface Files {
  readonly asset: (name: Asset) => Promise<string>;
  readonly formOf: (id: string) => Form | undefined;
}

/** Serves files of the studio's page, and of the pages in its frame. */
async function serveFile({ asset, formOf }: Files, request: RelayRequest): Promise<RelayResponse> {
  const { path, query } = request;
  const [, formId] = /^\/studio\/element\/([^/]+)$/.exec(path) ?? [];
  if (formId !== undefined) {
    const form = formOf(decodeSegment(formId) ?? '');
    return form ? framed(hostPage(form, query)) : nothing(404);
  }
  const [, name = ''] = /^\/studio\/(?:theme\/)?((?:app\/)?[\w-]+\.\w+|elsewhere)$/.exec(path) ?? [];
  if (name === 'elsewhere') return framed(elsewhere(parseQuery(query)?.get('to')?.[0] ?? ''));
  const [type, text] = (Object.hasOwn(own, name) && own[name]) || [];
  if (type && text) return answer(type, text);
  const content = name.startsWith('app/') ? await asset(name as Asset).catch(() => undefined) : undefined;
  if (content === undefined) return nothing(404);
  return answer(name.endsWith('.js') ? 'text/javascript' : 'text/css', content);
}
