import { parseUrl } from '@form-relay/base/url';
import { widgets } from '@form-relay/spam/captcha/widget';
import { isWithin, nearest, type Page, type PageElement } from '../check/markup.ts';
import type { Control } from '../check/page_form.ts';
import { type Keys, type Remark, toDo } from './config_text.ts';

/** Names that services and form plugins give to their honeypot field. */
const names =
  /^(_gotcha|simple_spc|_honey|_?honeypot|botcheck|bot[-_]field|frm_verify|nf-field-hp|_kb_verify_email|email_address_check|aG9uZXlwb3Q=?|item__\w+__(fluent_(checkme_|sf)|hp)|[\w-]+(\[[\w-]+\])*\[_*(hp|honeypot)\])$/i;

/** Classes and ids that plugins give to elements that only bots fill in. */
const decoying =
  /honey-?_?pot|gform_validation_container|frm_verify|ff-hpsf|wpforms-field-hp|nf-field-hp|(^|[\s_])hp-(container|wrap)|mailpoet_hp|akismet-fields|kb-?verify-?email|bot-?field/i;

const honeyed =
  /honey|gotcha|bot[-_]?(field|check|trap)|(anti|no)[-_]?spam|spam[-_]?trap|(^|[\s_-])hp([\s_-]|$)/i;

const hiddenByStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|(left|top|right|bottom|text-indent|margin(-\w+)?)\s*:[^;]*-\d{3,}|transform\s*:[^;]*\d{3,}%|opacity\s*:\s*0(\.0+)?\s*(;|$|!)|clip(-path)?\s*:|(?<![\w-])(width|height)\s*:\s*0/i;

const hiddenByClass =
  /(^|\s)(is-|u-)?(hidden|hide|invisible|visually-?hidden|sr-?only|screen-reader-text|d-none)(\s|$)/i;

/** `named`: text or a name says to leave it empty. `hidden`: people neither see nor reach it. `perhaps`: a script may show it. */
export type Verdict = 'named' | 'hidden' | 'perhaps' | 'no';

/**
 * Tells which controls of a form are decoys. A hidden field is not necessarily one: pages also hide real
 * fields, and a submission that fills in a decoy is dropped.
 */
export function decoyFinder(form: PageElement, wordsAbout: (control: Control) => string) {
  const saysSo = (pattern: RegExp) =>
    nearest(({ attributes }) =>
      pattern.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`),
    );
  const [decoyAround, honeyAround] = [saysSo(decoying), saysSo(honeyed)];
  const hiddenAround = nearest(isHiddenItself);
  /** Elements around the whole form do not tell about a single control. */
  const isInForm = (found: PageElement | undefined) => found !== undefined && !isWithin(form, found);
  return (control: Control): Verdict => {
    const { name, kind, element } = control;
    if (name === '' || kind === 'submit' || kind === 'file') return 'no';
    const named = ['netlify-honeypot', 'data-netlify-honeypot'].some(
      (attribute) => form.attributes.get(attribute) === name,
    );
    if (named || names.test(name)) return 'named';
    if (kind === 'hidden' || kind === 'radio' || element.attributes.has('required')) return 'no';
    // A box that is drawn by CSS is itself hidden.
    const hiding = kind === 'checkbox' ? element.parent : element;
    const isHidden = isInForm(hiding && hiddenAround(hiding));
    const words = wordsAbout(control);
    const saysEmpty = words !== '' && asksToStayEmpty(words);
    const isHoney = saysEmpty || honeyed.test(name) || isInForm(honeyAround(element));
    const isSkipped = element.attributes.get('tabindex')?.trim().startsWith('-') ?? false;
    const isKnown = saysEmpty || isInForm(decoyAround(element)) || (isHoney && (isHidden || isSkipped));
    if (isKnown) return 'named';
    if (isHidden && isSkipped) return 'hidden';
    return isHidden ? 'perhaps' : 'no';
  };
}

/** Whether the element itself is hidden from people, whatever surrounds it. */
export const isHiddenItself = ({ attributes }: PageElement): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hiddenByStyle.test(attributes.get('style') ?? '') ||
  hiddenByClass.test(attributes.get('class') ?? '');

/** Requests to leave a decoy empty, as pages write them: one line per language. */
const requests = [
  /(leave|keep)\b.{0,40}\b(empty|blank|alone|unchanged|untouched)|should be (left )?(empty|blank|unchanged)|(do not|don.?t) (fill|complete|touch|change)( (this|it|in|out|anything|here|the|field|box))*\s*([.!:),;]|if\b|$)|for validation purposes|if you.?(a|')?re (a )?(human|a bot|a robot|a person)|if you (can )?see this/,
  /(nicht|leer|frei|unverändert)\b.{0,12}\b(ausfüllen|lassen|bleiben|ausgefüllt)|freilassen|zur validierung|nicht verändert werden/,
  /laisse[rz]?\b.{0,25}\b(vide|inchangé|blanc)|ne (pas )?rempli(r|ssez)|ne rien (saisir|écrire|mettre)|(rester|resté|laissé)\b.{0,6}(vide|inchangé)|fins de validation/,
  /(dej[ae]r?|mantener|permanecer|quedar)\b.{0,25}(vac[ií]o|en blanco|sin cambios)|no\b.{0,6}\b(rellen|complet|llen)|campo de validación/,
  /laat\b.{0,25}\bleeg|leeg (te )?(laten|blijven)|niet invullen|vul dit\b.{0,12}\bniet in|validatiedoeleinden/,
  /lascia\w*\b.{0,25}\b(vuot|in bianco|inalterat)|non (compilare|riempire)|serve per la convalida/,
  /(deix|mant)\w*\b.{0,25}\b(em branco|vazio|inalterad)|não (preench|alter)|fins de validação/,
  /(pozostaw|zostaw)\b.{0,25}\bpuste|nie (wypełnia|zmienia)/,
  /nech(te|ejte)\b.{0,25}prázdn|nevyplňujte|nechajte\b.{0,25}prázdn|nevypĺňajte/,
  /lämna\b.{0,25}\btom|fyll inte i|lad\b.{0,25}\b(tomt|være)|udfyld ikke|(la|la dette)\b.{0,25}\btomt|ikke fyll/,
  /jätä\b.{0,25}tyhjäksi|älä täytä|hagyja?\b.{0,25}üres|ne töltse|(l[aă]s)\w*\b.{0,25}\b(gol|necompletat)|nu completa/,
  /boş bırak|doldurmay|оставьте.{0,25}пуст|не заполня|залиште.{0,25}порожн|не заповн|αφήστε.{0,25}κεν|μην συμπληρ/,
  /空白のまま|空欄のまま|空のまま|何も入力しない|留空|保持空白|(请勿|請勿)填[写寫](此|本|$)|비워 ?[두주]|아무것도 입력하지|فارغ|لا تملأ|השאר.{0,15}ריק|אל תמלא/,
];

/** "Leave blank if you have none" addresses people, unless the condition is that they are people. */
const condition =
  /\b(if|unless|when|until|where|falls|wenn|sofern|soweit|si|sauf|se|caso|als|indien|tenzij|jeśli|jeżeli|pokud|om|hvis|jos|ha|dacă|eğer)\b|\bto (use|keep|receive|get|remain|stay|skip)\b|\bfor (no|none|all|any|default|unlimited|the)\b|если|якщо|場合|如果|없으면/;
const human =
  /human|person\b|robot|\bbots?\b|spam|mensch|humain|humano|umano|\bmens\b|człowiek|människa|see this/;

function asksToStayEmpty(words: string): boolean {
  const sentences = words.toLowerCase().split(/\n|(?<=[.!?。])\s/);
  return sentences.some(
    (text) => requests.some((request) => request.test(text)) && (!condition.test(text) || human.test(text)),
  );
}

export interface FoundCaptcha {
  readonly keys: Keys;
  /** Without the owner's own site key it would reject everyone, so it is commented out. */
  readonly isComplete: boolean;
  readonly remark: Remark;
}

const secrets: Readonly<Record<string, string>> = {
  recaptcha_v2: 'RECAPTCHA_SECRET',
  recaptcha_v3: 'RECAPTCHA_SECRET',
  hcaptcha: 'HCAPTCHA_SECRET',
  turnstile: 'TURNSTILE_SECRET',
};

/** The captcha of a form: its widget, or reCAPTCHA's script for scores. */
export function captchaOf(own: readonly PageElement[], { elements }: Page, form: PageElement) {
  for (const element of own) {
    const classes = element.attributes.get('class')?.split(/\s+/) ?? [];
    const found = Object.entries(widgets).find(
      ([, widget]) => widget.kind === 'box' && classes.includes(widget.className),
    );
    if (!found) continue;
    const [called, widget] = found;
    // On a button, an action means that reCAPTCHA scores the visitor.
    const isScored = called === 'recaptcha_v2' && element.attributes.has('data-action');
    const provider = isScored ? 'recaptcha_v3' : called;
    const canRename = widget.kind === 'box' && widget.renames;
    const field = canRename ? element.attributes.get('data-response-field-name') : undefined;
    return captcha(provider, element.attributes.get('data-sitekey'), field);
  }
  const isNetlifys = [form, ...own].some(({ attributes }) => attributes.has('data-netlify-recaptcha'));
  if (isNetlifys) return captcha('recaptcha_v2', undefined);
  const scoring = elements.map(scoredBy).find((key) => key !== undefined);
  return scoring === undefined ? undefined : captcha('recaptcha_v3', scoring);
}

function captcha(provider: string, siteKey: string | undefined, field?: string): FoundCaptcha {
  const variable = secrets[provider] ?? 'CAPTCHA_SECRET';
  const isComplete = siteKey !== undefined && siteKey.trim() !== '';
  const keys = {
    provider,
    site_key: isComplete ? siteKey.trim() : 'your-site-key',
    secret: `{{ env "${variable}" }}`,
    field: field === '' ? undefined : field,
  };
  const text = isComplete
    ? `set the environment variable ${variable} to the captcha's secret; without it, every submission is rejected`
    : "the captcha's key belongs to the previous service: get your own key, and remove the # before captcha";
  return { keys, isComplete, remark: toDo(text) };
}

function scoredBy({ tag, attributes }: PageElement): string | undefined {
  if (tag !== 'script') return undefined;
  const url = parseUrl(attributes.get('src') ?? '', 'https://page.invalid/');
  if (!url?.pathname.endsWith('/recaptcha/api.js')) return undefined;
  const key = url.searchParams.get('render') ?? 'explicit';
  return key === 'explicit' || key === 'onload' ? undefined : key;
}
