/** Signals that count phrases of unsolicited sellers and of link traders. */

import { withoutLinks, wordsIn } from '../words.ts';
import { hostsOf, leadsElsewhere } from './links.ts';
import {
  asks,
  kept,
  speaksOfOneself,
  speaksOfYours,
  speaksOnlyOfYours,
  typedIn,
  wordsOf,
} from './own_words.ts';
import { phrasesIn, phrasesOf, unlessComplained } from './phrases/index.ts';
import { type SignalInput, signal } from './signal.ts';

/** The parts of an unsolicited offer. */
const partsOfPitch = ['approach', 'goods', 'bait', 'ask'] as const;

/** Score of a nearly complete pitch: enough for a tag if a link is added. */
const nearlyAll = 0.87;

export const offers = signal({
  name: 'offers',
  summary:
    'Phrases of unwanted offers, in fifteen languages: how they found you, what they sell, why it is urgent, what you should do. A single kind adds no points, and all four add all; if no product is named, one kind fewer counts. Three kinds add nearly all if they promise more visitors for a site.',
  weight: 3.5,
  score: () => (seen) => {
    const phrases = phrasesOf(seen);
    const size = partsOfPitch.filter((part) => phrases.has(part)).length;
    const rest = phrases.has('goods') ? 1 : 2;
    const sellsReach = size > 2 && phrases.has('reach') && !phrases.has('wants');
    const score = Math.max((size - rest) / 3, sellsReach ? nearlyAll : 0);
    return size > rest
      ? { score: score * unlessComplained(seen), why: `${size} of 4 parts of a sales pitch` }
      : undefined;
  },
});

const takes = /\byou (?:accept|take|allow|publish)\b/i;

const asksForPlace = (seen: SignalInput): boolean =>
  speaksOfYours(seen) || typedIn(seen).some(({ text }) => takes.test(text));

export const linkTrade = signal({
  name: 'link_trade',
  summary:
    'Phrases about guest posts, paid links and link exchange, in fifteen languages. Two add all points.',
  weight: 5,
  score: () => (seen) => {
    const count = phrasesOf(seen).get('link') ?? 0;
    if (count === 0) return undefined;
    // Link traders ask about the owner's site; customers of an SEO service ask about their own.
    return {
      score: (count === 1 ? 0.3 : asksForPlace(seen) ? 1 : 0.5) * unlessComplained(seen),
      why: `${count} ${count === 1 ? 'phrase' : 'phrases'} about link trade`,
    };
  },
});

/** Finds promises that combine a number with words: effortless money, discounts, goods sold by the thousand. */

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

/** `0.7495 BTC`, as in offers of coins, and in questions of people who wait for some. */
const coins = /\d[.,]?\d{0,12} ?(?:btc|bitcoins?|eth|usdt)\b/i;

const namesCoins = (text: string): boolean => coins.test(text);

const withdrawal =
  /\bwithdraw(?:al)?\b|\bpayout|auszahl|\bretir(?:er|ez|ar|e|á|ada)\b|\bpreliev|\bopnemen|\bwypłac|\bsaque|вывести|вывод|снять/i;
const urgency =
  /urgent|immediately|today|now\b|heute|sofort|dringend|urgen|immédiat|aujourd|hoy|subito|oggi|pilne|сегодня|срочно/i;

/**
 * Promises a lot of money per day or week, which is neither a price nor a salary; guaranteed returns; or
 * money to be withdrawn at once.
 */
const promisesMoney = (text: string): boolean =>
  (amount.test(text) && often.test(text) && gain.test(text)) ||
  (percentage.test(text) && yields.test(text) && surely.test(text)) ||
  (amount.test(text) && withdrawal.test(text) && urgency.test(text));

/** Turkish puts the percent sign first. */
const percent = /\d ?(?:%|٪|percent|prozent)|% ?\d/i;
const cut =
  /\boff\b|discount|\bsav(?:e|ing)|\bcut\b|rabatt|nachlass|reduzier|günstiger|\bsparen|réduction|remise|rabais|économis|en moins|descuento|rebaja|ahorr|\bmenos\b|scont|risparmi|in meno|korting|bespaar|desconto|econom|poup|rabat|zniż|taniej|slev|levněji|indirim|скид|дешевле|خصم|折|优惠|割引|オフ|[-–−] ?\d\d ?%/i;
const from =
  /(?:\b(?:from|only|just|for|ab|nur|für|dès|seulement|pour|desde|solo|por|da|soli|vanaf|slechts|voor|apenas|od|tylko|jen|endast)|(?:от|всего|за)) (?:[$€£]\s?\d|\d[\d.,]{0,8}\s?(?:[$€£]|(?:eur|usd|euros?|dollars?|zł|kč|kr|руб)))/i;

/** Names a discount, or a low price. */
const cutsPrices = (text: string): boolean => (percent.test(text) && cut.test(text)) || from.test(text);

const thousands = /\d[.,\s]?000\b|\d ?k\b|\d ?(?:m\b|mio\b|mill|mln|млн)|\bmill?i[oó]n/i;
/** Plural, or owned by others: a customer writes about one form. */
const forms =
  /\b(?:contact|feedback) forms\b|their contact form|kontaktformulare\b|deren kontaktformular|formulaires de contact|formularios de contacto|(?:moduli|form) di contatto|formularze kontaktowe|formulários de conta|contactformulieren|kontaktní formuláře|форм\S{0,3} обратной связи/i;
const addresses =
  /\b(?:verified|b2b|opt-in|business|targeted) (?:contacts|emails?|leads|records|database)|\b(?:attendees?|visitors?)'? (?:e-?mail )?(?:list|database)|\bdatensätze|\bfirmenadressen|\bcontacts b2b|\bcorreos verificados|\bfichiers? e-?mails?/i;

const visitors =
  /(?:\d[.,\s]?000\+?|\d ?k\+?) (?:\S{1,14} ){0,2}(?:visitors|visits|clients|customers|followers|subscribers|likes|views|besucher|kunden|follower|visiteurs|abonnés|visitantes|visitas|seguidores|clientes|visitatori|bezoekers|volgers|odwiedz|посетител|подписчик)/i;

const site = /\b(?:web)?sites?\b|\b(?:web)?seiten?\b|\bsit(?:io|o)\b|сайт/i;

const records = /\d (?:million )?records\b|\b(?:all|made) (?:of )?our (?:leads|data|databases)\b/i;

const riches =
  /\b(?:earn(?:s|ing|ings)?|wealth|millionaires?|financ(?:e|es|ial) (?:stability|freedom)|invest \S{0,2}\d|(?:be|become|get|grow) rich|verdienen|gagner|ganar|guadagn\w+|zarob\w+|ganhar)\b|заработ|赚钱/i;

/** Campaigns call their scheme a robot. People who write about their robot mower name no money. */
const robot = /\brobot/i;
const cash = /\b(?:cash|dollars?|income|invest\w*|job|money|profits?)\b|\$ ?\d/i;

/** Promises money, rather than mentioning money that the writer waits for. With a link, a few such words are enough. */
const promisesRiches = (text: string): boolean => riches.test(text) || (robot.test(text) && cash.test(text));

/** Sells messages to forms, addresses, records or website visitors by the thousand. */
const sellsByThousands = (text: string): boolean =>
  (thousands.test(text) && (forms.test(text) || addresses.test(text))) ||
  records.test(text) ||
  (visitors.test(text) && often.test(text) && site.test(text));

/** Customers and victims use these words, too, so they are not enough by themselves. */
const mostOfHints = 0.45;

const mostWordsOfTip = 16;

/** People who report what happened to them write more. */
const mostWordsOfLure = 40;

export const scams = signal({
  name: 'scams',
  summary:
    'Phrases of loans without checks, easy money, inheritances of strangers, casinos, sex, medicine without prescription, lists of addresses and threats, in fifteen languages. Three add all points; one adds two thirds in a short text with a link, and half if honest senders use it as well. Consumer advertising adds three quarters with four phrases of three kinds: a call such as “order now”, a price and goods.',
  weight: 6,
  score: () => (seen) => {
    const phrases = phrasesOf(seen);
    const scams = (phrases.get('scam') ?? 0) + countTexts(seen, sellsByThousands);
    const hints = phrases.get('hint') ?? 0;
    const lures = (phrases.get('lure') ?? 0) + countTexts(seen, promisesMoney) + (isTip(seen) ? 1 : 0);
    const teases = (phrases.get('tease') ?? 0) + countTexts(seen, namesCoins);
    // A lure counts only with a link or an account to go to.
    const isHooked =
      (scams + lures > 0 || (teases > 1 && speaksOnlyOfYours(seen) && !phrases.has('customer'))) &&
      leadsAway(seen);
    const [sure, unsure] = isHooked ? [scams + lures + 1 + teases / 2, hints] : [scams, hints + lures / 2];
    const count = scams + hints + lures + (isHooked ? teases : 0);
    const scammed = Math.min(1, sure / 3 + Math.min(mostOfHints, unsure / 3));
    const advertised = advertises(seen);
    const score = Math.max(scammed, advertised) * unlessComplained(seen);
    if (score === 0) return undefined;
    const why =
      advertised > scammed
        ? 'phrases of advertisements'
        : `${count} ${count === 1 ? 'phrase' : 'phrases'} of scams`;
    return { score, why };
  },
});

/** 1 if the test holds for any text with a number in it. */
const countTexts = (seen: SignalInput, isSo: (text: string) => boolean): number =>
  numbered(seen).some(({ text }) => isSo(text)) ? 1 : 0;

const numbered = kept((seen) => typedIn(seen).filter(({ text }) => /\d|mill|млн/i.test(text)));

/** A few words about riches in which nobody speaks of themselves: “Everyone can earn as much as he wants now. https://…” */
const isTip = (seen: SignalInput): boolean =>
  wordsOf(seen).length <= mostWordsOfTip &&
  !speaksOfOneself(seen) &&
  typedIn(seen).some(({ text }) => promisesRiches(text));

/** A few words without a question, or a longer text in which nobody speaks of themselves, with a link to another site. */
function leadsAway(seen: SignalInput): boolean {
  const { length } = wordsOf(seen);
  return (
    leadsElsewhere(seen) &&
    ((length <= mostWordsOfLure && !asks(seen)) || (length <= mostWords && !speaksOfOneself(seen)))
  );
}

// Advertisements to consumers, as shops and money schemes write them: a call, a price and goods.

/** Longer texts are newsletters, which people forward. */
const mostWords = 150;

/**
 * How many different phrases are needed to be sure, if all three parts are present, or a call and one other
 * part. A link counts as one more.
 */
const leastOfAll = 4;
const leastOfTwo = 6;

const unsure = 0.25;
const sure = 0.75;

/**
 * How much a text resembles an advertisement; 0 without a call or with words of a customer, because customers
 * name prices and goods.
 */
function advertises(seen: SignalInput): number {
  const phrases = phrasesOf(seen);
  if (!phrases.has('call') || phrases.has('customer') || wordsOf(seen).length > mostWords) return 0;
  const calls = callsIn(seen);
  if (calls === 0) return 0;
  const prices = (phrases.get('deal') ?? 0) + countTexts(seen, cutsPrices);
  const goods = (phrases.get('ware') ?? phrases.get('lure') ?? 0) + countTexts(seen, promisesMoney);
  if (prices + goods === 0) return 0;
  const least = prices > 0 && goods > 0 ? leastOfAll : leastOfTwo;
  const links = hostsOf(seen).all.size > 0 ? 1 : 0;
  return calls + prices + goods + links >= least ? sure : unsure;
}

const sentenceEnd = /(?<=[.!?？؟。！\n])/;
const endsAsQuestion = /[?？؟]$/;

/** Questions do not count as calls: “Kaufen Sie auch alte Uhren?” */
function callsIn(seen: SignalInput): number {
  if (!asks(seen)) return phrasesOf(seen).get('call') ?? 0;
  const texts = typedIn(seen)
    .filter(({ asksFor }) => asksFor !== 'name')
    .flatMap(({ text }) => withoutLinks(text).split(sentenceEnd))
    .filter((sentence) => !endsAsQuestion.test(sentence));
  return phrasesIn(wordsIn(texts.join(' '))).get('call') ?? 0;
}
