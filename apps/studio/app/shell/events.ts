/** The stream of events: reports, and that something has changed. */
import type { PublishState, ReportState } from '../../src/state.ts';
import { published } from '../publish/publish.tsx';
import { busy, isLost, knownBefore, reports, say, state } from '../store.ts';
import { me, refresh } from './drafts.ts';

/** As many as the server keeps. */
const mostReports = 100;

let run: string | undefined;
let last = 0;
/** The config may have changed unheard. */
let isStale = true;
let events: EventSource | undefined;
let retrying: ReturnType<typeof setTimeout> | undefined;
/** Between connections that are refused. */
const retryMs = 500;

function take(report: ReportState): void {
  last = Math.max(last, report.number);
  reports.value = [report, ...reports.value]
    .toSorted((one, other) => other.number - one.number)
    .slice(0, mostReports);
}

function connect(): void {
  const source = new EventSource(`/studio/events?after=${last}`);
  events = source;
  const on = (type: string, then: (data: never) => void) =>
    source.addEventListener(type, ({ data }) => then(JSON.parse(data) as never));
  on('hello', (now: { run: string; oldest: number; latest: number }) => {
    run ??= state.value?.run ?? now.run;
    // The server restarted: its inbox is empty, and this page's script may be an older version.
    if (now.run !== run) {
      location.reload();
      return;
    }
    if (isStale) void refresh();
    isStale = false;
    isLost.value = false;
    knownBefore.value ??= now.latest;
    busy.value = 0;
    reports.value = reports.value.filter(({ number }) => number >= now.oldest);
  });
  on('report', take);
  on('busy', (count: number) => {
    busy.value = count;
  });
  on('changed', (by: string) => {
    if (by !== me) void refresh();
  });
  on('served', (now: PublishState) => {
    published.value = now;
  });
  on('cleared', () => {
    reports.value = [];
  });
  source.addEventListener('error', () => {
    if (!isLost.value) say(stopped);
    isStale = true;
    isLost.value = true;
    // A studio that was started again has another key, which its address brings into any tab of this browser.
    if (source.readyState === EventSource.CLOSED) retrying = setTimeout(connect, retryMs);
  });
}

export const stopped =
  'The studio has stopped. Once it is running again, open the address that it prints. This page continues, too, with your unsaved changes.';

/** Listens while the page is in view: browsers open no more than six connections to a server, for all tabs together. */
export function follow(): void {
  void refresh();
  isStale = false;
  if (!document.hidden) connect();
  document.addEventListener('visibilitychange', () => {
    events?.close();
    clearTimeout(retrying);
    isStale = true;
    if (!document.hidden) connect();
  });
}
