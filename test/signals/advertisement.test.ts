/** Advertisements to consumers, and people who write of the same things. */
import { describe, expect, test } from 'vitest';
import { doubt } from '../../packages/relay/src/features/doubt/doubt.ts';
import { weigh } from '../../packages/relay/src/features/doubt/examine.ts';
import type { SignalWorld } from '../../packages/relay/src/features/doubt/signals/signal.ts';
import { contactForm, ofText, seenOf } from './samples.ts';

const form = await contactForm();
const signals = (doubt.of(form)?.signals ?? []).filter(({ name }) => ofText.has(name));

async function pointsOf(language: string, message: string): Promise<number> {
  const { score } = await weigh(
    { signals, thresholds: [] },
    seenOf(form, { language, fields: { message } }),
    {} as SignalWorld,
  );
  return score;
}

test.each([
  [
    'en',
    'Tired of your boss? Start earning $400 every day from your sofa. No skills needed. Join today: www.cash.example',
  ],
  [
    'en',
    'HUGE SALE! Rolex and Gucci copies from $59, worldwide delivery. Hurry, stock is limited! Visit our store.',
  ],
  [
    'en',
    'Burn belly fat while you sleep! Our herbal capsules have no side effects. Order yours today at half price.',
  ],
  [
    'de',
    'Luxusuhren zu Schnäppchenpreisen! Bis zu 80 % reduziert. Besuchen Sie unseren Onlineshop und greifen Sie zu.',
  ],
  [
    'de',
    'Potenzprobleme? Bestellen Sie Tabletten diskret, ohne Arztbesuch, schnelle Lieferung. Jetzt 30 % günstiger!',
  ],
  [
    'es',
    '¡Baja 10 kilos sin dieta ni ejercicio! Pide hoy nuestras cápsulas con 50 % de descuento: www.kilo.example',
  ],
  [
    'es',
    '¡Felicidades! Has sido elegido para recibir un iPhone gratis. Pulsa el enlace y reclama tu premio ahora.',
  ],
  [
    'fr',
    'Gagnez 500 € par jour depuis chez vous, sans expérience ! Rejoignez notre programme dès maintenant.',
  ],
  [
    'fr',
    'Maigrissez sans effort ! Nos gélules brûle-graisses sont à moitié prix, commandez aujourd’hui : www.gel.example',
  ],
  [
    'it',
    'Orologi e borse di lusso scontati fino all’80 %! Spedizione gratuita. Approfittane adesso: www.griffe.example',
  ],
  [
    'it',
    'Guadagna 300 euro al giorno da casa, senza esperienza. Inizia subito, unisciti a noi: www.soldi.example',
  ],
  ['nl', 'Val 10 kilo af zonder dieet! Bestel vandaag nog onze natuurlijke capsules met 50 % korting.'],
  ['nl', 'Gefeliciteerd! Je bent uitgekozen voor een gratis iPhone. Klik op de link en claim je prijs.'],
  ['pt', 'Perca 10 quilos sem dieta! Peça hoje as nossas cápsulas com 50 % de desconto: www.quilo.example'],
  ['pl', 'Schudnij 10 kilo bez diety! Zamów dziś nasze kapsułki z rabatem 50%: www.kilo.example'],
  ['cs', 'Zhubněte 10 kilo bez diety! Objednejte ještě dnes naše kapsle se slevou 50 %: www.kilo.example'],
  ['sv', 'Gå ner 10 kilo utan diet! Beställ våra naturliga kapslar idag med 50 % rabatt: www.kilo.example'],
  ['tr', 'Diyetsiz 10 kilo verin! Kapsüllerimizi bugün %50 indirimle sipariş edin: www.kilo.example'],
  ['ru', 'Похудейте на 10 кг без диет! Закажите сегодня наши капсулы со скидкой 50%: www.kilo.example'],
  ['ar', 'اخسر 10 كيلو بدون رجيم! اطلب اليوم كبسولاتنا بخصم 50٪: www.kilo.example'],
  ['zh', '一个月瘦十公斤，不用节食！立即订购我们的胶囊，五折优惠'],
  ['ja', '食事制限なしで10キロ痩せる！カプセルを今すぐご注文ください。今なら50％オフ'],
])('an advertisement is marked (%s): %s', async (language, message) => {
  expect(await pointsOf(language, message)).toBeGreaterThanOrEqual(4);
});

describe('people stay below 3 points', () => {
  test.each([
    ['en', 'please change my order from M to L, i clicked buy now too fast, sorry'],
    ['en', 'Your ad says "up to 50 % off everything", but the sofa I want is full price. Is that a mistake?'],
    [
      'en',
      'Hotel asks: is the half price spa deal bookable online? The link leads to a page that says visit our website.',
    ],
    [
      'en',
      'Webshop feedback: the "shop now" banner covers the menu, and the "save 30%" sticker hides the sunglasses.',
    ],
    [
      'en',
      'Delivery failed twice. Get your driver to ring the bell next time. Half price as compensation seems fair.',
    ],
    [
      'en',
      'Sponsors get free tickets and 20 % off drinks. Sign up today at the club house or write back. Rugby Club',
    ],
    ['en', 'Table for two, the menu with the half price champagne. Order online was not possible.'],
    [
      'en',
      'Open day at the gym: free trial, 10 % off, sign up today. Could this go into the village newsletter?',
    ],
    ['en', 'Lost at the summer fair: sunglasses, cheap ones. Hurry, the lost property desk closes at six.'],
    ['de', 'Kaufen Sie auch Luxusuhren und Handtaschen mit 30 % Rabatt? Peter Meier'],
    [
      'de',
      'Auf der Startseite steht: Jetzt billige Uhren kaufen, hier klicken, 80 % Rabatt. Da ist etwas faul.',
    ],
    [
      'de',
      'Bitte in den Vereinskalender: Schnuppertraining kostenlos, jetzt anmelden unter www.tsv.example, 20 % sparen.',
    ],
    [
      'de',
      'Handys und Laptops für eine Schulklasse gesucht, gratis oder günstig. Melden Sie sich jetzt an der Pforte!',
    ],
    ['es', 'Bici usada en venta, barata, aprovecha antes del curso. Para el tablero del campus.'],
    [
      'fr',
      'Pour le panneau du village : loto samedi, entrée gratuite, premier prix un téléphone, inscrivez-vous !',
    ],
    ['it', 'In prima pagina compare: acquista orologi di lusso, clicca qui. Il sito è stato violato?'],
    ['nl', 'Tweedehands fiets te koop, goedkoop, wees er snel bij. Voor het campusbord.'],
    [
      'pt',
      'Para o quadro da aldeia: bingo sábado, entrada grátis, primeiro prémio um telemóvel. Inscreva-se!',
    ],
    ['pl', 'Kliknęłam tutaj i nic się nie dzieje, jak mogę się zapisać na kurs z rabatem?'],
  ])('%s: %s', async (language, message) => {
    expect(await pointsOf(language, message)).toBeLessThan(3);
  });
});

test('long texts are newsletters, and none', async () => {
  const advertisement = 'Visit our store! Luxury watches at half price, free shipping, order now. ';
  expect(await pointsOf('en', advertisement)).toBeGreaterThanOrEqual(4);
  const news = 'On Monday we opened a new branch in the old town hall beside the river. '.repeat(10);
  expect(await pointsOf('en', advertisement + news)).toBeLessThan(4);
});
