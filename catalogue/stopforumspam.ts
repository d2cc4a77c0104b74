/** `signals: {stopforumspam: 4}`: asks StopForumSpam (stopforumspam.com/usage) whether other sites reported the sender for spam. */

import { createHash } from 'node:crypto';
import type { MakePlugin, SignalInput } from 'form-relay/plugin';

const defaultUrl = 'https://api.stopforumspam.org/api';
/** A single report of an address that many people share has a lower confidence. */
const leastConfidence = 25;

const make: MakePlugin = (kit) => {
  const addressIn = ({ fields, values }: SignalInput): string | undefined => {
    const field = fields.find(({ type, name }) => type === 'email' && kit.values.first(values, name) !== '');
    return field && kit.address.parse(kit.values.first(values, field.name).trim())?.toLowerCase();
  };

  return {
    name: 'stopforumspam',
    summary: 'Asks StopForumSpam about senders.',
    signals: [
      kit.signal({
        name: 'stopforumspam',
        summary:
          'Asks StopForumSpam about the sender. StopForumSpam receives the IP address and the MD5 of the mail address.',
        weight: 4,
        keys: {
          url: kit.key.withDefault(
            defaultUrl,
            'Another address of the service, such as the European one.',
            kit.key.httpUrl(),
          ),
        },
        score: async ({ url }, input, { http }) => {
          const { address: ip } = input;
          const emailhash = md5(addressIn(input));
          if (!ip && !emailhash) return undefined;
          const query = { json: '1', confidence: '1', ...(ip && { ip }), ...(emailhash && { emailhash }) };
          const { json } = await http.send({ method: 'GET', url, query });
          const confidence = confidenceIn(json, [...(ip ? ['ip'] : []), ...(emailhash ? ['emailhash'] : [])]);
          if (confidence === undefined) throw kit.fail('the response has no verdict');
          if (confidence < leastConfidence) return undefined;
          const why = `reported for spam, with ${Math.round(confidence)}% confidence`;
          return { score: confidence / 100, why };
        },
      }),
    ],
    messages: {
      ar: { signal_stopforumspam: 'أُبلغ عن عنوان المرسل بسبب رسائل مزعجة لدى StopForumSpam' },
      cs: { signal_stopforumspam: 'adresa odesílatele nahlášená kvůli spamu u StopForumSpam' },
      da: { signal_stopforumspam: 'afsenderens adresse er anmeldt for spam hos StopForumSpam' },
      de: { signal_stopforumspam: 'Absenderadresse bei StopForumSpam wegen Spam gemeldet' },
      en: { signal_stopforumspam: 'sender’s address reported for spam at StopForumSpam' },
      es: { signal_stopforumspam: 'dirección del remitente denunciada por spam en StopForumSpam' },
      fi: { signal_stopforumspam: 'lähettäjän osoitteesta ilmoitettu roskapostia (StopForumSpam)' },
      fr: { signal_stopforumspam: 'adresse de l’expéditeur signalée pour spam chez StopForumSpam' },
      he: { signal_stopforumspam: 'כתובת השולח דווחה כמקור ספאם אצל StopForumSpam' },
      it: { signal_stopforumspam: 'indirizzo del mittente segnalato per spam presso StopForumSpam' },
      ja: { signal_stopforumspam: '送信元アドレスが StopForumSpam に報告済み' },
      ko: { signal_stopforumspam: '발신 주소가 StopForumSpam에 스팸으로 신고됨' },
      nl: { signal_stopforumspam: 'adres van de afzender bij StopForumSpam gemeld wegens spam' },
      pl: { signal_stopforumspam: 'adres nadawcy zgłoszony za spam w StopForumSpam' },
      pt: { signal_stopforumspam: 'endereço do remetente denunciado por spam no StopForumSpam' },
      sv: { signal_stopforumspam: 'avsändarens adress anmäld för skräppost hos StopForumSpam' },
      tr: { signal_stopforumspam: 'gönderenin adresi StopForumSpam’da spam için bildirilmiş' },
      uk: { signal_stopforumspam: 'на адресу відправника є скарги через спам у StopForumSpam' },
      zh: { signal_stopforumspam: '发件地址在 StopForumSpam 有垃圾信息举报' },
    },
  };
};

export default make;

/** The service supports no other hash. Also `undefined` if FIPS forbids it. */
function md5(text: string | undefined): string | undefined {
  try {
    return text && createHash('md5').update(text).digest('hex');
  } catch {
    return undefined;
  }
}

/**
 * `{"success": 1, "ip": {"appears": 1, "confidence": 92.5}, "emailhash": {"appears": 0}}`: the highest
 * confidence, in percent. `undefined` unless the response covers everything that was asked.
 */
function confidenceIn(json: unknown, asked: readonly string[]): number | undefined {
  const answer = Object(json);
  const all = asked.map((name) => {
    const { appears, confidence } = Object(answer[name]);
    return Number(appears ?? Number.NaN) === 0 ? 0 : Number(appears) === 1 ? Number(confidence) : Number.NaN;
  });
  if (Number(answer.success) !== 1 || all.some(Number.isNaN)) return undefined;
  return Math.min(100, Math.max(0, ...all));
}
