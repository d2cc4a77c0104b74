/** Letters as they come: every part, several languages, and values that try to break them. */
import type { MailBody } from '../../packages/relay/src/outputs/html_mail.ts';

const lovelace =
  'The engine weaves algebraic patterns just as the loom weaves flowers and leaves. Could you make one for a mill in Linz, with room for some thousand cards?';

const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2);

const english: MailBody = {
  language: 'en',
  direction: 'ltr',
  title: 'Contact',
  intro: [
    'Somebody wrote to us on the website.\nPlease answer within a day.\n\nHow that is done stands in ',
    { words: 'the handbook', href: 'https://acme.example/handbook?page=answering&of=mail' },
    '.',
  ],
  entries: [
    { label: 'Name', values: ['Ada Lovelace'] },
    { label: 'Email', values: ['ada@example.org'] },
    { label: 'Telephone', values: ['+44 20 7946 0018'] },
    { label: 'What can we do for you?', values: ['Sell me something', 'Repair what I have', 'Call me back'] },
    { label: 'Website', values: ['https://www.example.org/ada?who=<me>&why="that"'] },
    { label: 'Message', values: [`Good morning,\n\n${lovelace}\n${lovelace}\n\nAda`] },
    { label: 'You may write to me', values: ['✓'] },
  ],
  page: { label: 'Page', url: 'https://acme.example/contact/?utm_source=newsletter', isLink: true },
  footer: ['Acme Ltd., 1 Mill Lane, London. ', { words: 'Privacy', href: 'https://acme.example/privacy' }],
};

const german: MailBody = {
  language: 'de',
  direction: 'ltr',
  title: `Anfrage für eine Führung durch die ${longWord}`,
  intro: [],
  entries: [
    { label: 'Name', values: ['Käthe Müller-Lüdenscheidt'] },
    { label: `Wie heißt Ihre ${longWord}, und wozu?`, values: [longWord] },
    { label: 'Termine', values: [`${longWord}\nam Vormittag`, 'https://termine.example/waehlen', 'Freitag'] },
    {
      label: 'Nachricht',
      values: ['Sehr geehrte Damen und Herren,\n\n  1.  gute Fragen\n  2.  bessere\n'.repeat(3)],
    },
  ],
  page: { label: 'Seite', url: `https://acme.example/${'anfrage/'.repeat(30)}`, isLink: false },
  footer: [],
};

const arabic: MailBody = {
  language: 'ar',
  direction: 'rtl',
  title: 'اتصل بنا',
  intro: ['وصلت رسالة جديدة من الموقع، راجع ', { words: 'الدليل', href: 'https://acme.example/ar' }, '.'],
  entries: [
    { label: 'الاسم', values: ['ليلى الحسن'] },
    { label: 'البريد الإلكتروني', values: ['layla@example.org'] },
    { label: 'الهاتف', values: ['+971 4 123 4567'] },
    { label: 'المواضيع', values: ['المبيعات', 'الدعم الفني (24/7)', 'Press'] },
    {
      label: 'الرسالة',
      values: ['مرحبا،\n\nأود أن أعرف المزيد عن منتجاتكم. هل يمكن التوصيل إلى دبي؟ (قريبا)\nشكرا'],
    },
    { label: 'ملاحظة', values: ['Good morning,\nI write in English, too.'] },
  ],
  page: { label: 'الصفحة', url: 'https://acme.example/ar/contact', isLink: false },
  footer: ['شركة أكمي، دبي'],
};

const japanese: MailBody = {
  language: 'ja',
  direction: 'ltr',
  title: 'お問い合わせ',
  intro: ['ウェブサイトからのお問い合わせです。'],
  entries: [
    { label: 'お名前', values: ['山田 太郎'] },
    { label: 'メールアドレス', values: ['taro@example.jp'] },
    { label: 'ご用件', values: ['製品について', 'お見積り'] },
    {
      label: 'お問い合わせ内容',
      values: [
        '御社の製品に興味があります。詳しい資料をお送りいただけますでしょうか。\n\nまた、見積書もあわせてお願いいたします。納期についてもご教示ください。'.repeat(
          2,
        ),
      ],
    },
  ],
  page: { label: 'ページ', url: 'https://acme.example/ja/contact', isLink: false },
  footer: ['株式会社アクメ'],
};

const button: MailBody = {
  language: 'en',
  direction: 'ltr',
  title: 'Please confirm your address',
  intro: [
    'Somebody asked for our newsletter at this address. If it was not you, do nothing, and nothing will come.',
  ],
  entries: [{ label: 'Topics', values: ['Mills', 'Engines'] }],
  button: {
    words: 'Yes, send me the newsletter',
    href: `https://forms.acme.example/api/v1/confirm/news?s=${'aB3_-x'.repeat(60)}`,
  },
  footer: ['Acme Ltd., 1 Mill Lane, London'],
};

export const letters = { english, german, arabic, japanese, button };
