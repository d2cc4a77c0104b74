import { withoutLinks, wordsIn } from '../words.ts';
import { hostsOf } from './hosts.ts';
import { asks, speaksOfYoursAlone, typedIn, wordsOf } from './own_words.ts';
import { phrasesIn, phrasesOf, unlessComplained } from './phrases/index.ts';
import { type Seen, signal } from './signal.ts';

/** Customers and victims use these words, too: they are not enough by themselves. */
const mostOfHints = 0.45;

/** Somebody who tells what happened to them writes more. */
const mostWordsOfLure = 40;

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, sex, medicine without prescription, lists of addresses and threats, in fifteen languages. Three of them are all of it; one is two thirds, if little else is said and a link leads away; half, if victims, patients and heirs write so, too. Advertisements to consumers, by a call such as “order now”, a price and goods: four phrases of all three are three quarters.',
  weight: 6,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const phrases = phrasesOf(seen);
    const scams = (phrases.get('scam') ?? 0) + told(seen, sellsByThousands);
    const hints = phrases.get('hint') ?? 0;
    const lures = (phrases.get('lure') ?? 0) + told(seen, promisesMoney);
    const teases = (phrases.get('tease') ?? 0) + told(seen, namesCoins);
    // A lure is nothing without the hook.
    const isHooked = (scams + lures > 0 || (teases > 1 && speaksOfYoursAlone(seen))) && leadsAway(seen);
    const [sure, unsure] = isHooked ? [scams + lures + 1 + teases / 2, hints] : [scams, hints + lures / 2];
    const count = scams + hints + lures + (isHooked ? teases : 0);
    const scammed = Math.min(1, sure / 3 + Math.min(mostOfHints, unsure / 3));
    const advertised = advertises(seen);
    const strength = Math.max(scammed, advertised) * unlessComplained(seen);
    if (strength === 0) return undefined;
    const why =
      advertised > scammed
        ? 'words of an advertisement'
        : `${count} ${count === 1 ? 'phrase' : 'phrases'} of scams`;
    return { strength, why };
  },
});

/** `@name` of a messenger, or a number to write to. */
const handle =
  /(?:^|\s)@[a-z]\w{4,}|\b(?:t|wa)\.me\/|\b(?:whats ?app|telegram|viber)\b[^\d\n]{0,20}\+?\d[\d ]{6}/i;

/** A few words and the way to somewhere else, without a question. */
const leadsAway = (seen: Seen): boolean =>
  wordsOf(seen).length <= mostWordsOfLure &&
  !asks(seen) &&
  (hostsOf(seen).all.size > 0 || typedIn(seen).some(({ text }) => handle.test(text)));

/** 1 if it is so of a text with a number in it. */
const told = (seen: Seen, isSo: (text: string) => boolean): number =>
  typedIn(seen).some(({ text }) => /\d|mill|млн/i.test(text) && isSo(text)) ? 1 : 0;

// Advertisements to consumers, as shops and money schemes write them: a call, a price and goods.

/** Newsletters, which people forward, are longer. */
const mostWords = 150;

/** How many different phrases it takes to be sure, of all three parts, or of a call and one other. A link is one more. */
const leastOfAll = 4;
const leastOfTwo = 6;

const unsure = 0.25;
const sure = 0.75;

/** How much a text is an advertisement. Without a call, or in words of a customer, it is none: customers name prices and goods. */
function advertises(seen: Seen): number {
  const phrases = phrasesOf(seen);
  if (!phrases.has('call') || phrases.has('customer') || wordsOf(seen).length > mostWords) return 0;
  const calls = callsIn(seen);
  if (calls === 0) return 0;
  const says = (isSo: (text: string) => boolean) => typedIn(seen).some(({ text }) => isSo(text));
  const prices = (phrases.get('deal') ?? 0) + (says(cutsPrices) ? 1 : 0);
  const goods = (phrases.get('ware') ?? phrases.get('lure') ?? 0) + (says(promisesMoney) ? 1 : 0);
  if (prices + goods === 0) return 0;
  const least = prices > 0 && goods > 0 ? leastOfAll : leastOfTwo;
  const links = hostsOf(seen).all.size > 0 ? 1 : 0;
  return calls + prices + goods + links >= least ? sure : unsure;
}

const sentenceEnd = /(?<=[.!?？؟。！\n])/;
const endsAsQuestion = /[?？؟]$/;

/** Calls in questions are none: “Kaufen Sie auch alte Uhren?” */
function callsIn(seen: Seen): number {
  if (!asks(seen)) return phrasesOf(seen).get('call') ?? 0;
  const told = typedIn(seen)
    .filter(({ asksFor }) => asksFor !== 'name')
    .flatMap(({ text }) => withoutLinks(text).split(sentenceEnd))
    .filter((sentence) => !endsAsQuestion.test(sentence));
  return phrasesIn(wordsIn(told.join(' '))).get('call') ?? 0;
}

/** Finds promises that need a number beside the words: money without work, cut prices, goods sold by the thousand. */

const amount =
  /(?:[$€£]|\b(?:usd|eur|btc)\b)\s?\d[\d.,]{2,12}|\d[\d.,]{2,12}\s?(?:[$€£]|\b(?:usd|eur|euros?|btc|dollars?)\b)/i;
const often =
  /\b(?:per|an?|each|every|pro|am|par|al|por|w) (?:day|week|hour|tag|woche|stunde|jour|semaine|d[ií]a|semana|giorno|settimana|dzień)\b|\bdaily\b|в (?:день|неделю)/i;
const gain =
  /\b(?:earn|mak|incom|profit|verdien|einkommen|gagn|reven|gan[ae]|ingreso|guadagn|ganh|zarab|zarob)|заработ|доход/i;

const percentage = /\d ?%/;
const yields =
  /\b(?:profit|return|roi\b|rendit|rendement|rentab|rendiment|zinsen|zysk|gewinn|avkastning|getiri|výnos|lucro|ganhe)|прибыл|доход|收益|利益/i;
const surely =
  /guarant|garant|gwarant|гарант|保证|\b(?:sure|risk|monthly|daily|per month|a month|mensual|mensil|mensuel|monatlich|mensal|ao dia|am tag)|miesi[ęe]c|в (?:месяц|день)/i;

/** `0.7495 BTC`, as those say who have some for you, and those who wait for some. */
const coins = /\d[.,]?\d{0,12} ?(?:btc|bitcoins?|eth|usdt)\b/i;

const namesCoins = (text: string): boolean => coins.test(text);

const withdrawal =
  /\bwithdraw(?:al)?\b|\bpayout|auszahl|\bretir(?:er|ez|ar|e|á|ada)\b|\bpreliev|\bopnemen|\bwypłac|\bsaque|вывести|вывод|снять/i;
const urgency =
  /urgent|immediately|today|now\b|heute|sofort|dringend|urgen|immédiat|aujourd|hoy|subito|oggi|pilne|сегодня|срочно/i;

/** Much money each day or week for somebody, which is neither a price nor a salary; sure returns; or money to be withdrawn at once. */
const promisesMoney = (text: string): boolean =>
  (amount.test(text) && often.test(text) && gain.test(text)) ||
  (percentage.test(text) && yields.test(text) && surely.test(text)) ||
  (amount.test(text) && withdrawal.test(text) && urgency.test(text));

/** In Turkish, the sign comes first. */
const percent = /\d ?(?:%|٪|percent|prozent)|% ?\d/i;
const cut =
  /\boff\b|discount|\bsav(?:e|ing)|\bcut\b|rabatt|nachlass|reduzier|günstiger|\bsparen|réduction|remise|rabais|économis|en moins|descuento|rebaja|ahorr|\bmenos\b|scont|risparmi|in meno|korting|bespaar|desconto|econom|poup|rabat|zniż|taniej|slev|levněji|indirim|скид|дешевле|خصم|折|优惠|割引|オフ|[-–−] ?\d\d ?%/i;
const from =
  /(?:\b(?:from|only|just|for|ab|nur|für|dès|seulement|pour|desde|solo|por|da|soli|vanaf|slechts|voor|apenas|od|tylko|jen|endast)|(?:от|всего|за)) (?:[$€£]\s?\d|\d[\d.,]{0,8}\s?(?:[$€£]|(?:eur|usd|euros?|dollars?|zł|kč|kr|руб)))/i;

/** So many percent less, or from so little on. */
const cutsPrices = (text: string): boolean => (percent.test(text) && cut.test(text)) || from.test(text);

const thousands = /\d[.,\s]?000\b|\d ?k\b|\d ?(?:m\b|mio\b|mill|mln|млн)|\bmill?i[oó]n/i;
/** In the plural, or other people's: a customer speaks of one. */
const forms =
  /\b(?:contact|feedback) forms\b|their contact form|kontaktformulare\b|deren kontaktformular|formulaires de contact|formularios de contacto|(?:moduli|form) di contatto|formularze kontaktowe|formulários de conta|contactformulieren|kontaktní formuláře|форм\S{0,3} обратной связи/i;
const addresses =
  /\b(?:verified|b2b|opt-in|business|targeted) (?:contacts|emails?|leads|records|database)|\b(?:attendees?|visitors?)'? (?:e-?mail )?(?:list|database)|\bdatensätze|\bfirmenadressen|\bcontacts b2b|\bcorreos verificados|\bfichiers? e-?mails?/i;

const visitors =
  /(?:\d[.,\s]?000\+?|\d ?k\+?) (?:\S{1,14} ){0,2}(?:visitors|visits|clients|customers|followers|subscribers|likes|views|besucher|kunden|follower|visiteurs|abonnés|visitantes|visitas|seguidores|clientes|visitatori|bezoekers|volgers|odwiedz|посетител|подписчик)/i;

const site = /\b(?:web)?sites?\b|\b(?:web)?seiten?\b|\bsit(?:io|o)\b|сайт/i;

/** Messages to forms by the thousand, addresses, or visitors for a site. */
const sellsByThousands = (text: string): boolean =>
  (thousands.test(text) && (forms.test(text) || addresses.test(text))) ||
  (visitors.test(text) && often.test(text) && site.test(text));
