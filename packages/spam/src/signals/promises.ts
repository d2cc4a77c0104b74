/** Finds promises that combine a number with words: money without work, cut prices, goods sold by the thousand. */

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

export const namesCoins = (text: string): boolean => coins.test(text);

const withdrawal =
  /\bwithdraw(?:al)?\b|\bpayout|auszahl|\bretir(?:er|ez|ar|e|á|ada)\b|\bpreliev|\bopnemen|\bwypłac|\bsaque|вывести|вывод|снять/i;
const urgency =
  /urgent|immediately|today|now\b|heute|sofort|dringend|urgen|immédiat|aujourd|hoy|subito|oggi|pilne|сегодня|срочно/i;

/** Promises much money each day or week, which is neither a price nor a salary; sure returns; or money to be withdrawn at once. */
export const promisesMoney = (text: string): boolean =>
  (amount.test(text) && often.test(text) && gain.test(text)) ||
  (percentage.test(text) && yields.test(text) && surely.test(text)) ||
  (amount.test(text) && withdrawal.test(text) && urgency.test(text));

/** In Turkish, the sign comes first. */
const percent = /\d ?(?:%|٪|percent|prozent)|% ?\d/i;
const cut =
  /\boff\b|discount|\bsav(?:e|ing)|\bcut\b|rabatt|nachlass|reduzier|günstiger|\bsparen|réduction|remise|rabais|économis|en moins|descuento|rebaja|ahorr|\bmenos\b|scont|risparmi|in meno|korting|bespaar|desconto|econom|poup|rabat|zniż|taniej|slev|levněji|indirim|скид|дешевле|خصم|折|优惠|割引|オフ|[-–−] ?\d\d ?%/i;
const from =
  /(?:\b(?:from|only|just|for|ab|nur|für|dès|seulement|pour|desde|solo|por|da|soli|vanaf|slechts|voor|apenas|od|tylko|jen|endast)|(?:от|всего|за)) (?:[$€£]\s?\d|\d[\d.,]{0,8}\s?(?:[$€£]|(?:eur|usd|euros?|dollars?|zł|kč|kr|руб)))/i;

/** Names a discount, or a low price. */
export const cutsPrices = (text: string): boolean =>
  (percent.test(text) && cut.test(text)) || from.test(text);

const thousands = /\d[.,\s]?000\b|\d ?k\b|\d ?(?:m\b|mio\b|mill|mln|млн)|\bmill?i[oó]n/i;
/** In the plural, or other people's: a customer speaks of one. */
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

/** Campaigns call their scheme a robot; people whose robot mows the lawn name no money. */
const robot = /\brobot/i;
const cash = /\b(?:cash|dollars?|income|invest\w*|job|money|profits?)\b|\$ ?\d/i;

/** Speaks of money to be had, not of money that somebody waits for. In a few words with a link, that is enough. */
export const promisesRiches = (text: string): boolean =>
  riches.test(text) || (robot.test(text) && cash.test(text));

/** Sells messages to forms by the thousand, addresses, records, or visitors for a site. */
export const sellsByThousands = (text: string): boolean =>
  (thousands.test(text) && (forms.test(text) || addresses.test(text))) ||
  records.test(text) ||
  (visitors.test(text) && often.test(text) && site.test(text));
