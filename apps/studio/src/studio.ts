import { stackOf } from '@form-relay/base/client_error';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { RelayRequest, RelayResponse, Services } from '@form-relay/core/index';
import type { Environment } from '@form-relay/core/settings';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { answer, nothing, page, pagePolicy } from './answers.ts';
import { bodyLimitOf, configPath, editConfig } from './config_editing.ts';
import { data } from './data.ts';
import { type Asset, serveFile } from './files.ts';
import { localeIn } from './framed_page.ts';
import { Inbox, reportEvent, type StudioEvent } from './inbox.ts';
import type { ConfigFile } from './live_config.ts';
import { createLiveRelay } from './live_relay.ts';
import { mailPath, serveMail } from './mails.ts';
import type { StudioState } from './state.ts';
import { stateOf } from './state_of.ts';
import { isForVisitors, withNotice } from './studio_server.ts';

export interface StudioOptions {
  /** Default: `process.env`. */
  readonly env?: Environment;
  /** In place of this process's own: a clock, a log. */
  readonly services?: Partial<Services>;
  readonly file: ConfigFile;
  /** Reads a file that pages load: htmx, stylesheets, the page's own script. */
  readonly asset: (name: Asset) => Promise<string>;
  /** `true`: outputs deliver for real, too. */
  readonly isDelivering?: boolean;
}

export interface Studio {
  /** Answers everything but the stream of events. Never rejects. */
  readonly handle: RelayHandle;
  /** Sends the events since report number `after`, and each new one; until the function returned is called. */
  readonly listen: (after: number, send: (event: StudioEvent) => void) => () => void;
  /** Loads the config again, and shows it. */
  readonly reload: () => Promise<void>;
  /** How many forms there are; `undefined` while the config never loaded. */
  readonly formCount: () => number | undefined;
}

/** The relay with a page around it that shows all that it does. */
export function createStudio(options: StudioOptions): Studio {
  const { env, isDelivering = false } = options;
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
    ...(env && { env }),
    ...(options.services && { services: options.services }),
    file: options.file,
    isDelivering,
    onReport: (report) => tell(reportEvent(inbox.add(report, services.now()))),
    onBusy: (count) => tell({ type: 'busy', data: count }),
  });
  /** Changes with each start, so that a page notices one. */
  const run = services.uuid();
  const files = { asset: options.asset, formOf: (id: string) => config.current?.forms.get(id) };

  /** As the page with this address shows it. */
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
      now: services.now(),
      origin: `http://${headers.host}`,
      publicUrl: (env ?? process.env).PUBLIC_URL || undefined,
      run,
    });
  };

  const change = async (request: RelayRequest): Promise<RelayResponse> => {
    const { path } = request;
    if (path.startsWith(configPath)) {
      const edited = await editConfig(config, request, () => stateFor(request));
      // The page that did it has the state in its answer.
      if (edited.status === 200)
        tell({ type: 'changed', data: parseQuery(request.query)?.get('by')?.[0] ?? '' });
      return edited;
    }
    if (request.isTooLong) return answer('text/plain', 'this is too long', {}, 413);
    if (path === '/studio/start_over') {
      await startOver();
    } else if (path === '/studio/clear') {
      inbox.clear();
      tell({ type: 'cleared', data: '' });
    } else return nothing(404);
    return { status: 204, headers: {}, body: '' };
  };

  const route = async (request: RelayRequest): Promise<RelayResponse> => {
    const { method, path } = request;
    if (isForVisitors(path)) return call(request);
    if (method === 'POST') return change(request);
    if (method !== 'GET' && method !== 'HEAD') return nothing(405);
    if (path === '/') return answer('text/html', page, { 'content-security-policy': pagePolicy });
    if (path === '/studio/state') return answer('application/json', JSON.stringify(stateFor(request)));
    const makeJson = Object.hasOwn(data, path) ? data[path] : undefined;
    if (makeJson) return answer('application/json', await makeJson(config));
    if (path.startsWith(mailPath)) return serveMail(inbox.entries, path);
    return serveFile(files, request);
  };

  const handle = async (request: RelayRequest) => {
    try {
      return withNotice(await route(request), request, isDelivering);
    } catch (error) {
      services.log('error', 'internal_error', { stack: stackOf(error) });
      return answer('text/plain', 'the studio made a mistake; its log has more', {}, 500);
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
      for (const entry of inbox.entries.toReversed()) {
        if (entry.number > after) send(reportEvent(entry));
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
