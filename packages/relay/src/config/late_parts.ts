/** The parts that load when a config names them. */
import { late } from '../base/late.ts';
import { bounceParts } from '../features/bounces/bounces.ts';
import { captchaParts } from '../features/captcha/captcha.ts';
import { doubtParts } from '../features/doubt/doubt.ts';
import { tokenParts } from '../features/form_token/form_token.ts';
import { guardParts } from '../features/guard.ts';
import { keepParts } from '../features/keep/keep.ts';
import { keepDroppedParts } from '../features/keep_dropped/keep_dropped.ts';
import { keysParts } from '../features/keys/keys.ts';
import { linkParts } from '../features/links/links.ts';
import { pageParts } from '../features/page.ts';
import { placesParts } from '../features/places/places.ts';
import { rememberParts } from '../features/remember/remember.ts';
import { momentParts } from '../features/schedule/schedule.ts';
import { statsParts } from '../features/stats/stats.ts';
import { visitorMailParts } from '../features/visitor_mails/mail_parts.ts';
import { resumeParts } from '../features/visitor_mails/resume.ts';
import { lateFieldTypes } from '../fields/index.ts';
import { latePhone } from '../fields/phone_keys.ts';
import { latePattern } from '../fields/text_like.ts';
import { lateClosed, lateTimeZone } from '../fields/times/late.ts';
import { lateExpect, lateOAuth2 } from '../outputs/http_outputs.ts';
import { lateOutputTypes } from '../outputs/index.ts';
import { lateDkim } from '../outputs/mail_outputs.ts';
import { lateHtml } from '../outputs/mail_text.ts';
import { lateMessages } from './language_keys.ts';
import { inboxParts, journalParts } from './schema.ts';

export const alertParts = late(() => import('./alerts_form.ts'), 'alerts');

const parts = [
  ...lateFieldTypes,
  latePattern,
  latePhone,
  lateClosed,
  lateTimeZone,
  ...lateOutputTypes,
  lateHtml,
  lateOAuth2,
  lateExpect,
  lateDkim,
  bounceParts,
  captchaParts,
  tokenParts,
  guardParts,
  pageParts,
  momentParts,
  placesParts,
  statsParts,
  rememberParts,
  linkParts,
  visitorMailParts,
  resumeParts,
  keepParts,
  keepDroppedParts,
  keysParts,
  alertParts,
  inboxParts,
  journalParts,
  doubtParts,
  lateMessages,
];

/** Loads the parts whose names a config's text may contain. */
export async function loadNamedIn(text: string): Promise<void> {
  // An escape can spell a name in other letters, or on two lines.
  const isEscaped = /\\[uUx\r\n]/.test(text);
  const named = parts.filter((part) => part.names.some((name) => isEscaped || text.includes(name)));
  await Promise.all(named.map((part) => part.load()));
}

/** Loads all of them, for those who tell about them. */
export async function loadAllParts(): Promise<void> {
  await Promise.all(parts.map((part) => part.load()));
}
