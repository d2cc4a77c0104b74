export { captcha } from '../src/features/captcha/captcha.ts';
export { captchaProviders } from '../src/features/captcha/index.ts';
export { type Captcha, errorCodes, readVerdict, refusesSecret } from '../src/features/captcha/provider.ts';
export { doubt } from '../src/features/doubt/doubt.ts';
export { noticedIn } from '../src/features/doubt/doubt_keys.ts';
export { enoughPeople, learnedKey } from '../src/features/doubt/signals/learned.ts';
export type { Signal } from '../src/features/doubt/signals/signal.ts';
export { freeTexts } from '../src/features/doubt/signals/typed.ts';
export { issueToken } from '../src/features/form_token/token.ts';
export { honeypot } from '../src/features/honeypot.ts';
export { templatesOfFeatures } from '../src/features/index.ts';
export { keep } from '../src/features/keep/keep.ts';
export { keys, storedFor } from '../src/features/keys/keys.ts';
export { linkError } from '../src/features/links/link_error.ts';
export { links } from '../src/features/links/links.ts';
export { sealLink } from '../src/features/links/sealed_link.ts';
export { countedFor, singleUse } from '../src/features/links/single_use.ts';
export { type MinFill, minFill } from '../src/features/min_fill.ts';
export { origins } from '../src/features/origins.ts';
export { page } from '../src/features/page.ts';
export { keysFolder } from '../src/features/places/claims.ts';
export { places } from '../src/features/places/places.ts';
export { hardness, solutionFor } from '../src/features/proof/challenge.ts';
export { proof } from '../src/features/proof/proof.ts';
export { rateLimit } from '../src/features/rate_limit.ts';
export {
  contentHash,
  fileHash,
  type PublicJwk,
  publicKeys,
  readReceipt,
} from '../src/features/receipt/code.ts';
export { receipt } from '../src/features/receipt/receipt.ts';
export { scan } from '../src/features/scan.ts';
export { schedule } from '../src/features/schedule/schedule.ts';
export { doubleOptIn } from '../src/features/visitor_mails/double_opt_in.ts';
export { everyOutput, visitorMailsOf } from '../src/features/visitor_mails/form_mails.ts';
export { mostLinkCharacters } from '../src/features/visitor_mails/link_room.ts';
export { isInWords } from '../src/features/visitor_mails/problems.ts';
export { resume } from '../src/features/visitor_mails/resume.ts';
export { carrierOf, type VisitorMail } from '../src/features/visitor_mails/visitor_mail.ts';
export { type Field, labelOf, type Parts, visibleFields } from '../src/fields/field.ts';
export { acceptEntries } from '../src/fields/files/accept.ts';
export { cleanName, distinctName } from '../src/fields/files/clean_name.ts';
export { fieldTypeNames, fieldTypes } from '../src/fields/index.ts';
export { isNeverFilledIn } from '../src/fields/kept.ts';
export { meantBy } from '../src/fields/meaning.ts';
export { fromJson, structureIn } from '../src/fields/stored_value.ts';
