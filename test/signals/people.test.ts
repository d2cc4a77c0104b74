/** People who write of what spammers write of. Made by somebody who had seen neither the rules nor the corpus. */

import { expect, test } from 'vitest';
import { doubt } from '../../packages/relay/src/features/doubt/doubt.ts';
import { weigh } from '../../packages/relay/src/features/doubt/examine.ts';
import type { SignalWorld } from '../../packages/relay/src/features/doubt/signals/signal.ts';
import { contactForm, ofText, seenOf } from './samples.ts';

const form = await contactForm();
const signals = (doubt.of(form)?.signals ?? []).filter(({ name }) => ofText.has(name));

test.each<[string, string, Readonly<Record<string, string>>]>([
  [
    'who applies for a job in the trade of advertisers',
    'en',
    {
      name: 'Rajesh Kumar Venkataraman',
      email: 'rajesh.kv1989@gmail.com',
      phone: '+91 98400 12345',
      subject: 'Applying for job',
      message:
        'Dear Sir/Madam, Kindly find my application for post of SEO Executive. I am having 6 years experience in digital marketing, Google Ads, link building and website ranking. I have increased traffic by 200% for my last company. My portfolio is in http://rajeshkv.blogspot.com . I am immediate joiner. Kindly do the needful and revert back. Thanking you, Rajesh',
    },
  ],
  [
    'who wants to buy much',
    'en',
    {
      name: 'Amina',
      email: 'amina@greenshop.co.ke',
      company: 'Green Shop',
      subject: 'Bulk order',
      message:
        'Good day, I want to place a bulk order of 300 mugs for our staff party. Do you take credit cards? Kindly send me a price list and kindly reply with delivery time to Nairobi. Email me back for more details. Thank you.',
    },
  ],
  [
    'who asks whether a threat is real',
    'en',
    {
      name: 'Ruth Adler',
      email: 'ruth.adler@aol.com',
      subject: 'Is this from you?',
      message:
        'I got an email saying "final notice: your account has been locked and will be suspended within 24 hours, verify your payment". It says act immediately. Is this really from you? I did not click anything.',
    },
  ],
  [
    'a patient',
    'en',
    {
      name: 'Stan',
      email: 'stan.p@yahoo.com',
      subject: 'repeat',
      message:
        'Repeat prescription please: tramadol 50mg, xanax 0.5 mg and sildenafil (viagra). Dr Lowe said I could get them without prescription charge as I am over 60.',
    },
  ],
  [
    'a solicitor',
    'en',
    {
      name: 'Helen Marsh',
      email: 'helen.marsh@marshlaw.co.uk',
      company: 'Marsh Solicitors',
      subject: 'Estate of late Mr J Doe',
      message:
        'Dear Sir or Madam, we act for the next of kin of your deceased client Mr John Doe. The will names our client as the beneficiary of his policy in the sum of £40,000. Please send the claim form in confidence. Yours faithfully',
    },
  ],
  [
    'whom the form failed',
    'en',
    {
      name: 'Ola',
      email: 'ola@olsen.no',
      subject: 'contact form',
      message:
        'I tried to contact you through your contact form three times last week, the contact form submission failed each time. If you are reading this message then it works now :) Please call me about my booking, https://www.booking.example/res/123',
    },
  ],
  [
    'who found a broken link',
    'en',
    {
      name: 'Prof. K. Weiss',
      email: 'weiss@uni-x.edu',
      subject: 'Broken link',
      message:
        'Dear Webmaster, I am looking at your website and noticed that your site links to http://old.lib.org/page which is dead. The new one is https://lib.org/page. Thank you, K. Weiss',
    },
  ],
  [
    'who looks for an agency',
    'en',
    {
      name: 'Marta',
      email: 'marta@bakery-marta.com',
      company: 'Bakery Marta',
      subject: 'SEO',
      message:
        'Hi, I found your website through a friend. I need a new website and help with SEO, we are not on the first page of Google. Do you have case studies? How much do you charge? Also is domain authority important? Would you be open to a quick call? Reply to this or WhatsApp me.',
    },
  ],
  [
    'an angry customer of an agency',
    'en',
    {
      name: 'Phil',
      email: 'phil@philsplumbing.co.uk',
      subject: 'Google',
      message:
        'You do our SEO. Since you removed those backlinks our google ranking dropped. Ahrefs says our domain authority went from 31 to 22 and somebody is building spam links to us. What are you doing for our £400 a month? Call me. Phil',
    },
  ],
  [
    'a patient, in French',
    'fr',
    {
      name: 'Nadège',
      email: 'nadege@laposte.net',
      subject: 'ordonnance',
      message:
        "Bonjour Docteur, j'ai perdu mon ordonnance de Tramadol et Xanax. Est-ce possible d'en avoir une autre sans rendez-vous ? Merci de me répondre sur WhatsApp au 06 12 34 56 78",
    },
  ],
  [
    'who organizes an event',
    'en',
    {
      name: 'Organiser',
      email: 'events@ieee-conf.org',
      subject: 'attendee list',
      message:
        'Hello, I am in charge of marketing for the IEEE conf at your venue. Can you send us the attendee list and job titles for the badges? The email list we have is outdated. Quick question too: how much for the projector?',
    },
  ],
  [
    'an angry customer of a dating site',
    'en',
    {
      name: 'Mario',
      email: 'mario@gmx.at',
      subject: 'account',
      message:
        'I am a serious man and pay for your dating site, but all single women I write to are fake. I want my money back. Guaranteed matches, you said!',
    },
  ],
  [
    'who gives for the dead',
    'en',
    {
      name: 'Mrs Doreen Hart',
      email: 'doreen.hart@talktalk.net',
      subject: 'I want to donate',
      message:
        'I want to donate the sum of £500 in memory of my late husband. Do you take credit cards or should I send a cheque? Can his sister, next of kin, get the letter too?',
    },
  ],
  [
    'who applies with links to what they made',
    'en',
    {
      name: 'Dmytro',
      email: 'dmytro.dev@mail.example',
      subject: 'Web developer',
      message:
        'Hello! I saw your vacancy and want to apply. I am a web developer with 8 years of experience. What I made: https://github.com/dm, https://www.linkedin.com/in/dm, https://dm.dev, https://stackoverflow.com/u/1, https://dribbble.com/dm.',
    },
  ],
  [
    'who complains, and quotes without marks',
    'en',
    {
      name: 'Mia',
      email: 'mia@mail.example',
      message:
        'Someone uses your contact form to send me: Hot girls want to meet you tonight telegra.ph/abc. Please stop it!',
    },
  ],
  [
    'who needs what is offered to owners of sites',
    'en',
    {
      name: 'Tom',
      email: 'tom@shop.example',
      message:
        'Do you offer SEO? I came across your website. Ours dropped from the first page of Google. How much per month? Let me know if you have time for a quick call. www.tomsshop.example',
    },
  ],
  [
    'who inherits, and asks an accountant',
    'en',
    {
      name: 'Joan Ellis',
      email: 'joan@mail.example',
      message:
        'I inherited a fixed deposit and need an accountant. Do you handle inheritance tax? My late aunt died without a will.',
    },
  ],
  [
    'who lost money, and asks a law firm',
    'en',
    {
      name: 'Ken',
      email: 'ken@mail.example',
      message:
        'I lost money to a scam. Can your law firm help to recover lost funds? It was an investment company from Cyprus.',
    },
  ],
  [
    'who supplies shops',
    'en',
    {
      name: 'Eva',
      email: 'eva@bells.example',
      message:
        'We are a manufacturer of bicycle bells from Solingen and supply shops like yours. May we send you our catalogue? www.bells.example',
    },
  ],
  [
    'who quotes pills that came in the owner’s name',
    'de',
    {
      name: 'Petra Voss',
      email: 'petra.voss@mail.example',
      message:
        'Über Ihre Seite kommen Mails an fremde Leute, bei mir: "Buy Viagra and Cialis online without prescription, 70% off https://pills.example". Das sollten Sie abstellen.',
    },
  ],
  [
    'who quotes a lender in another language',
    'de',
    {
      name: 'Susan Parker',
      email: 'susan@mail.example',
      message:
        'A message with your logo reached me: "You are pre-approved for up to $350,000 of working capital, funds in 24 hours, no collateral. Reply YES." Please tell me whether I should report it.',
    },
  ],
  [
    'who was redirected to a casino',
    'fr',
    {
      name: 'Monique Faure',
      email: 'm.faure@mail.example',
      message:
        "Votre page m'envoie vers un casino en ligne : « 200 tours gratuits sans dépôt ». Je pense que vous avez été piratés.",
    },
  ],
  [
    'an owner who was sold links',
    'en',
    {
      name: 'Wanda Fit',
      email: 'wanda@wandafit.example',
      message:
        'My old agency sold us 500 backlinks and dofollow guest posts and now we are gone from Google. Please help us clean up wandafit.example',
    },
  ],
  [
    'who writes a forum about its markup',
    'en',
    {
      name: 'Bastian',
      email: 'bastian@mail.example',
      message:
        '[url=https://example.org]Link[/url] and [b]bold[/b] stay as they are in my post. Is that a bug?',
    },
  ],
  [
    'who waits for coins',
    'en',
    {
      name: 'Rob',
      email: 'rob@mail.example',
      message: 'Transferred 0.05 BTC to your exchange at noon, not credited. Tx https://chain.example/tx/abc',
    },
  ],
  [
    'who reports a mistake in few words',
    'en',
    {
      name: 'Vi',
      email: 'vi@mail.example',
      message: 'Verify email link expired https://auth.example/verify/abc please resend',
    },
  ],
  [
    'who gives a party of games',
    'en',
    {
      name: 'Betty',
      email: 'betty@mail.example',
      message:
        'We are organising a charity casino night on 3 May for 120 guests and need the ballroom. Details at https://school.example/casino',
    },
  ],
  [
    'a printer whose order is ready',
    'en',
    {
      name: 'Tia',
      email: 'tia@mail.example',
      message:
        'Your new price labels are ready, proof at https://printshop.example/p/1, confirm by Friday please',
    },
  ],
  [
    'a journalist who looks for victims',
    'de',
    {
      name: 'Robin',
      email: 'robin@mail.example',
      message:
        'Für einen Artikel über Anlagebetrug suche ich Betroffene, denen 9 % garantierte Rendite versprochen wurden. Kontakt: robin@mail.example',
    },
  ],
])('%s is not marked', async (_, language, fields) => {
  const { score, signals: found } = await weigh(
    { signals, thresholds: [] },
    seenOf(form, { language, fields }),
    {} as SignalWorld,
  );
  expect(score, JSON.stringify(found)).toBeLessThan(4);
});
