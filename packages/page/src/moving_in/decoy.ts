import type { Control } from '../check/form_controls.ts';
import { ancestry, type PageElement } from '../check/markup.ts';

/** Names that services and form plugins give to the field that people leave empty. */
const names =
  /^(_gotcha|_honey|_?honeypot|botcheck|bot[-_]field|frm_verify|nf-field-hp|_kb_verify_email|email_address_check|aG9uZXlwb3Q=?|item__\w+__(fluent_(checkme_|sf)|hp)|[\w-]+(\[[\w-]+\])*\[_*(hp|honeypot)\])$/i;

/** Classes and ids of which plugins make sure that only bots fill in what has them. */
const decoying =
  /honey-?_?pot|gform_validation_container|frm_verify|ff-hpsf|wpforms-field-hp|nf-field-hp|(^|[\s_])hp-(container|wrap)|mailpoet_hp|akismet-fields|kb-?verify-?email|bot-?field/i;

const honeyed =
  /honey|gotcha|bot[-_]?(field|check|trap)|(anti|no)[-_]?spam|spam[-_]?trap|(^|[\s_-])hp([\s_-]|$)/i;

const hiddenByStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|(left|top|right|bottom|text-indent|margin(-\w+)?)\s*:[^;]*-\d{3,}|transform\s*:[^;]*\d{3,}%|opacity\s*:\s*0(\.0+)?\s*(;|$|!)|clip(-path)?\s*:|(?<![\w-])(width|height)\s*:\s*0/i;

const hiddenByClass =
  /(^|\s)(is-|u-)?(hidden|hide|invisible|visually-?hidden|sr-?only|screen-reader-text|d-none)(\s|$)/i;

/** `yes`: people neither see it nor are meant to fill it in. `perhaps`: people do not see it, and a script may show it. */
type Verdict = 'yes' | 'perhaps' | 'no';

/** To be hidden is not enough: pages hide real fields, too, and what is sent in a decoy is dropped. `words`: about the control. */
export function isDecoy({ name, kind, element }: Control, form: PageElement, words: string): Verdict {
  if (name === '' || kind === 'submit' || kind === 'file') return 'no';
  const named = ['netlify-honeypot', 'data-netlify-honeypot'].some(
    (attribute) => form.attributes.get(attribute) === name,
  );
  if (named || names.test(name)) return 'yes';
  // A box that a style draws is hidden itself.
  if (kind === 'hidden' || kind === 'radio' || element.attributes.has('required')) return 'no';
  const around = [...ancestry(element, form)];
  const called = (pattern: RegExp) =>
    around.some(({ attributes }) =>
      pattern.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`),
    );
  const hiding = kind === 'checkbox' ? around.slice(1) : around;
  const isHidden = hiding.some(isHiddenItself);
  const isAsked = asksToStayEmpty(words);
  const saysSo = isAsked || honeyed.test(name) || called(honeyed);
  const isSkipped = element.attributes.get('tabindex')?.startsWith('-') ?? false;
  if (isAsked || called(decoying) || (saysSo && (isHidden || isSkipped)) || (isHidden && isSkipped))
    return 'yes';
  return isHidden ? 'perhaps' : 'no';
}

const isHiding = (classes: string): boolean => hiddenByClass.test(classes);

/** Whether people do not see it, whatever is around it. */
export const isHiddenItself = ({ attributes }: PageElement): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hiddenByStyle.test(attributes.get('style') ?? '') ||
  isHiding(attributes.get('class') ?? '');

/** What pages write beside a decoy, so that people leave it alone: one line a language. */
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

/** "Leave blank if you have none" is meant for people, unless the condition is that they are people. */
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
