/** Finds the warnings about a config that loads. */

import { isAbsolute } from 'node:path';
import type { Bounces } from '../base/bounces.ts';
import type { CountPlace } from '../base/counts.ts';
import type { JournalKey, JournalPlace } from '../base/journal_line.ts';
import type { Keep, KeepPlace } from '../base/kept.ts';
import { bounceParts } from '../features/bounces/bounces.ts';
import { asideWarnings, doubt, doubtParts } from '../features/doubt/doubt.ts';
import { mapOrNothing } from '../features/feature.ts';
import { keepWarnings } from '../features/keep/keep_warnings.ts';
import type { Form } from '../form.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import type { Alerts } from './alerts_form.ts';
import type { InboxSettings } from './inbox_keys.ts';
import { languageWarnings } from './language_warnings.ts';
import type { Languages } from './languages.ts';
import { alertParts } from './late_parts.ts';
import { locateIn } from './locate.ts';
import { storesOfCloudflare } from './platforms/cloudflare.ts';
import type { Problem } from './problem.ts';
import { inboxParts } from './schema.ts';
import { unreadSigns } from './unread_signs.ts';
import { warningsOf } from './warnings.ts';
import { readDocument } from './yaml/document.ts';

interface Loaded {
  readonly forms: ReadonlyMap<string, Form>;
  readonly keep: Keep | undefined;
  readonly alerts: Alerts | undefined;
  readonly inbox: InboxSettings | undefined;
  readonly journal: JournalKey | undefined;
  readonly countedIn: CountPlace | undefined;
  readonly bounces: Bounces | undefined;
}

/**
 * @param beside What its languages and lists told.
 * @param now Without it, no warning is about time.
 * @param namesProxies Whether TRUSTED_PROXIES is set.
 */
export function findWarnings(
  yaml: string,
  file: string,
  { forms, keep, alerts, inbox, journal, countedIn, bounces }: Loaded,
  beside: { readonly languages: Languages; readonly warnings: readonly Finding[] },
  now?: number,
  namesProxies = true,
): readonly Problem[] {
  const document = readDocument(yaml);
  if (!document.ok) return [];
  const { value } = document.value;
  const each = [...forms.values()];
  return locateIn(yaml, file, document.value, [
    ...each.flatMap((form) => warningsOf(form, now)),
    ...each.flatMap((form) => asideWarnings(form, doubt.of(form))),
    ...beside.warnings,
    ...keepWarnings(keep, each),
    ...((alerts && alertParts.value?.alertWarnings(alerts, each, bounces !== undefined)) ?? []),
    ...((bounces && bounceParts.value?.bounceWarnings(alerts !== undefined, each)) ?? []),
    ...((inbox && inboxParts.value?.inboxWarnings(inbox, forms, namesProxies)) ?? []),
    ...relativeFolder(['keep', 'in'], keep?.in),
    ...relativeFolder(['journal', 'in'], journal?.in),
    ...relativeFolder(['counted_in'], countedIn),
    ...storesOfCloudflare(mapOrNothing(value)).map((one) => ({ ...one, severity: 'warning' as const })),
    ...unreadSigns(document.value, yaml, alerts ? [...each, alerts.form] : each),
    ...languageWarnings(value, forms, beside.languages),
    ...(doubtParts.value?.signalWarnings(value) ?? []),
  ]);
}

const relativeFolder = (
  path: Path,
  place: KeepPlace | JournalPlace | CountPlace | undefined,
): readonly Finding[] =>
  place?.kind === 'folder' && !isAbsolute(place.path)
    ? [{ ...finding('folder_relative', path), severity: 'warning' }]
    : [];
